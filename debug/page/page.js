// The page asks for the state twice a second, while it is visible, and draws it.

import { card } from "./card.js";
import { decoder } from "./decode.js";
import { say } from "./draw.js";
import { table } from "./table.js";
import * as words from "./words.js";

const part = (id) => document.getElementById(id);
const cards = new Map();
const workers = table(part("workers").tBodies[0], part("workers-note"), part("namespaces"));
decoder(part("decode"), part("uid"), part("uid-problem"), part("decoded"));
say(part("zone"), words.zone());

let handler = ""; // of the newest state: another one is another process
let since = 0; // points of history that are here
let every = 500; // ms
let turns = 0;
let timer;
let busy = false;
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
}

function show(state) {
  every = state.every;
  since = state.next;
  document.title = state.title;
  say(part("title"), state.title);
  part("generators-part").hidden = state.generators.length === 0;
  part("decode-part").hidden = !state.decodes;
  part("workers-part").hidden = !state.workers;
  for (const g of state.generators) {
    if (!cards.has(g.name)) {
      cards.set(g.name, card(g.name, cards.size));
      part("generators").append(cards.get(g.name).element);
    }
    cards.get(g.name).show(g, state);
  }
  if (state.workers) showStore(state);
}

// showStore tells of an outage of the workers' store, and of its end. It says only what stays, so
// that it is read aloud once.
function showStore(state) {
  const w = state.workers;
  const notice = part("store");
  if (w.status === "down") {
    wasDown = true;
    const until = state.generators.filter((g) => g.ready && g.reserved && !g.reserved.endless)
      .map((g) => `${g.name} until ${words.timeOfDay(state.now + g.reserved.lasts)}`);
    const goOn = until.length > 0 ? ` Generators go on with what is reserved: ${until.join(", ")}.` : "";
    say(notice, `The store of the worker IDs does not answer, since ${words.timeOfDay(w.since)}: ${w.failure}.${goOn}`);
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
