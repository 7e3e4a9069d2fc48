// What numbers are called on the page.

export const CERTAINTIES = ["heard", "perhaps", "sounds like"];
export const MEANING = {
  heard: "the recogniser heard this word here",
  perhaps: "it is one of several words that may have been said here",
  "sounds like": "the sounds fit, whatever word the recogniser wrote",
};

// The language of what was said, and what stands between its words.
let spoken = "";
export const setLanguage = (code) => { spoken = code ?? ""; };
export const language = () => spoken || null;
export const gap = () => (spoken.startsWith("zh") ? "" : " ");

// 3723.4 → 1:02:03; with tenths 1:02:03.4
export function clock(seconds, tenths = false) {
  const unit = tenths ? 10 : 1;
  const total = Math.max(0, Math.floor((seconds || 0) * unit + 1e-6)) / unit;
  const h = Math.floor(total / 3600), m = Math.floor(total / 60) % 60, s = total % 60;
  const two = (n) => String(Math.floor(n)).padStart(2, "0");
  const rest = tenths ? `.${Math.floor(s * 10 + 1e-6) % 10}` : "";
  return h ? `${h}:${two(m)}:${two(s)}${rest}` : `${m}:${two(s)}${rest}`;
}

// 3723 → 1 h 2 min
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 60) return `${Math.round(seconds)}\u00a0s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes}\u00a0min`;
  const hours = `${Math.floor(minutes / 60)}\u00a0h`;
  return minutes % 60 ? `${hours} ${minutes % 60}\u00a0min` : hours;
}

export const counted = (n, noun, plural = `${noun}s`) => `${n.toLocaleString("en")} ${n === 1 ? noun : plural}`;

// How well a recording was heard, in a word.
export function heardWord(value) {
  if (value === null || value === undefined) return "not known";
  if (value >= 0.85) return "well";
  return value >= 0.65 ? "fairly" : "poorly";
}

// An amount with two digits; one that rounds to nothing says so.
export function decimal(value) {
  if (value !== 0 && Math.abs(value) < 0.005) return value < 0 ? "> −0.01" : "< 0.01";
  return value.toFixed(2).replace("-", "−");
}

// What the server says, as a sentence of its own.
export function sentence(text) {
  if (!text) return "";
  return text[0].toUpperCase() + text.slice(1) + (/[.?!:]$/.test(text) ? "" : ".");
}

// Speaker, date, collection, length: what is there, in one line.
export function facts(recording) {
  return [recording.speaker, recording.date, recording.collection, duration(recording.seconds)].filter(Boolean).join(" · ");
}
