// A recording: player with waveform, the hits of a query beside it, the transcript that follows.

import { amend, listenAddress, searchAddress } from "./address.js";
import { archive, get, recordingPath } from "./api.js";
import { copy, el, icon } from "./dom.js";
import { certainty, cite, clipAddress, line } from "./hit.js";
import { menu } from "./menu.js";
import { audio, controls, current, load, on, play, problem, seek } from "./player.js";
import { Transcript, alternatives } from "./transcript.js";
import { waveform } from "./waveform.js";
import { why } from "./why.js";
import { clock, counted, facts, heardWord, sentence } from "./words.js";

const MOST = 100; // hits of a recording that are asked for
const CLIP = 10; // seconds of a clip around the place that plays
const calm = matchMedia("(prefers-reduced-motion: reduce)");

let steps = null; // the hits of the view, for the keys n and p
export const stepHit = (step) => steps?.(step);

const here = (about, q) => new URL(listenAddress(about.id, { t: audio.currentTime, q }), location.origin).href;

function exportMenu(about, q) {
  const base = recordingPath(about.id);
  const entries = [
    { text: "Citation", note: "copied, with the time", act: () => cite(about.id, audio.currentTime) },
    { text: "Link to this second", note: "copied", act: () => copy(here(about, q), "Copied") },
    { text: "Subtitles", note: "WebVTT", href: `${base}/subtitles.vtt` },
    { text: "Subtitles", note: "SubRip", href: `${base}/subtitles.srt` },
  ];
  if (about.audio?.state === "ok") entries.push({ text: "Clip", note: `WAV, ${CLIP} s from here`, act: () => {
    const link = el("a", { href: clipAddress(about.id, audio.currentTime, Math.min(about.seconds, audio.currentTime + CLIP)), download: "" });
    document.body.append(link);
    link.click();
    link.remove();
  } });
  return menu("Export", entries);
}

function head(about, q) {
  return el("header", { class: "listen-head" },
    el("p", { class: "crumb" }, el("a", { href: q ? searchAddress({ q }) : "/recordings" }, icon("back"), q ? `All places for ${q}` : "All recordings")),
    el("h1", { text: about.title || about.id }),
    el("p", { class: "facts", text: [facts(about), about.heard === null ? "" : `heard ${heardWord(about.heard)} (${about.heard.toFixed(2)})`].filter(Boolean).join(" · ") }));
}

// The hits of the query in this recording, as an index beside the player.
function hitList(hits, query, choose) {
  return el("ol", { class: "index" }, hits.map((hit, i) => {
    const panel = el("div", { class: "why", id: `index-why-${i}`, hidden: true });
    const button = el("button", { type: "button", class: "quiet", "aria-expanded": "false", "aria-controls": panel.id, text: "Why", onclick: () => {
      panel.hidden = !panel.hidden;
      button.setAttribute("aria-expanded", String(!panel.hidden));
      if (!panel.hasChildNodes()) why(panel, query, hit);
    } });
    return el("li", { class: "index-hit" },
      el("div", { class: "hit-head" }, el("button", { type: "button", class: "at", "aria-label": `${clock(hit.start)}, play hit ${i + 1}`, text: clock(hit.start), onclick: () => choose(i) }), certainty(hit), button),
      line(hit), panel);
  }));
}

function details(about) {
  const rows = Object.entries(about.fields ?? {}).filter(([, values]) => values.length);
  if (about.heard_by?.length) rows.push(["recogniser", about.heard_by]);
  if (!rows.length) return null;
  return el("details", { class: "about" }, el("summary", { text: "About this recording" }),
    el("dl", {}, rows.map(([name, values]) => el("div", {}, el("dt", { text: name }), el("dd", { text: values.join(", ") })))));
}

// The player at the top of the view, or a sentence where there is nothing to play.
function playerBox(about, hits, choose, q, signal) {
  if (about.audio?.state !== "ok") {
    return { node: el("div", { class: "player" }, el("div", { class: "player-row" }, el("p", { class: "trouble", text: sentence(about.audio?.message) || "This recording has no audio in the archive." }), exportMenu(about, q))), show: () => {} };
  }
  const wave = waveform(about, signal);
  const missing = sentence(about.audio.message); // of several files some may not be there
  const said = el("p", { class: "trouble", hidden: !missing, text: missing });
  const number = el("span", { class: "hit-number" });
  const step = (by, name, text) => el("button", { type: "button", class: "plain", "aria-label": text, onclick: () => stepHit(by) }, icon(name));
  const around = el("div", { class: "hit-steps" }, step(-1, "back", "Previous hit"), number, step(1, "next", "Next hit"));
  const node = el("section", { class: "player", "aria-label": "Player" }, wave.node,
    el("div", { class: "player-row" }, controls(signal), around, exportMenu(about, q)), said);
  on("change", () => {
    said.textContent = problem() || missing;
    said.hidden = !said.textContent;
  }, signal);
  const show = (list, at) => {
    wave.show(list, choose);
    around.hidden = !list.length;
    number.textContent = at === null ? counted(list.length, "hit") : `hit ${at + 1} of ${list.length}`;
  };
  return { node, show };
}

// Keeps the transcript at the word that plays, until the reader scrolls by hand.
function followAudio(transcript, q, about, signal) {
  let following = true;
  const button = el("button", { type: "button", class: "follow primary", hidden: true, text: "Follow the audio", onclick: () => set(true) });
  const set = (on_) => {
    following = on_;
    button.hidden = on_ || audio.paused;
    if (on_) transcript.show(audio.currentTime, !calm.matches);
  };
  const tick = () => {
    const node = transcript.follow(audio.currentTime);
    if (!following || !node || audio.paused) return;
    const box = node.getBoundingClientRect();
    if (box.top < 240 || box.bottom > innerHeight - 120) node.scrollIntoView({ block: "center", behavior: calm.matches ? "instant" : "smooth" });
  };
  let frame = 0;
  const loop = () => {
    tick();
    if (!audio.paused) frame = requestAnimationFrame(loop);
  };
  on("time", tick, signal);
  on("change", () => {
    cancelAnimationFrame(frame);
    loop();
    button.hidden = following || audio.paused;
    if (audio.paused) amend(listenAddress(about.id, { t: audio.currentTime, q: q() }));
  }, signal);
  for (const name of ["wheel", "touchmove"]) addEventListener(name, () => !audio.paused && set(false), { signal, passive: true });
  signal.addEventListener("abort", () => cancelAnimationFrame(frame));
  return { button, jump: (second) => { following = true; button.hidden = true; return transcript.show(second, !calm.matches); } };
}

// The column beside the transcript: a field for this recording, its hits, what is known of it.
function sideColumn(about, parameters, find) {
  const input = el("input", { type: "search", id: "find", value: parameters.q, placeholder: "Find in this recording", autocomplete: "off", spellcheck: "false", maxlength: "500" });
  const place = el("div", { class: "index-place", "aria-live": "polite" });
  const node = el("aside", { class: "side", "aria-label": "Hits in this recording" },
    el("form", { class: "find", onsubmit: (event) => { event.preventDefault(); find(input.value.trim()); } },
      el("label", { class: "hidden", for: "find", text: "Find in this recording" }), input),
    place, details(about));
  return { node, place };
}

function headline(count, q) {
  if (!count) return `No place for ${q}`;
  return count < MOST ? `${counted(count, "place")} for ${q}` : `The ${MOST} best places for ${q}`;
}

async function hitsOf(id, q, signal) {
  if (!q) return [];
  const answer = await get("/search", { q, recording: id, k: 1, per_recording: MOST, sort: "time" }, signal);
  return answer.groups[0]?.hits ?? [];
}

export async function drawListen(view, parameters, signal) {
  const firstHits = hitsOf(parameters.id, parameters.q, signal); // asked for at once, so that all is drawn in one go
  firstHits.catch(() => {}); // said beside the transcript
  const [about] = await Promise.all([get(recordingPath(parameters.id), {}, signal), archive()]);
  if (signal.aborted) return;
  document.title = about.title || about.id;
  if (about.audio?.state === "ok") begin(about, parameters); // before the waveform, which takes the audio as it is
  let hits = [], at = null, q = parameters.q;
  const certaintyOf = (word) => hits.find((hit) => word.start < hit.end - 0.02 && word.end > hit.start + 0.02)?.certainty;
  const start = (second) => {
    if (about.audio?.state === "ok") { seek(second); play(); }
    follow.jump(second);
  };
  const transcript = new Transcript(about, { certainty: certaintyOf, play: (second) => { at = null; showHits(); start(second); } }, signal);
  alternatives(transcript, signal);
  const follow = followAudio(transcript, () => q, about, signal);
  const choose = (i) => { at = i; showHits(); start(hits[i].play_from); };
  const player = playerBox(about, hits, choose, q, signal);
  const find = async (text) => {
    q = text;
    amend(listenAddress(about.id, { t: audio.currentTime, q }));
    await findHits(hitsOf(about.id, q, signal));
  };
  const side = sideColumn(about, parameters, find);
  const showHits = () => {
    player.show(hits, at);
    [...side.place.querySelectorAll(".index-hit")].forEach((node, i) => node.classList.toggle("at-hit", i === at));
  };
  const findHits = async (asked) => {
    try {
      hits = await asked;
      at = null;
      side.place.replaceChildren(q ? el("h2", { text: headline(hits.length, q) }) : el("p", { class: "hint", text: "Words that you look for here are marked in the transcript and on the waveform." }), hitList(hits, q, choose));
    } catch (error) {
      if (error.name === "AbortError") return;
      hits = [];
      side.place.replaceChildren(el("p", { class: "trouble", text: error.message }));
    }
    showHits();
    transcript.markAll();
  };
  steps = (by) => hits.length && choose(at === null ? nearest(hits, audio.currentTime, by) : (at + by + hits.length) % hits.length);
  signal.addEventListener("abort", () => { steps = null; });
  player.show([], null);
  await findHits(firstHits);
  if (signal.aborted) return;
  view.replaceChildren(head(about, q), player.node,
    el("div", { class: "columns listen" }, el("section", { class: "text", "aria-label": "What was said" },
      readable(about) ? transcript.node : el("p", { class: "empty", text: unread(about) }), follow.button), side.node));
  if (parameters.t && readable(about)) await transcript.show(Number(parameters.t), false);
}

const readable = (about) => about.seconds && (about.rights ?? "open") === "open";
const unread = (about) => (about.seconds ? "What was said in this recording is given on request." : "Nothing has been recognised in this recording yet.");

// The recording that plays goes on; another begins where the address says.
function begin(about, parameters) {
  const second = Number(parameters.t) || 0;
  const same = current()?.id === about.id && (!parameters.t || Math.abs(audio.currentTime - second) < 3);
  load(about, same ? null : second);
}

function nearest(hits, second, by) {
  const after = hits.findIndex((hit) => hit.start > second);
  if (by > 0) return after < 0 ? 0 : after;
  return after < 0 ? hits.length - 1 : (after - 1 + hits.length) % hits.length;
}
