// All recordings: what they are, how well they were heard, and what is still being recognised.

import { amend, browseAddress, go, listenAddress } from "./address.js";
import { archive, get } from "./api.js";
import { el, icon, styled } from "./dom.js";
import { clock, counted, duration, heardWord } from "./words.js";

const LIMIT = 50;
const COLUMNS = [["title", "Title"], ["speaker", "Speaker"], ["date", "Date"], ["length", "Length"], ["heard", "Heard"]];
const DOWN = new Set(["length", "heard", "date"]); // the first click shows the most first

function heard(value) {
  if (value === null || value === undefined) return el("span", { class: "facts", text: "not known" });
  return el("span", { class: "meter" }, el("span", { class: "track", "aria-hidden": "true" }, styled(el("span", { class: "bar" }), { width: `${100 * value}%` })),
    el("span", { text: `${heardWord(value)} ${value.toFixed(2)}` }));
}

function row(recording) {
  const cell = (label, ...children) => el("td", { "data-label": label }, children);
  return el("tr", {},
    el("th", { scope: "row" }, el("a", { href: listenAddress(recording.id), text: recording.title || recording.id }),
      recording.recognition === "recognising" ? el("span", { class: "state", text: "being recognised" }) : null,
      recording.has_audio ? null : el("span", { class: "state", text: "no audio" })),
    cell("Speaker", recording.speaker || "–"), cell("Date", recording.date || "–"),
    cell("Length", el("span", { class: "time", text: recording.seconds ? clock(recording.seconds) : "–" })), cell("Heard", heard(recording.heard)));
}

function headings(parameters, change) {
  const by = parameters.sort || "title", down = parameters.order === "desc";
  return el("tr", {}, COLUMNS.map(([name, text]) => {
    const active = name === by;
    const next = active ? (down ? "" : "desc") : DOWN.has(name) ? "desc" : "";
    return el("th", { scope: "col", "aria-sort": active ? (down ? "descending" : "ascending") : null },
      el("button", { type: "button", id: `sort-${name}`, class: active ? `sort ${down ? "down" : "up"}` : "sort", onclick: () => change({ sort: name, order: next }) }, text, active ? icon("more") : null));
  }));
}

// How far recognition is; nothing where none runs.
export function progress(about) {
  const work = about.recognising;
  if (!work) return null;
  const share = work.total_seconds ? work.done_seconds / work.total_seconds : 0;
  const names = (work.files ?? []).slice(0, 3).join(", ");
  return el("div", { class: "recognising", role: "status" },
    el("p", {}, el("b", { text: `Recognising: ${Math.round(100 * share)} %` }), ` ${duration(work.done_seconds)} of ${duration(work.total_seconds)}${names ? `; now ${names}` : ""}. What is done can be searched already.`),
    el("progress", { max: "1", value: String(share), "aria-label": "Recognition" }));
}

function sortChoice(parameters, change) {
  const select = el("select", { class: "sort-choice", "aria-label": "Sort by", onchange: () => change({ sort: select.value, order: DOWN.has(select.value) ? "desc" : "" }) },
    COLUMNS.map(([name, text]) => el("option", { value: name, text: `by ${text.toLowerCase()}` })));
  select.value = parameters.sort || "title";
  return select;
}

function emptyList(parameters) {
  if (parameters.filter) return el("p", { class: "empty", text: `No recording has ${parameters.filter} in its title, speaker, date or collection.` });
  return el("div", { class: "empty" }, el("h2", { text: "No recordings yet" }), el("p", { text: "Add a folder of recordings on the command line; they appear here while they are being recognised." }),
    el("pre", {}, el("code", { text: "rankine spoken add ARCHIVE recordings/" })));
}

async function fillTable(place, parameters, change, signal) {
  const asked = { sort: parameters.sort || "title", order: parameters.order || "asc", filter: parameters.filter };
  const answer = await get("/recordings", { ...asked, limit: LIMIT }, signal);
  if (signal.aborted) return;
  const body = el("tbody", {}, answer.recordings.map(row));
  const count = el("p", { class: "count", role: "status", text: counted(answer.total, "recording") });
  const more = el("button", { type: "button", class: "quiet more", hidden: answer.recordings.length >= answer.total }, icon("more"), "More recordings");
  more.addEventListener("click", async () => {
    const next = await get("/recordings", { ...asked, limit: LIMIT, offset: body.children.length }, signal);
    body.append(...next.recordings.map(row));
    more.hidden = body.children.length >= next.total || !next.recordings.length;
  });
  place.replaceChildren(count, ...(answer.total ? [el("table", { class: "recordings" }, el("thead", {}, headings(parameters, change)), body), more] : [emptyList(parameters)]));
}

export async function drawBrowse(view, parameters, signal) {
  document.title = "Recordings";
  const about = await archive();
  if (signal.aborted) return;
  const now = { ...parameters };
  const place = el("div", { class: "browse-place" });
  const change = (part) => go(browseAddress({ ...now, ...part }));
  const input = el("input", { type: "search", id: "filter", value: now.filter, placeholder: "Filter by title, speaker, date", autocomplete: "off", spellcheck: "false" });
  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      now.filter = input.value.trim();
      amend(browseAddress(now));
      fillTable(place, now, change, signal).catch(failed);
    }, 200);
  });
  const failed = (error) => error.name !== "AbortError" && place.replaceChildren(el("p", { class: "trouble", text: error.message }));
  const work = el("div", {}, progress(about));
  await fillTable(place, now, change, signal);
  if (signal.aborted) return;
  view.replaceChildren(el("h1", { text: "Recordings" }), work,
    el("div", { class: "browse-tools" }, el("label", { class: "hidden", for: "filter", text: "Filter the recordings" }), input, sortChoice(now, change)), place);
  addEventListener("archive", async () => work.replaceChildren(...[progress(await archive())].filter(Boolean)), { signal });
}
