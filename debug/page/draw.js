// What is drawn: elements, bars, the ring and the chart. Texts become text nodes, never markup.

// el makes an element. Attributes that are undefined are left out.
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

// say sets a text, and leaves the element alone if it has that text: a screen reader would read
// it again.
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// A bar has a label, words, and a level between 0 and 1; without a level, null, only words.
export function bar(label) {
  const words = el("span", { class: "value" });
  const level = el("div", { class: "level" });
  const meter = el("div", { class: "meter", role: "meter", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 100 }, level);
  const element = el("div", { class: "bar" }, el("span", { class: "label" }, label), words, meter);
  return {
    element,
    show(text, share, mood = "") {
      say(words, text);
      meter.hidden = share === null;
      share = Math.min(1, Math.max(0, share));
      level.style.setProperty("--level", share);
      element.dataset.mood = mood;
      meter.setAttribute("aria-valuenow", Math.round(100 * share));
      meter.setAttribute("aria-valuetext", text);
    },
  };
}

const radius = 62;
const circumference = 2 * Math.PI * radius;

// arc is a part of the circle, in turns clockwise from the top.
function arc(name, from, to) {
  const length = Math.max(0, to - from) * circumference;
  return svg("circle", {
    class: name, cx: 80, cy: 80, r: radius, fill: "none", transform: `rotate(${360 * from - 90} 80 80)`,
    "stroke-dasharray": `${length} ${circumference - length}`,
  });
}

const mostSlots = 64; // that are drawn one by one

// ring draws the slots: filled where UIDs are buffered, with a mark for the cursor and one for the
// tail.
export function ring() {
  const picture = svg("svg", { viewBox: "0 0 160 160", class: "ring", role: "img" });
  const level = svg("text", { x: 80, y: 82, class: "ring-level" });
  const unit = svg("text", { x: 80, y: 100, class: "ring-unit" });
  unit.append("buffered");
  return {
    element: picture,
    show(v, words) {
      const turn = (slot) => slot / v.slots;
      const gap = v.slots > mostSlots ? 0 : Math.min(0.008, 0.15 / v.slots);
      const arcs = [];
      if (v.slots > mostSlots) {
        arcs.push(arc("slot", 0, 1));
        const from = turn(v.at) + turn(v.ready > 0 ? 1 - v.front : 0);
        arcs.push(arc("slot full", from, from + turn(Math.max(0, v.ready - 1 + v.front))));
      } else {
        for (let i = 0; i < v.slots; i++) {
          const ahead = (i - v.at + v.slots) % v.slots; // slots from the cursor to this one
          arcs.push(arc("slot", turn(i) + gap, turn(i + 1) - gap));
          if (ahead < v.ready) {
            const used = ahead === 0 ? 1 - v.front : 0;
            arcs.push(arc("slot full", turn(i) + gap + used * (turn(1) - 2 * gap), turn(i + 1) - gap));
          }
        }
      }
      const mark = (name, slot, path) => svg("path", { class: name, d: path, transform: `rotate(${360 * turn(slot)} 80 80)` });
      arcs.push(mark("tail", v.at + v.ready, "M80 4V34"));
      arcs.push(mark("cursor", v.at + (v.ready > 0 ? 1 - v.front : 0), "M74 0h12l-6 10z"));
      const share = Number((BigInt(v.buffered) * 1000n) / (BigInt(v.capacity) || 1n)) / 10;
      say(level, `${Math.round(share)} %`);
      picture.replaceChildren(...arcs, level, unit);
      picture.setAttribute("aria-label", words);
    },
  };
}

export const span = 5 * 60e3; // ms that the chart shows

// top rounds up to 1, 2 or 5 times a power of ten.
function top(rate) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rate)));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rate);
}

// chart draws rates of the last minutes. Averages over long times, when nobody looked, are dashed.
export function chart(format) {
  const picture = svg("svg", { viewBox: "0 0 300 100", class: "chart", role: "img", preserveAspectRatio: "none" });
  const high = el("span", { class: "high" });
  const element = el("div", { class: "plot" }, high, picture,
    el("span", { class: "ago" }, "5 min ago"), el("span", { class: "now" }, "now"));
  return {
    element,
    show(points, now) {
      const most = top(Math.max(0, ...points.map((p) => p[2])));
      const x = (t) => (300 * Math.max(0, span - (now - t))) / span;
      const y = (rate) => 98 - (94 * rate) / most;
      let line = "", dashed = "", area = "";
      for (const [from, to, rate] of points) {
        const step = `${x(from).toFixed(2)} ${y(rate).toFixed(2)}L${x(to).toFixed(2)} ${y(rate).toFixed(2)}`;
        if (to - from > 5000) {
          dashed += `M${step}`;
          line += `M${x(to).toFixed(2)} ${y(rate).toFixed(2)}`;
        } else {
          line += (line === "" ? "M" : "L") + step;
        }
        area += (area === "" ? `M${x(from).toFixed(2)} 98L` : "L") + step;
      }
      if (area !== "") area += `L${x(points.at(-1)[1]).toFixed(2)} 98Z`;
      picture.replaceChildren(
        svg("path", { class: "grid", d: "M0 4H300M0 51H300M0 98H300" }),
        svg("path", { class: "area", d: area }), svg("path", { class: "line", d: line }), svg("path", { class: "line dashed", d: dashed }));
      say(high, `${format(most)}/s`);
      const rates = points.map((p) => p[2]);
      picture.setAttribute("aria-label", rates.length === 0 ? "No rates yet"
        : `Rate of the last five minutes: ${format(rates.at(-1))} a second now, at most ${format(Math.max(...rates))}`);
    },
  };
}
