// One audio element for the whole page: what plays goes on while the reader moves from hits to the recording.

import { listenAddress } from "./address.js";
import { get, recordingPath } from "./api.js";
import { byId, el, hidden, icon } from "./dom.js";
import { clock, sentence } from "./words.js";

export const audio = el("audio", { preload: "metadata" });
const events = new EventTarget();
const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2];
const STEP = 5;

let recording = null; // what is loaded
let trouble = ""; // why it does not play

export const current = () => recording;
export const problem = () => trouble;
export const on = (name, listener, signal) => events.addEventListener(name, listener, { signal });
const tell = (name) => events.dispatchEvent(new Event(name));

for (const name of ["play", "pause", "ended", "ratechange", "loadedmetadata"]) audio.addEventListener(name, () => tell("change"));
for (const name of ["timeupdate", "seeking"]) audio.addEventListener(name, () => tell("time"));

audio.addEventListener("error", async () => {
  if (!recording || !audio.getAttribute("src")) return;
  const about = await get(recordingPath(recording.id)).catch((error) => ({ audio: { message: error.message } }));
  trouble = sentence(about.audio?.message) || "The browser cannot play this recording.";
  tell("change");
});

// Makes a recording the one that plays; the second is where it begins.
export function load(next, second = null) {
  if (recording?.id !== next.id) {
    recording = next;
    trouble = "";
    const speed = audio.playbackRate;
    audio.src = `${recordingPath(next.id)}/audio`;
    audio.defaultPlaybackRate = audio.playbackRate = speed;
    tell("load");
  }
  if (second !== null) seek(second);
}

export function seek(second) {
  audio.currentTime = Math.max(0, second);
  tell("time");
}

export function playAt(next, second) {
  load(next, second);
  return play();
}

export async function play() {
  try {
    await audio.play();
  } catch (error) {
    if (error.name !== "AbortError") tell("change"); // the error event has the sentence
  }
}

export function toggle() {
  if (!recording) return;
  if (audio.paused) play();
  else audio.pause();
}

export const skip = (seconds) => recording && seek(Math.min(audio.currentTime + seconds, audio.duration || Infinity));

export function faster(steps) {
  const at = SPEEDS.indexOf(audio.playbackRate);
  const next = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, (at < 0 ? SPEEDS.indexOf(1) : at) + steps))];
  audio.playbackRate = next;
}

export function unload() {
  audio.pause();
  audio.removeAttribute("src");
  recording = null;
  tell("load");
}

// Play, five seconds back and on, the time and the speed; drawn anew as the audio changes.
export function controls(signal) {
  const button = el("button", { type: "button", class: "round play", onclick: toggle });
  const time = el("span", { class: "time" });
  const speed = el("select", { "aria-label": "Speed", class: "speed", onchange: () => { audio.playbackRate = Number(speed.value); } },
    SPEEDS.map((x) => el("option", { value: String(x), text: `${x}×` })));
  const step = (seconds, text, label) => el("button", { type: "button", class: "plain step", onclick: () => skip(seconds), "aria-label": label, text });
  const draw = () => {
    button.replaceChildren(icon(audio.paused ? "play" : "pause"), hidden(audio.paused ? "Play" : "Pause"));
    speed.value = String(audio.playbackRate);
  };
  const tick = () => {
    const length = audio.duration || recording?.seconds || 0;
    time.textContent = `${clock(audio.currentTime)} / ${clock(length)}`;
  };
  on("change", () => { draw(); tick(); }, signal);
  on("time", tick, signal);
  draw();
  tick();
  return el("div", { class: "controls" },
    step(-STEP, "−5", "Back 5 seconds"), button, step(STEP, "+5", "On 5 seconds"), time, speed);
}

// The player at the lower edge, on every view but the recording's own.
export function startDock() {
  const dock = byId("dock");
  const link = el("a", { class: "dock-title", href: "/" });
  const said = el("p", { class: "trouble" });
  const place = () => recording && listenAddress(recording.id, { t: audio.currentTime, q: recording.query ?? "" });
  link.addEventListener("pointerdown", () => { link.href = place() ?? "/"; });
  link.addEventListener("focus", () => { link.href = place() ?? "/"; });
  dock.append(el("div", { class: "dock-row" }, link, said, controls(),
    el("button", { type: "button", class: "plain", onclick: unload, "aria-label": "Close the player" }, icon("close"))), audio);
  const draw = () => {
    dock.hidden = !recording || document.body.dataset.view === "listen";
    document.body.classList.toggle("docked", !dock.hidden);
    link.textContent = recording?.title || recording?.id || "";
    said.textContent = trouble;
    said.hidden = !trouble;
  };
  on("load", draw);
  on("change", draw);
  addEventListener("viewchange", draw);
}
