// The page asks for the state twice a second, while it is visible, and draws it.

import { card } from "./card.js";
import { decoder } from "./decode.js";
import { say } from "./draw.js";
import { table } from "./table.js";
import * as words from "./words.js";

const part = (id) => document.getElementById(id);
const cards = new Map();
const workers = table(part("workers").tBodies[0], part("workers-note"), part("namespaces"), part("free"));
decoder(part("decode"), part("uid"), part("uid-problem"), part("decoded"));
say(part("zone"), words.zone());

let handler = ""; // of the newest state: another one is another process
let since = 0; // points of history that are here
let every = 500; // ms
let turns = 0;
let timer;
let busy = false;
let made = 0; // cards
let lastAnswer = Date.now();
let wasDown = false;

async function get(what) {
  const response = await fetch(what, { cache: "no-store", signal: AbortSignal.timeout(5000) });
  if (!response.ok) throw new Error(`${what}: ${response.status}`);
  return response.json();
}

async function turn() {
  clearTimeout(timer);
  if (busy || document.hidden) return; // visibilitychange calls again
  busy = true;
  const began = performance.now();
  try {
    const state = await get(`state?since=${since}`);
    if (handler && state.handler !== handler) {
      since = 0;
      for (const c of cards.values()) c.forget();
      handler = "";
    } else {
      handler = state.handler;
      show(state);
      if (state.workers && turns++ % 4 === 0) workers.show(await get("workers"));
      lastAnswer = Date.now();
      connected(true);
    }
  } catch {
    connected(false);
  }
  busy = false;
  timer = setTimeout(turn, Math.max(0, every - (performance.now() - began)));
}

function connected(is) {
  const pill = part("connection");
  pill.dataset.mood = is ? "good" : "bad";
  say(pill, is ? "Live" : `The program has not answered since ${words.timeOfDay(lastAnswer)}`);
  if (is) return;
  for (const c of cards.values()) c.gone();
  say(part("store"), "");
  part("workers-part").classList.add("old");
}

function show(state) {
  every = state.every;
  since = state.next;
  document.title = state.title;
  say(part("title"), state.title);
  part("generators-part").hidden = state.generators.length === 0;
  part("decode-part").hidden = !state.decodes;
  part("workers-part").hidden = !state.workers;
  for (const [name, c] of cards) { // of the process before
    if (state.generators.some((g) => g.name === name)) continue;
    c.element.remove();
    cards.delete(name);
  }
  // Those that are not ready come first.
  state.generators.toSorted((a, b) => a.ready - b.ready).forEach((g, i) => {
    if (!cards.has(g.name)) cards.set(g.name, card(g.name, made++));
    const { element } = cards.get(g.name);
    const at = part("generators").children[i] ?? null;
    if (at !== element) part("generators").insertBefore(element, at);
    cards.get(g.name).show(g, state);
  });
  if (state.workers) showStore(state);
}

// showStore tells of an outage of the workers' store, and of its end. It says only what stays, so
// that it is read aloud once; what the outage means for a generator stands in its card.
function showStore(state) {
  const w = state.workers;
  const notice = part("store");
  if (w.status === "down") {
    wasDown = true;
    say(notice, `The store of the worker IDs does not answer, since ${words.timeOfDay(w.since)}: ${w.failure}.`);
    notice.dataset.mood = "bad";
  } else if (w.status === "up" && wasDown) {
    wasDown = false;
    say(notice, `The store of the worker IDs answers again, since ${words.timeOfDay(w.good)}.`);
    notice.dataset.mood = "good";
  }
  part("workers-part").classList.toggle("old", w.status === "down");
}

document.addEventListener("visibilitychange", turn);
turn();
