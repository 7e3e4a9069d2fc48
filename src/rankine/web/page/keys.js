// Keys, and the sheet that names them. A view adds a row by adding to KEYS.

import { byId, el } from "./dom.js";
import { tag } from "./hit.js";
import { stepHit } from "./listen.js";
import { faster, skip, toggle } from "./player.js";
import { CERTAINTIES, MEANING } from "./words.js";

// On the results n and p go from hit to hit; what plays goes along.
function stepResult(step) {
  const hits = [...document.querySelectorAll(".results .hit")];
  if (!hits.length) return;
  const at = hits.findIndex((hit) => hit.contains(document.activeElement) || hit.classList.contains("playing"));
  const next = hits[at < 0 ? (step > 0 ? 0 : hits.length - 1) : (at + step + hits.length) % hits.length];
  (next.querySelector(".play-hit") ?? next.querySelector("a")).focus();
  next.scrollIntoView({ block: "nearest" });
  next.startHit();
}

const step = (by) => (document.body.dataset.view === "listen" ? stepHit(by) : stepResult(by));

const KEYS = [
  { keys: [" "], shown: "Space", text: "play or pause", act: toggle },
  { keys: ["ArrowLeft"], shown: "←", text: "5 seconds back", act: () => skip(-5) },
  { keys: ["ArrowRight"], shown: "→", text: "5 seconds on", act: () => skip(5) },
  { keys: ["n"], shown: "n", text: "next hit", act: () => step(1) },
  { keys: ["p"], shown: "p", text: "previous hit", act: () => step(-1) },
  { keys: ["<"], shown: "<", text: "slower", act: () => faster(-1) },
  { keys: [">"], shown: ">", text: "faster", act: () => faster(1) },
  { keys: ["/"], shown: "/", text: "to the search field", act: () => { byId("q").focus(); byId("q").select(); } },
  { keys: ["?"], shown: "?", text: "this sheet", act: () => openSheet() },
];
const IN_TEXT = [["← →", "from word to word in the transcript"], ["Shift ← →", "from doubtful word to doubtful word"], ["Enter", "play from the word"]];

const sheet = el("dialog", { class: "sheet", "aria-label": "Keys and signs" });

function openSheet() {
  const row = (shown, text) => el("div", {}, el("dt", {}, el("kbd", { text: shown })), el("dd", { text }));
  sheet.replaceChildren(
    el("h2", { text: "Keys", tabindex: "-1", autofocus: true }), el("dl", { class: "keys" }, KEYS.map(({ shown, text }) => row(shown, text)), IN_TEXT.map(([shown, text]) => row(shown, text))),
    el("h2", { text: "Signs" }), el("dl", { class: "legend" }, CERTAINTIES.map((name) => el("div", {}, el("dt", {}, tag(name)), el("dd", { text: `${MEANING[name]}.` })))),
    el("form", { method: "dialog" }, el("button", { class: "primary", text: "Close" })));
  sheet.showModal();
}

const TYPING = "input:not([type=checkbox]), textarea, select, [contenteditable]";
const PRESSED_BY_SPACE = "button, a, summary, input, [role=button]";

export function startKeys() {
  document.body.append(sheet);
  sheet.addEventListener("click", (event) => event.target === sheet && sheet.close());
  byId("help").addEventListener("click", openSheet);
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || sheet.open) return;
    if (event.target.matches?.(TYPING)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === " " && event.target.matches?.(PRESSED_BY_SPACE) && !event.target.matches(".w")) return;
    const row = KEYS.find(({ keys }) => keys.includes(event.key));
    if (!row) return;
    event.preventDefault();
    row.act();
  });
}
