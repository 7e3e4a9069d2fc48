// The search: places grouped by recording, or, before a search, what can be asked.

import { go, listenAddress, searchAddress } from "./address.js";
import { archive, exportPath, get } from "./api.js";
import { el, icon } from "./dom.js";
import { filterColumn } from "./filters.js";
import { drawPlaying, hitNode, tag } from "./hit.js";
import { menu } from "./menu.js";
import { on } from "./player.js";
import { CERTAINTIES, MEANING, counted, duration, facts, sentence } from "./words.js";

const RECORDINGS = 10;
const PLACES = 3;
const MANY = 50;
const answers = new Map(); // answers by address: going back is immediate and keeps the place

export const forget = () => answers.clear();

const asked = (p) => ({ q: p.q, speaker: p.speaker, since: p.since, until: p.until, collection: p.collection, certainty: p.certainty, sort: p.sort });

async function ask(parameters, signal) {
  const key = searchAddress(parameters);
  if (!answers.has(key)) {
    const answer = await get("/search", { ...asked(parameters), k: RECORDINGS, per_recording: PLACES }, signal);
    if (answers.size > 30) answers.clear();
    answers.set(key, answer);
  }
  return answers.get(key);
}

const SIGNS = [['"railway station"', "these words in this order"], ["strike OR walkout", "either of them"], ["railway -station", "without this word"], ["railway speaker:ann", "only what Ann says"]];

const syntax = () => [el("h2", { text: "What a query can say" }),
  el("dl", { class: "syntax" }, SIGNS.map(([sign, meaning]) => el("div", {}, el("dt", {}, el("code", { text: sign })), el("dd", { text: meaning }))))];

// A query that cannot be read: why, and what can be.
const unreadable = (error) => el("div", { class: "teach" }, el("h1", { text: "This query cannot be read" }), el("p", { class: "lead query-error", text: error.message }), syntax());

// What the page shows before a search.
function teach(about) {
  const length = about.seconds ? `, ${duration(about.seconds)} of speech` : "";
  return el("div", { class: "teach" },
    el("h1", { text: "Find what was said" }),
    el("p", { class: "lead", text: about.recordings
      ? `${counted(about.recordings, "recording")}${length}. Type words as they were spoken; each answer is a place that you can play.`
      : "This archive holds no recordings yet. Add some with `rankine spoken add`; this page follows by itself." }),
    about.recordings && !about.has_audio ? el("p", { class: "note", text: "This archive has no audio: places can be read, not played." }) : null,
    about.examples?.length ? el("p", { class: "examples" }, "Try ", about.examples.map((word) => el("a", { class: "chip", href: searchAddress({ q: word }), text: word }))) : null,
    el("h2", { text: "How sure an answer is" }),
    el("dl", { class: "legend" }, CERTAINTIES.map((name) => el("div", {}, el("dt", {}, tag(name)), el("dd", {},
      el("mark", { class: name.replace(" ", "-"), text: "railway" }), ` ${MEANING[name]}.`)))),
    syntax());
}

function nothing(answer, parameters, change) {
  const filtered = ["speaker", "since", "until", "collection", "certainty"].some((name) => parameters[name]);
  return el("div", { class: "empty" },
    el("h2", { text: filtered ? "Nothing that these filters let through" : "Nothing in this archive sounds like that" }),
    answer.suggestions?.length ? el("p", {}, "The archive does contain: ") : null,
    answer.suggestions?.length ? el("ul", { class: "suggestions" }, answer.suggestions.map(({ word, why }) => el("li", {},
      el("a", { class: "chip", href: searchAddress({ ...parameters, q: word }), text: word }), why ? el("small", { text: why }) : null))) : null,
    filtered ? el("p", {}, el("button", { type: "button", class: "quiet", text: "Search without the filters", onclick: () => change({ speaker: "", since: "", until: "", collection: "", certainty: "" }) })) : null,
    el("p", { class: "hint", text: "Names are often written as they sound: try another spelling, or a part of the name. Fewer words find more." }));
}

// A recording with its places, and a button for the rest of them.
function group({ recording, hits, more }, parameters) {
  const list = el("ol", { class: "hits" }, hits.map((hit) => hitNode(hit, recording, parameters.q)));
  const node = el("article", { class: "group" },
    el("header", { class: "group-head" },
      el("h2", {}, el("a", { href: listenAddress(recording.id, { q: parameters.q }), text: recording.title || recording.id })),
      el("p", { class: "facts", text: facts(recording) })),
    list);
  if (more) node.append(moreButton("Show more of this recording", async () => {
    const answer = await get("/search", { ...asked(parameters), recording: recording.id, k: 1, per_recording: MANY });
    const all = answer.groups[0]?.hits ?? [];
    const there = new Set([...list.children].map((child) => child.dataset.place));
    list.append(...all.filter((hit) => !there.has(hit.place)).map((hit) => hitNode(hit, recording, parameters.q)));
    return false;
  }));
  return node;
}

// A button that adds what follows; it goes when `act` says there is no more.
function moreButton(text, act) {
  const button = el("button", { type: "button", class: "quiet more" }, icon("more"), text);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      if (!(await act())) button.remove();
    } catch (error) {
      button.replaceChildren(error.message);
    }
    button.disabled = false;
  });
  return button;
}

function resultsHead(answer, parameters, change) {
  const places = answer.groups.reduce((sum, { hits }) => sum + hits.length, 0);
  const total = answer.total_hint ?? { hits: places, recordings: answer.groups.length };
  const sort = el("select", { id: "sort", "aria-label": "Sort by", onchange: () => change({ sort: sort.value === "relevance" ? "" : sort.value }) },
    el("option", { value: "relevance", text: "most relevant first" }), el("option", { value: "time", text: "in order of time" }));
  sort.value = parameters.sort || "relevance";
  const exported = { ...asked(parameters), k: 1000 };
  return el("div", { class: "results-head" },
    el("p", { class: "count", role: "status", text: places ? `${counted(total.hits, "place")} in ${counted(total.recordings, "recording")}` : "No place found" }),
    places ? el("div", { class: "tools" }, sort, menu("Export", [
      { text: "Table", note: "CSV", href: exportPath("csv", exported) },
      { text: "Data", note: "JSON", href: exportPath("json", exported) },
      { text: "Playlist", note: "M3U", href: exportPath("m3u", exported) },
      { text: "Playlist", note: "XSPF", href: exportPath("xspf", exported) }])) : null);
}

function results(answer, parameters, change) {
  const groups = el("div", { class: "groups" }, answer.groups.map((entry) => group(entry, parameters)));
  const node = el("div", { class: "results" }, resultsHead(answer, parameters, change),
    answer.notes?.map((note) => el("p", { class: "note", text: sentence(note) })),
    answer.groups.length ? groups : nothing(answer, parameters, change));
  if (answer.groups.length && answer.suggestions?.length) {
    groups.before(el("p", { class: "note" }, "Or did you mean ", answer.suggestions.slice(0, 5).map(({ word }) => el("a", { class: "chip", href: searchAddress({ ...parameters, q: word }), text: word }))));
  }
  if (answer.more) groups.after(moreButton("More recordings", async () => {
    const next = await get("/search", { ...asked(parameters), k: RECORDINGS, per_recording: PLACES, offset: answer.groups.length });
    answer.groups.push(...next.groups); // kept, so that going back shows them too
    answer.more = next.more;
    groups.append(...next.groups.map((entry) => group(entry, parameters)));
    return next.more;
  }));
  return node;
}

// Draws the view; what is still on its way when the reader moves on is dropped.
export async function drawSearch(view, parameters, signal) {
  on("change", drawPlaying, signal);
  if (!parameters.q) {
    document.title = "Search";
    const about = await archive();
    if (!signal.aborted) view.replaceChildren(teach(about));
    return;
  }
  document.title = `${parameters.q} · Search`;
  const change = (part) => go(searchAddress({ ...parameters, ...part }));
  const slow = setTimeout(() => view.classList.add("busy"), 150);
  try {
    const [answer, about] = await Promise.all([ask(parameters, signal), archive()]);
    if (signal.aborted) return;
    view.replaceChildren(el("h1", { class: "hidden", text: `Places for ${parameters.q}` }),
      el("div", { class: "columns" }, filterColumn(about, parameters, change), results(answer, parameters, change)));
  } catch (error) {
    if (error.status !== 400 || signal.aborted) throw error;
    view.replaceChildren(unreadable(error));
  } finally {
    clearTimeout(slow);
    view.classList.remove("busy");
  }
}
