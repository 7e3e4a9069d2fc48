// The address holds the state: what is searched, which recording, which second.

const SEARCH = ["q", "speaker", "since", "until", "collection", "certainty", "sort"];
const BROWSE = ["sort", "order", "filter"];
const LISTEN = ["t", "q"];

const pick = (names, all) => Object.fromEntries(names.map((name) => [name, all.get(name) ?? ""]));

// A name as one part of a path. Browsers take "." and ".." for steps between folders, so a tilde stands before them.
export const pathPart = (name) => (/^~*\.{1,2}$/.test(name) ? "~" : "") + encodeURIComponent(name);
const nameOf = (part) => (/^~+\.{1,2}$/.test(part) ? part.slice(1) : part);

// The view that an address names, with its parameters.
export function readAddress(location) {
  const all = new URLSearchParams(location.search);
  if (location.pathname === "/recordings") return { view: "browse", ...pick(BROWSE, all) };
  if (location.pathname.startsWith("/recording/")) {
    if (!Number.isFinite(Number(all.get("t")))) all.delete("t"); // no second of a recording
    return { view: "listen", id: nameOf(decoded(location.pathname.slice("/recording/".length))), ...pick(LISTEN, all) };
  }
  return { view: "search", ...pick(SEARCH, all) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function written(path, names, parameters) {
  const pairs = names.filter((name) => parameters[name]).map((name) => [name, parameters[name]]);
  const text = new URLSearchParams(pairs).toString();
  return text ? `${path}?${text}` : path;
}

export const searchAddress = (parameters) => written("/", SEARCH, parameters);
export const browseAddress = (parameters) => written("/recordings", BROWSE, parameters);

export function listenAddress(id, { t = "", q = "" } = {}) {
  const second = t === "" ? "" : String(Math.max(0, Math.round(t * 10) / 10));
  return written(`/recording/${pathPart(id)}`, LISTEN, { t: second, q });
}

// Moving about. A page that is left remembers how far it was scrolled.
let render = () => {};
export function startHistory(draw) {
  render = draw;
  history.scrollRestoration = "manual";
  addEventListener("popstate", () => render(history.state?.scroll ?? 0));
  render(history.state?.scroll ?? 0);
}

function remember() {
  history.replaceState({ ...history.state, scroll: scrollY }, "");
}

export function go(address) {
  remember();
  if (address === location.pathname + location.search) history.replaceState({ scroll: 0 }, "", address);
  else history.pushState({ scroll: 0 }, "", address);
  render(0);
}

// Changes the address without a new entry and without drawing.
export function amend(address) {
  history.replaceState({ ...history.state, scroll: scrollY }, "", address);
}

addEventListener("pagehide", remember);
document.addEventListener("scrollend", remember);

// Links within the page are followed without a load, unless the reader asks for a new tab.
export function followLinks() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const to = new URL(link.href);
    const own = to.origin === location.origin && !to.hash && !link.hasAttribute("download");
    if (!own || !(to.pathname === "/" || to.pathname.startsWith("/recording"))) return;
    event.preventDefault();
    go(to.pathname + to.search);
  });
}
