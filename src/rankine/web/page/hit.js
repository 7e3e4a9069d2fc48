// A hit: a place in a recording, with the line of words around it, marked by certainty.

import { listenAddress } from "./address.js";
import { get, recordingPath } from "./api.js";
import { copy, el, hidden, icon, toast } from "./dom.js";
import { audio, current, playAt } from "./player.js";
import { why } from "./why.js";
import { clock, gap, language } from "./words.js";

// The certainty as a shape and a word.
export const tag = (certainty) => el("span", { class: `tag ${certainty.replace(" ", "-")}` }, icon(certainty), certainty);

// The certainty of a hit; where it is not heard, what speaks for it is written too.
export const certainty = (hit) => [tag(hit.certainty), hit.certainty === "heard" || !hit.evidence ? null : el("span", { class: "evidence", text: hit.evidence })];

// The line: matched words underlined by certainty; a word whose certainty is not the hit's own has it written behind it.
export function line(hit) {
  const parts = hit.line.flatMap((word, i) => {
    const space = i ? gap() : "";
    if (!word.mark) return [space + word.text];
    const mark = el("mark", { class: word.mark.replace(" ", "-"), text: word.text });
    const note = word.mark === hit.certainty ? hidden(` (${word.mark})`) : el("small", { class: "mark-note", text: word.mark });
    return [space, mark, note];
  });
  return el("p", { class: "line", lang: language() }, parts);
}

export async function cite(id, second) {
  try {
    const { text } = await get(`${recordingPath(id)}/citation`, { t: second });
    await copy(text, "Copied");
  } catch (error) {
    toast(error.message);
  }
}

export const clipAddress = (id, start, end) => `${recordingPath(id)}/clip?start=${start.toFixed(2)}&end=${end.toFixed(2)}`;

function actions(hit, recording, query, panel) {
  const address = new URL(listenAddress(recording.id, { t: hit.play_from, q: query }), location.origin).href;
  const button = el("button", { type: "button", class: "quiet", "aria-expanded": "false", "aria-controls": panel.id, text: "Why" });
  button.addEventListener("click", () => {
    const open = panel.hidden;
    panel.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open && !panel.hasChildNodes()) why(panel, query, hit);
  });
  return el("div", { class: "hit-actions" }, button,
    el("button", { type: "button", class: "quiet", text: "Copy link", onclick: () => copy(address, "Copied") }),
    el("button", { type: "button", class: "quiet", text: "Cite", onclick: () => cite(recording.id, hit.start) }),
    recording.has_audio && el("a", { class: "quiet", text: "Clip", download: "", href: clipAddress(recording.id, hit.play_from, hit.end + 1) }));
}

let panels = 0;

// A hit with its buttons. Elsewhere on the page hits are found by their class, in the order of the page.
export function hitNode(hit, recording, query) {
  const panel = el("div", { class: "why", id: `why-${(panels += 1)}`, hidden: true });
  const at = clock(hit.start, recording.seconds < 600);
  const play = recording.has_audio
    ? el("button", { type: "button", class: "round play-hit", "aria-label": `Play from ${clock(hit.play_from, true)}, one second before` }, icon("play"))
    : el("span", { class: "round silent", title: "This recording has no audio" });
  const node = el("li", { class: "hit", "data-place": hit.place }, play,
    el("div", { class: "hit-body" },
      el("div", { class: "hit-head" },
        el("a", { class: "at", href: listenAddress(recording.id, { t: hit.play_from, q: query }), "aria-label": `${at}, open the recording here`, text: at }), certainty(hit)),
      line(hit), actions(hit, recording, query, panel), panel));
  play.addEventListener?.("click", () => {
    const here = node.classList.contains("playing") && !audio.paused;
    if (here) audio.pause();
    else startHit(node, hit, recording, query);
  });
  node.startHit = () => startHit(node, hit, recording, query);
  return node;
}

function startHit(node, hit, recording, query) {
  if (!recording.has_audio) return;
  document.querySelectorAll(".hit.playing").forEach((other) => other.classList.remove("playing"));
  node.classList.add("playing");
  playAt({ ...recording, query }, hit.play_from);
}

// Buttons of hits show what the audio does.
export function drawPlaying() {
  for (const node of document.querySelectorAll(".hit .play-hit")) {
    const playing = node.parentElement.classList.contains("playing") && !audio.paused && Boolean(current());
    if (playing !== (node.dataset.playing === "yes")) {
      node.dataset.playing = playing ? "yes" : "";
      node.replaceChildren(icon(playing ? "pause" : "play"));
    }
  }
}
