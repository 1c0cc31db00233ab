// The field that takes a UID apart. The server does it; this draws the answer.

import { el, say } from "./draw.js";
import * as words from "./words.js";

export function decoder(form, input, problem, result) {
  let asked = 0;
  async function ask() {
    const mine = ++asked;
    let answer;
    try {
      const response = await fetch(`decode?uid=${encodeURIComponent(input.value)}`, { cache: "no-store" });
      answer = await response.json();
    } catch {
      answer = { error: "the program does not answer" };
    }
    if (mine !== asked) return;
    say(problem, answer.error ? `${answer.error[0].toUpperCase()}${answer.error.slice(1)}.` : "");
    input.setAttribute("aria-invalid", Boolean(answer.error));
    result.replaceChildren(...(answer.readings ?? []).map((r, _, all) => reading(r, all.length > 1)));
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
}

function reading(r, oneOfMany) {
  const facts = el("dl", { class: "facts" });
  const fact = (term, ...value) => facts.append(el("div", {}, el("dt", {}, term), el("dd", {}, ...value)));
  const element = el("div", { class: "panel reading" });
  if (oneOfMany) {
    const of = r.generators.length > 0 ? `, by the layout of ${r.generators.join(", ")}` : "";
    element.append(el("h3", {}, `Read as ${r.form}${of}`));
  }
  if (r.problem) {
    element.append(el("p", { class: "problem" }, `${r.problem}.`));
    return element;
  }
  if (r.doubt) element.append(el("p", { class: "notice" }, `${r.doubt}.`));
  element.append(bitsOf(r.fields));
  fact("Time", words.fullTime(r.time), el("span", { class: "quiet" }, r.time.text));
  fact("Worker", r.worker, ...holders(r));
  fact("Sequence", words.integer(r.sequence));
  fact("Decimal", el("code", {}, r.decimal));
  fact("Base32", el("code", {}, r.base32));
  fact("Layout", r.layout);
  element.append(facts);
  return element;
}

// bitsOf draws the bits, each field with its name and value beside them.
function bitsOf(fields) {
  return el("ul", { class: "bits", "aria-label": "Bits, the highest first" }, ...fields.map((f) =>
    el("li", { class: "field", "data-kind": f.kind },
      el("span", { class: "name" }, f.name),
      el("span", { class: "cells", "aria-hidden": "true" }, ...[...f.bits].map((bit) => el("span", { "data-bit": bit }, bit))),
      el("span", { class: "value" }, f.kind === "unused" ? "" : words.integer(f.value), " ",
        el("span", { class: "quiet" }, f.bits.length === 1 ? "1 bit" : `${f.bits.length} bits`)))));
}

function holders(r) {
  const lines = r.own.map((name) => `This program's generator ${name} has it now.`);
  for (const l of r.leases) {
    const who = l.holder || "a holder that is not shown";
    const of = `in the namespace ${l.namespace}`;
    if (l.state !== "live") {
      lines.push(`Nobody holds it ${of}; ${who} had it last.`);
    } else {
      lines.push(`${who} holds it ${of}, since ${words.when(l.acquired.ms, Date.now())}.`);
    }
    if (!l.since) lines.push("That was after this UID's time: somebody before has made it.");
  }
  if (r.listed && r.leases.length === 0 && r.own.length === 0) lines.push("No lease of it is known.");
  return lines.map((line) => el("span", { class: "quiet" }, line));
}
