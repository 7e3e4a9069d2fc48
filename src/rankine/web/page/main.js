// The page: one shell; the address says which view it shows.

import { followLinks, go, readAddress, searchAddress, startHistory } from "./address.js";
import { Refusal, archive, onState } from "./api.js";
import { drawBrowse } from "./browse.js";
import { byId, el, icon } from "./dom.js";
import { startKeys } from "./keys.js";
import { drawListen } from "./listen.js";
import { startDock } from "./player.js";
import { drawSearch, forget } from "./search.js";

const VIEWS = { search: drawSearch, browse: drawBrowse, listen: drawListen };
const EVERY = 10000; // milliseconds between questions whether the archive has changed
const view = byId("view");
let leave = new AbortController();

function failed(error) {
  if (!(error instanceof Refusal)) console.error(error); // a mistake of the page's own
  const again = el("button", { type: "button", class: "primary", text: "Try again", onclick: () => draw(0) });
  view.replaceChildren(el("div", { class: "empty" }, el("h1", { text: "This did not work" }), el("p", { text: error.message }), again));
}

// A control that was drawn anew keeps the focus; else it goes to the view, where keys work and readers begin.
function refocus(id) {
  if (document.activeElement && document.activeElement !== document.body) return;
  ((id && byId(id)) || view).focus({ preventScroll: true });
}

async function draw(scroll) {
  const focus = document.activeElement?.id;
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const { view: name, ...parameters } = readAddress(location);
  document.body.dataset.view = name;
  dispatchEvent(new Event("viewchange"));
  byId("changed").hidden = true;
  byId("q").value = parameters.q ?? "";
  for (const link of document.querySelectorAll(".tabs a")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  view.setAttribute("aria-busy", "true");
  try {
    const drawn = VIEWS[name](view, parameters, signal);
    if (!scroll && name !== "listen") scrollTo(0, 0);
    await drawn;
    if (!signal.aborted) refocus(focus);
    if (!signal.aborted && (scroll || !parameters.t)) scrollTo(0, scroll);
  } catch (error) {
    if (error.name !== "AbortError" && !signal.aborted) failed(error);
  }
  if (!signal.aborted) view.setAttribute("aria-busy", "false");
}

function startSearch() {
  const form = byId("search");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const now = readAddress(location);
    byId("q").blur();
    const kept = now.view === "search" && now.q ? now : {};
    go(searchAddress({ ...kept, q: byId("q").value.trim() }));
  });
}

function startTheme() {
  const button = byId("theme"), root = document.documentElement;
  const order = ["system", "light", "dark"];
  const show = () => {
    const name = root.dataset.theme ?? "system";
    button.replaceChildren(icon(name));
    button.setAttribute("aria-label", `Theme: ${name}`);
    button.title = `Theme: ${name}`;
    dispatchEvent(new Event("themechange"));
  };
  button.addEventListener("click", () => {
    const next = order[(order.indexOf(root.dataset.theme ?? "system") + 1) % order.length];
    if (next === "system") delete root.dataset.theme;
    else root.dataset.theme = next;
    try { localStorage.setItem("rankine-theme", next); } catch { /* kept for this view only */ }
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
}

// The archive may grow while the page is open: nothing moves by itself, a line offers the new state.
function startWatching() {
  onState(() => {
    forget();
    const place = byId("changed");
    place.replaceChildren("The archive has changed. ", el("button", { type: "button", class: "quiet", text: "Show the new state", onclick: () => { archive(true); draw(scrollY); } }));
    place.hidden = false;
  });
  setInterval(async () => {
    if (document.hidden) return;
    await archive(true).catch(() => null); // a view that asks says what is wrong
    dispatchEvent(new Event("archive"));
  }, EVERY);
}

async function showName() {
  const about = await archive().catch(() => null);
  if (about?.name) byId("name").textContent = about.name;
}

try { sessionStorage.removeItem("rankine-entered"); } catch { /* see login.js */ }
startTheme();
startSearch();
startKeys();
startDock();
followLinks();
startHistory(draw);
startWatching();
showName();
