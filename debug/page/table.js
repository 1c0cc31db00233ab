// The table of workers, and the list of those that are free. Rows are kept, and filled anew.

import { bar, el, say } from "./draw.js";
import { lease } from "./card.js";
import * as words from "./words.js";

const columns = ["Worker", "Namespace", "State", "Holder", "Lease", "Renewed", "Held since"];

function row() {
  const cells = columns.map((label, i) => el(i === 0 ? "th" : "td",
    { "data-label": label, role: i === 0 ? "rowheader" : "cell", scope: i === 0 ? "row" : undefined }));
  const state = el("span", { class: "state" });
  cells[2].append(state);
  const left = bar("Lease");
  cells[4].append(left.element);
  const element = el("tr", { role: "row" }, ...cells);
  return {
    element,
    show(l, list) {
      const now = list.now + list.clock;
      say(cells[0], l.worker);
      say(cells[1], l.namespace);
      say(state, l.state);
      state.dataset.state = l.state;
      say(cells[3], list.hidden ? "not shown" : l.holder ?? "");
      left.show(...lease(l, list));
      say(cells[5], words.when(l.renewed.ms, now));
      say(cells[6], words.when(l.acquired.ms, now));
    },
  };
}

const isFree = (l) => l.state === "free"; // the next worker may get the ID

function freed(l, list) {
  const last = list.hidden || !l.holder ? "" : `; ${l.holder} had it last`;
  return `${l.worker} in ${l.namespace}, since ${words.when(l.until.ms, list.now + list.clock)}${last}`;
}

export function table(body, note, namespaces, fold) {
  const rows = [];
  const summary = el("summary"), free = el("ul");
  fold.append(summary, free);
  return {
    show(list) {
      if (!list.read) {
        say(note, "The list is being read.");
        return;
      }
      const more = list.more > 0 ? ` ${words.integer(list.more)} more are not shown.` : "";
      const own = list.own.length > 0 ? `; this program has ${list.own.map(words.integer).join(", ")}` : "";
      const given = list.disposable ? ` The last disposable ID is ${words.integer(list.disposable)}${own}.` : "";
      say(note, list.leases.length === 0 ? `Nobody holds a worker ID.${given}` : `Who holds which worker ID, by the store.${more}${given}`);
      const taken = list.leases.filter((l) => !isFree(l));
      body.parentElement.hidden = taken.length === 0;
      while (rows.length > taken.length) rows.pop().element.remove();
      while (rows.length < taken.length) {
        rows.push(row());
        body.append(rows.at(-1).element);
      }
      taken.forEach((l, i) => rows[i].show(l, list));
      const old = list.leases.filter(isFree);
      fold.hidden = old.length === 0;
      say(summary, `${words.integer(old.length)} free`);
      lines(free, old.map((l) => freed(l, list)));

      const texts = list.namespaces.map((n) => `${n.name}: ${n.live} live, ${n.quarantined} in quarantine, ${n.free} free${n.ids ? `, of IDs ${n.ids}` : ""}`);
      lines(namespaces, texts, "chip");
    },
  };
}

// lines fills a list with texts.
function lines(list, texts, name) {
  if (texts.length !== list.childElementCount) list.replaceChildren(...texts.map(() => el("li", { class: name })));
  texts.forEach((text, i) => say(list.children[i], text));
}
