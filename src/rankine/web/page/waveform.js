// The waveform of a recording with the hits as marks on it. The server draws the peaks: nothing is decoded here.

import { get, recordingPath } from "./api.js";
import { el, icon, styled } from "./dom.js";
import { audio, current, on, seek, skip } from "./player.js";
import { clock } from "./words.js";

const POINTS = 1600;
const HEIGHT = 72;
const MANY = 40; // hits from which marks are drawn thin
const VENDORED = document.documentElement.dataset.waveform === "yes";

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colours = () => ({ waveColor: colour("--wave"), progressColor: colour("--accent"), cursorColor: colour("--ink") });

async function draw(canvas, id, signal) {
  const nonce = document.querySelector("script[nonce]")?.nonce;
  const [{ default: WaveSurfer }, answer] = await Promise.all([
    import("./vendor/wavesurfer.esm.js"), get(`${recordingPath(id)}/peaks`, { points: POINTS }, signal)]);
  if (signal.aborted) return;
  const peaks = [answer.peaks.map(([, high]) => high), answer.peaks.map(([low]) => low)];
  const surfer = WaveSurfer.create({
    container: canvas, media: audio, url: audio.src, peaks, duration: answer.seconds, height: HEIGHT, normalize: true,
    barWidth: 2, barGap: 1, barRadius: 1, cursorWidth: 2, interact: false, hideScrollbar: true, cspNonce: nonce, ...colours(),
  });
  surfer.on("error", () => {}); // the player has the sentence
  addEventListener("themechange", () => surfer.setOptions(colours()), { signal });
  signal.addEventListener("abort", () => surfer.destroy());
}

// The length of the audio, which may go on behind the last word.
const length = (recording) => (current()?.id === recording.id && audio.duration) || recording.seconds || 1;

// A slider over the whole recording: click, drag, or arrow keys.
function slider(recording, signal) {
  const node = el("div", { class: "wave-slider", role: "slider", tabindex: "0", "aria-label": "Position in the recording", "aria-valuemin": "0" });
  const at = (event) => {
    const box = node.getBoundingClientRect();
    seek(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * length(recording));
  };
  node.addEventListener("pointerdown", (event) => { node.setPointerCapture(event.pointerId); at(event); });
  node.addEventListener("pointermove", (event) => { if (event.buttons) at(event); });
  node.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 30, ArrowDown: -30 }[event.key];
    if (step) skip(step);
    else if (event.key === "Home") seek(0);
    else if (event.key === "End") seek(length(recording));
    else return;
    event.preventDefault();
  });
  const tell = () => {
    node.setAttribute("aria-valuemax", String(Math.round(length(recording))));
    node.setAttribute("aria-valuenow", String(Math.round(audio.currentTime)));
    node.setAttribute("aria-valuetext", clock(audio.currentTime));
  };
  on("time", tell, signal);
  on("change", tell, signal);
  tell();
  return node;
}

// The strip of a recording. Without the vendored drawing it is a plain line.
export function waveform(recording, signal) {
  const canvas = el("div", { class: "wave-canvas" });
  const marks = el("div", { class: "wave-marks", "aria-hidden": "true" });
  const strip = el("div", { class: "wave" }, canvas, slider(recording, signal), marks);
  if (VENDORED) draw(canvas, recording.id, signal).catch(() => strip.classList.add("bare"));
  else strip.classList.add("bare");
  const show = (hits, choose) => {
    marks.classList.toggle("many", hits.length > MANY);
    marks.replaceChildren(...hits.map((hit, i) => styled(
      el("span", { class: `wave-mark ${hit.certainty.replace(" ", "-")}`, title: `${clock(hit.start)} ${hit.certainty}`, onclick: () => choose(i) },
        icon(hit.certainty)),
      { "--start": String(hit.start) })));
  };
  const stretch = () => styled(marks, { "--length": String(length(recording)) });
  on("change", stretch, signal);
  stretch();
  return { node: strip, show };
}
