// The transcript: follows the audio word by word. Parts are asked for as they come near the screen,
// so a recording of two hours is as quick as one of two minutes.

import { get, recordingPath } from "./api.js";
import { el, hidden, styled } from "./dom.js";
import { clock, gap, language } from "./words.js";

const PART = 120; // seconds of a part
const LONG = 45; // words after which a paragraph ends at the next segment
const WORDS_A_SECOND = 2.5;
const DOUBT = 0.6; // a word below this posterior is shown as doubtful

function speakerAt(turns, second) {
  return turns.find((turn) => turn.start <= second + 0.01 && second < turn.end)?.speaker ?? "";
}

// Words as paragraphs: a new one where the speaker changes, or at a segment once it is long.
function paragraphs(words, turns) {
  const all = [];
  let last = null;
  for (const word of words) {
    const speaker = speakerAt(turns, word.start);
    const segment = last && word.segment !== last.word.segment;
    if (!last || speaker !== last.speaker || (segment && all.at(-1).words.length >= LONG)) all.push({ speaker, words: [] });
    all.at(-1).words.push(word);
    last = { word, speaker };
  }
  return all;
}

export class Transcript {
  // `act` has `play(second)` and `certainty(word)`, which names the certainty of the hit that a word belongs to.
  constructor(recording, act, signal) {
    Object.assign(this, { recording, act, signal, parts: [], now: null, speaker: null });
    this.node = el("div", { class: "transcript", role: "group", "aria-label": "Transcript. Arrow keys go from word to word, Enter plays." });
    const count = Math.max(1, Math.ceil(recording.seconds / PART));
    this.watch = new IntersectionObserver((entries) => entries.forEach((entry) => entry.isIntersecting && this.fill(this.parts[entry.target.dataset.part])), { rootMargin: "1200px 0px" });
    for (let i = 0; i < count; i += 1) this.addPart(i);
    signal.addEventListener("abort", () => this.watch.disconnect());
    this.node.addEventListener("click", (event) => this.clicked(event));
    this.node.addEventListener("keydown", (event) => this.pressed(event));
  }

  addPart(i) {
    const seconds = Math.min(PART, this.recording.seconds - i * PART);
    const node = styled(el("div", { class: "part waiting", "data-part": String(i) }), { "--words": String(Math.ceil(seconds * WORDS_A_SECOND)) });
    const part = { i, node, words: null, spans: [], asked: null };
    this.parts.push(part);
    this.node.append(node);
    this.watch.observe(node);
  }

  // The part that holds a second; the first where it is no number.
  partAt(second) {
    return this.parts[Math.min(this.parts.length - 1, Math.max(0, Math.floor(second / PART) || 0))];
  }

  // Asks for a part once; resolves when it stands on the page.
  fill(part) {
    if (this.signal.aborted) return Promise.resolve(); // the reader has left
    this.watch.unobserve(part.node);
    part.asked ??= this.fetchPart(part).catch((error) => {
      part.asked = null;
      if (error.name !== "AbortError") part.node.replaceChildren(el("p", { class: "trouble", text: error.message }));
    });
    return part.asked;
  }

  async fetchPart(part) {
    const answer = await get(`${recordingPath(this.recording.id)}/transcript`, { from: part.i * PART, to: (part.i + 1) * PART }, this.signal);
    part.words = answer.words;
    part.spans = answer.words.map((word, i) => this.wordNode(word, part, i));
    let next = 0, before = "";
    const nodes = paragraphs(answer.words, this.recording.turns ?? []).map(({ speaker, words }) => {
      const text = el("p", { class: "words", lang: language() });
      for (const _ of words) text.append(part.spans[next++], gap());
      const at = words[0].start;
      const name = speaker === before ? "" : speaker;
      before = speaker;
      return el("div", { class: "paragraph" },
        el("div", { class: "gutter" },
          el("button", { type: "button", class: "at", "data-second": String(at), "aria-label": `${clock(at)}, play from here`, text: clock(at) }),
          name ? el("span", { class: "speaker", text: name }) : null), text);
    });
    part.node.classList.remove("waiting");
    part.node.replaceChildren(...nodes);
    if (!this.roving && part.spans.length) this.rove(part.spans[0]);
  }

  wordNode(word, part, i) {
    const unsure = word.posterior < DOUBT;
    const node = el("span", { class: unsure ? "w doubt" : "w", tabindex: "-1", role: unsure ? "button" : null, "data-part": String(part.i), "data-i": String(i), text: word.text });
    const certainty = this.act.certainty(word);
    if (certainty) this.mark(node, certainty);
    return node;
  }

  mark(node, certainty) {
    node.classList.add("hit-word", certainty.replace(" ", "-"));
  }

  // Marks the words of hits anew.
  markAll() {
    for (const part of this.parts) {
      part.spans.forEach((node, i) => {
        node.classList.remove("hit-word", "heard", "perhaps", "sounds-like");
        const certainty = this.act.certainty(part.words[i]);
        if (certainty) this.mark(node, certainty);
      });
    }
  }

  wordOf(node) {
    return this.parts[node.dataset.part].words[node.dataset.i];
  }

  clicked(event) {
    const word = event.target.closest(".w");
    const at = event.target.closest("button.at");
    if (word && !getSelection().toString()) {
      this.rove(word);
      this.act.play(this.wordOf(word).start);
    } else if (at) this.act.play(Number(at.dataset.second));
  }

  // One word is in the order of the Tab key; arrows move on from it.
  rove(node) {
    if (this.roving) this.roving.tabIndex = -1;
    this.roving = node;
    node.tabIndex = 0;
  }

  neighbour(node, step) {
    const part = this.parts[node.dataset.part];
    const near = part.spans[Number(node.dataset.i) + step];
    if (near) return near;
    for (let i = part.i + step; this.parts[i]; i += step) if (this.parts[i].spans.length) return this.parts[i].spans.at(step > 0 ? 0 : -1);
    return null;
  }

  pressed(event) {
    const node = event.target.closest(".w");
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      let next = this.neighbour(node, step);
      while (event.shiftKey && next && !next.classList.contains("doubt")) next = this.neighbour(next, step);
      if (next) {
        this.rove(next);
        next.focus();
      }
    } else if (event.key === "Enter") this.act.play(this.wordOf(node).start);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // The element of the word said at a second, or of the last one before it; null where its part is not there yet.
  at(second) {
    const part = this.partAt(second);
    if (!part.words) {
      this.fill(part);
      return null;
    }
    let low = 0, high = part.words.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (part.words[middle].start <= second + 0.02) low = middle + 1;
      else high = middle;
    }
    return part.spans[low - 1] ?? this.parts[part.i - 1]?.spans.at(-1) ?? null;
  }

  // Shows which word is being said; returns its element.
  follow(second) {
    const node = this.at(second);
    if (node !== this.now) {
      this.now?.classList.remove("now");
      node?.classList.add("now");
      this.now = node;
    }
    return node;
  }

  async show(second, smooth) {
    const part = this.partAt(second);
    await this.fill(part);
    const node = this.follow(second) ?? part.node;
    node.scrollIntoView({ block: "center", behavior: smooth ? "smooth" : "instant" });
  }
}

// The other words that may have been said, beside the word under the pointer or with the focus.
export function alternatives(transcript, signal) {
  const note = el("div", { class: "alternatives", id: "alternatives", role: "tooltip", hidden: true });
  let owner = null;
  const hide = () => {
    owner?.removeAttribute("aria-describedby");
    owner = null;
    note.hidden = true;
  };
  const show = (node) => {
    const word = transcript.wordOf(node);
    if (!word.alternatives.length && word.posterior >= DOUBT) return hide();
    hide();
    owner = node;
    const others = word.alternatives.map(({ text, posterior }) => `${text} ${posterior.toFixed(2)}`).join(", ");
    note.replaceChildren(el("b", { text: word.text }), ` ${word.posterior.toFixed(2)}`, hidden(". "), el("span", { text: others ? `perhaps: ${others}` : "no other word" }));
    note.hidden = false;
    node.setAttribute("aria-describedby", note.id);
    const box = node.getBoundingClientRect(), frame = transcript.node.getBoundingClientRect();
    const left = Math.max(0, Math.min(box.left - frame.left, frame.width - note.offsetWidth));
    styled(note, { left: `${left}px`, top: `${box.bottom - frame.top + 4}px` });
    return undefined;
  };
  const word = (event) => event.target.closest?.(".w");
  transcript.node.append(note);
  transcript.node.addEventListener("pointerover", (event) => word(event) && show(word(event)));
  transcript.node.addEventListener("pointerleave", hide);
  transcript.node.addEventListener("focusin", (event) => (word(event) ? show(word(event)) : hide()));
  transcript.node.addEventListener("focusout", hide);
  addEventListener("keydown", (event) => event.key === "Escape" && hide(), { signal });
}
