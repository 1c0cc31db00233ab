// A generator's card. It is made once and then kept up to date, so that focus and open details stay.

import { bar, chart, el, ring, say, span } from "./draw.js";
import * as words from "./words.js";

const kinds = { cached: "cached", uncached: "one look at the clock per UID", segment: "numbers without time" };

export function card(name, number) {
  const id = `generator-${number}`;
  const chips = el("p", { class: "chips" });
  const rate = el("span", { class: "rate" });
  const issued = el("span", { class: "quiet" });
  const plot = chart(words.rate);
  const wheel = ring();
  const now = el("dl", { class: "numbers" });
  const nowPart = el("div", { class: "wheel" }, wheel.element, now);
  const failure = el("p", { class: "notice bad", role: "status" });
  const reasons = el("ul", { class: "reasons", "aria-label": `What is wrong with ${name}` });
  const counters = el("dl", { class: "numbers wide" });
  const bars = {};
  const barPart = el("div", { class: "bars" });
  for (const label of ["Lead", "Lag", "In hand", "Reservation", "Lease"]) {
    bars[label] = bar(label);
    barPart.append(bars[label].element);
  }
  const expires = el("p", { class: "quiet expires" });
  barPart.append(expires);
  const ratePart = el("div", { class: "rates" }, el("p", {}, rate, " ", issued), plot.element);
  const element = el("article", { class: "panel card", "aria-labelledby": id },
    el("div", { class: "top" }, el("div", { class: "head" }, el("h3", { id }, name), chips), reasons, failure),
    ratePart, nowPart, barPart,
    el("details", {}, el("summary", {}, "Counters", el("span", { class: "unseen" }, ` of ${name}`)), counters));
  let points = [];

  return {
    element,
    forget() { points = []; },
    // gone says that the process does not answer: nobody knows whether the generator is ready.
    gone() {
      element.classList.add("gone");
      if (chips.firstChild) {
        say(chips.firstChild, "no answer");
        chips.firstChild.dataset.mood = "bad";
      }
      for (const e of now.querySelectorAll("dd")) say(e, "not known");
    },
    show(g, state) {
      element.classList.remove("gone");
      showChips(chips, g);
      // One box for one failure: a reason may have its text, or the page's notice of the store.
      const told = state.workers?.status === "down" || g.reasons.some((r) => r.text.includes(g.failing?.text));
      say(failure, g.failing && !told ? `Reserving has failed since ${words.when(g.failing.since.ms, state.now)}: ${g.failing.text}` : "");
      showReasons(reasons, g.reasons);

      points = points.concat(g.points).filter((p) => p[1] > state.now - span);
      plot.element.hidden = g.issued === undefined;
      say(rate, g.rate < 0 ? "" : words.rate(g.rate));
      say(issued, g.issued === undefined ? "This generator does not count what it issues."
        : g.rate < 0 ? `${words.integer(g.issued)} in all` : `a second; ${words.integer(g.issued)} in all`);
      if (g.issued !== undefined) plot.show(points, state.now);

      wheel.element.toggleAttribute("hidden", !g.ring);
      if (g.ring) showRing(wheel, g.ring);
      numbers(now, standing(g));
      showBars(bars, g, state);
      expires.hidden = !g.expires;
      if (g.expires) {
        say(expires, `The layout expires on ${words.date(g.expires)}${g.expiring ? ": plan the move to another one" : ""}.`);
        expires.classList.toggle("warn", Boolean(g.expiring));
      }
      numbers(counters, [...g.counters.map((c) => [c.name, words.integer(c.value), c.means]), ...positions(g.ring)]);
    },
  };
}

function showChips(chips, g) {
  const all = [kinds[g.kind] ?? g.kind];
  if (g.worker !== undefined) all.push(`worker ${g.worker}`);
  if (g.segment) all.push(`tag ${g.segment.tag}`);
  if (g.lease) all.push(`namespace ${g.lease.namespace}`);
  all.unshift(g.ready ? "ready" : "not ready");
  if (chips.childElementCount === all.length) {
    all.forEach((text, i) => say(chips.children[i], text));
  } else {
    chips.replaceChildren(...all.map((text) => el("span", { class: "chip" }, text)));
  }
  chips.firstChild.dataset.mood = g.ready ? "good" : "bad";
}

function showReasons(list, all) {
  list.hidden = all.length === 0;
  if (list.childElementCount !== all.length) list.replaceChildren(...all.map(() => el("li")));
  all.forEach((r, i) => {
    say(list.children[i], r.text);
    list.children[i].className = r.level === "error" ? "notice bad" : "notice";
  });
}

function showRing(wheel, r) {
  const state = r.usable ? "" : "; it holds nothing that may be issued";
  wheel.show(r, `Ring of ${r.slots} slots: ${words.integer(r.buffered)} of ${words.integer(r.capacity)} UIDs buffered${state}`);
}

// standing is what one wants to know first. One that is not ready cannot go on at all.
function standing(g) {
  const rows = [["Callers waiting", words.integer(g.waiting)]];
  if (g.ready) rows.unshift(["Can go on without the store for", reach(g)]);
  if (g.ring) rows.push(["Buffered", words.integer(g.ring.buffered)]);
  return rows;
}

// reach is how long a generator goes on with what it has.
function reach(g) {
  if (g.segment) return g.segment.lasts > 0 ? words.duration(g.segment.lasts) : `${words.integer(g.segment.buffered)} numbers`;
  if (g.reserved?.endless) return "as long as the layout lasts";
  return words.duration(!g.reserved || g.reserved.usedUp ? 0 : g.reserved.lasts);
}

// positions are for those who look into the ring itself.
function positions(r) {
  if (!r) return [];
  return [
    ["slots", `${r.slots} × ${words.integer(r.perTick)}`, "ticks that the ring can hold, and the UIDs of each"],
    ["cursor", `${r.cursor} + ${words.integer(r.used)}`, "the tick from which UIDs are drawn, and how many of its UIDs are used"],
    ["tail", r.tail, "the first tick that is not in the ring yet"],
  ];
}

// numbers fills a list of terms and values.
function numbers(list, rows) {
  if (list.childElementCount !== rows.length) {
    list.replaceChildren(...rows.map(() => el("div", {}, el("dt"), el("dd"))));
  }
  rows.forEach(([term, value, means], i) => {
    const [dt, dd] = list.children[i].children;
    say(dt, means ? `${term}: ${means}` : term);
    say(dd, value);
  });
}

function showBars(bars, g, state) {
  const show = (label, there, what) => {
    bars[label].element.hidden = !there;
    if (there) bars[label].show(...what());
  };
  const b = g.bounds;
  show("Lead", b, () => {
    // The lead is whole ticks, and the bound counts from now: it may be less by a part of one.
    const bound = b.maxLead < 0 ? "" : ` of ${words.duration(Math.max(b.lead, b.maxLead))}`;
    const share = b.maxLead > 0 ? b.lead / b.maxLead : 0;
    return [`${words.duration(b.lead)}${bound}`, share, share > 0.9 ? "bad" : share > 0.6 ? "warn" : ""];
  });
  show("Lag", b && b.maxLag >= 0, () => {
    const idle = b.lag > b.maxLag && g.ready && g.waiting === 0;
    return [idle ? `idle for ${words.duration(b.lag)}` : `${words.duration(b.lag)} of ${words.duration(b.maxLag)}`, idle ? 0 : Math.min(1, b.lag / b.maxLag)];
  });
  const s = g.segment;
  show("In hand", s, () => {
    const lasts = s.lasts > 0 ? `, for ${words.duration(s.lasts)}` : "";
    return [`${words.integer(s.buffered)} numbers${lasts}; step ${words.integer(s.step)}`, s.level, s.level < 0.1 ? "warn" : ""];
  });
  const r = g.reserved;
  show("Reservation", b, () => {
    if (!r) return ["nothing is reserved", 0, "bad"];
    if (r.endless) return ["as long as the layout lasts", 1];
    if (r.usedUp) return ["it is used up", 0, "bad"];
    if (r.until.ms <= state.now) return ["it has run out", 0, "bad"];
    const share = r.lasts / Math.max(1, r.until.ms - r.from.ms);
    return [`${words.duration(r.lasts)}, until ${words.when(state.now + r.lasts, state.now)}`, share, share < 0.2 ? "warn" : ""];
  });
  show("Lease", g.lease, () => lease(g.lease, state));
}

// lease says how long a lease lasts; its bar runs down from the last renewal. One that is over has
// no bar.
export function lease(l, state) {
  const now = state.now + (state.clock ?? state.workers?.clock ?? 0);
  if (l.state !== "live") return [`${l.released ? "released" : "ran out"} at ${words.when(l.until.ms, now)}`, null];
  const left = l.until.ms - now;
  const share = left / Math.max(1, l.until.ms - l.renewed.ms);
  return [`${words.duration(left)}, until ${words.when(l.until.ms, now)}`, share, share < 0.2 ? "warn" : ""];
}
