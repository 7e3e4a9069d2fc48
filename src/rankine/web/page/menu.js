// A button that opens a list of actions: links and buttons. Escape and a click elsewhere close it.

import { el, icon } from "./dom.js";

let menus = 0;

export function menu(text, entries) {
  const list = el("ul", { class: "menu-list", id: `menu-${(menus += 1)}`, hidden: true },
    entries.map((entry) => el("li", {}, entry.href
      ? el("a", { href: entry.href, download: entry.download ?? "" }, entry.text, el("small", { text: entry.note ?? "" }))
      : el("button", { type: "button", onclick: entry.act }, entry.text, el("small", { text: entry.note ?? "" })))));
  const button = el("button", { type: "button", class: "quiet", "aria-expanded": "false", "aria-controls": list.id }, icon("save"), text);
  const node = el("div", { class: "menu" }, button, list);
  const set = (open) => {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
  };
  const outside = (event) => {
    if (!node.isConnected) document.removeEventListener("pointerdown", outside);
    else if (!node.contains(event.target)) set(false);
  };
  button.addEventListener("click", () => set(list.hidden));
  document.addEventListener("pointerdown", outside);
  list.addEventListener("click", () => set(false));
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || list.hidden) return;
    set(false);
    button.focus();
    event.stopPropagation();
  });
  return node;
}
