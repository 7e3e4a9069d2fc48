// The server's answers: JSON of version 1 of its API.

import { pathPart } from "./address.js";
import { sentence, setLanguage } from "./words.js";

const ROOT = "/api/v1";

// What went wrong, as a sentence to show.
export class Refusal extends Error {
  constructor(code, message, status = 0) {
    super(message);
    Object.assign(this, { code, status });
  }
}

const SENTENCES = {
  401: "The session has ended. Open the address that `rankine spoken serve` printed.",
  503: "The server is busy. Try again in a moment.",
};
const SILENT = "The server does not answer. Is `rankine spoken serve` still running?";

// Parameters as a query string; empty ones are left out.
export function query(parameters) {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const text = new URLSearchParams(pairs).toString();
  return text ? `?${text}` : "";
}

export const recordingPath = (id) => `${ROOT}/recordings/${pathPart(id)}`;
export const exportPath = (format, parameters) => `${ROOT}/hits.${format}${query(parameters)}`;

let state = null;
const watchers = new Set();
export const onState = (watcher) => watchers.add(watcher);

function notice(next) {
  if (!next || next === state) return;
  const before = state;
  state = next;
  if (before !== null) watchers.forEach((watcher) => watcher());
}

async function refusal(answer) {
  const body = await answer.json().catch(() => null);
  const message = body?.error?.message ?? SENTENCES[answer.status] ?? `The server answered ${answer.status}.`;
  return new Refusal(body?.error?.code ?? String(answer.status), answer.status === 401 ? SENTENCES[401] : sentence(message), answer.status);
}

// The JSON at a path below the API, or at a full path; raises Refusal with a sentence.
export async function get(path, parameters = {}, signal = undefined) {
  const address = (path.startsWith("/api/") ? path : ROOT + path) + query(parameters);
  let answer;
  try {
    answer = await fetch(address, { signal, headers: { Accept: "application/json" } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("silent", SILENT);
  }
  if (!answer.ok) throw await refusal(answer);
  const body = await answer.json();
  notice(body.state);
  return body;
}

// What the archive is: asked for once, then every ten seconds while somebody looks.
let archivePromise = null;
export function archive(fresh = false) {
  if (fresh || archivePromise === null) {
    const asked = get("/archive").then((about) => { setLanguage(about.language); return about; });
    archivePromise = asked;
    asked.catch(() => { if (archivePromise === asked) archivePromise = null; });
  }
  return archivePromise;
}
