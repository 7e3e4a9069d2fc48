// Why a place is a hit: the evidence as bars with numbers, in plain words. The amounts add up to the score.

import { get } from "./api.js";
import { el, styled } from "./dom.js";
import { decimal, sentence } from "./words.js";

const LABELS = { words: "the words", sounds: "the sounds", "exact order": "the exact order", "sounds in order": "their sounds in order" };

function row(part, most) {
  const share = most ? Math.abs(part.amount) / most : 0;
  const bar = styled(el("span", { class: part.amount < 0 ? "bar against" : "bar" }), { width: `${Math.max(1, 100 * share)}%` });
  return el("li", {},
    el("span", { class: "why-what" }, el("b", { text: part.term || LABELS[part.what] || part.what }),
      part.term ? ` ${LABELS[part.what] ?? part.what}` : ""),
    el("span", { class: "why-amount", text: decimal(part.amount) }),
    el("span", { class: "track", "aria-hidden": "true" }, bar),
    el("span", { class: "why-sentence", text: sentence(part.sentence) }));
}

// Fills the panel of a hit.
export async function why(panel, query, hit) {
  panel.replaceChildren(el("p", { class: "wait", text: "Asking for the evidence" }));
  try {
    const answer = await get("/why", { q: query, place: hit.segment });
    const most = Math.max(...answer.parts.map((part) => Math.abs(part.amount)), 0);
    const against = answer.parts.some((part) => part.amount < 0);
    panel.replaceChildren(
      el("p", { class: "why-head", text: sentence(answer.sentence) }),
      el("ul", { class: "bars" }, answer.parts.map((part) => row(part, most))),
      el("p", { class: "why-total" }, "Together ", el("b", { text: decimal(answer.score) }),
        against ? ", the score of this place; hatched bars speak against it." : ", the score of this place."));
  } catch (error) {
    panel.replaceChildren(el("p", { class: "trouble", text: error.message }));
  }
}
