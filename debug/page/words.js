// Numbers, durations and times as a person reads them. Integers come as texts, since they may be
// larger than a number of JavaScript holds.

export const integer = (text) => BigInt(text).toLocaleString();

const small = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const large = new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 4 });

export function rate(perSecond) {
  if (perSecond >= 1e6) return large.format(perSecond);
  return (perSecond >= 10 ? whole : small).format(perSecond);
}

// duration takes milliseconds.
export function duration(ms) {
  if (ms < 0) ms = 0;
  if (ms < 1) return ms === 0 ? "0 s" : `${ms.toPrecision(2)} ms`;
  if (ms < 1000) return `${whole.format(ms)} ms`;
  const s = Math.floor(ms / 1000);
  if (s < 60) return ms % 1000 === 0 || s >= 10 ? `${s} s` : `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (s < 3600) return s % 60 === 0 ? `${s / 60} min` : `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 2 * 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  if (s < 2 * 365 * 86400) return `${whole.format(Math.floor(s / 86400))} days`;
  return `${whole.format(Math.floor(s / (365.25 * 86400)))} years`;
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "long" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const farthest = 8.64e15; // the last time that a Date can hold

// An instant is {ms, text}; the text serves beyond what a Date can hold.
export const date = (at) => (Math.abs(at.ms) > farthest ? at.text : day.format(at.ms));
export const fullTime = (at) => (Math.abs(at.ms) > farthest ? at.text : full.format(at.ms));
export const timeOfDay = (ms) => clock.format(ms);

// when is the time of day if that is clear, and else the date with it.
export function when(ms, now) {
  return Math.abs(now - ms) < 12 * 3600e3 ? clock.format(ms) : `${day.format(ms)}, ${clock.format(ms)}`;
}

export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
