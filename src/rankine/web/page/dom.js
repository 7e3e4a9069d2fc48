// Elements. Text is only ever set as text: no module of the page writes markup.

const SVG = "http://www.w3.org/2000/svg";

// An element with attributes, listeners (onclick, …) and children; null and false children are left out.
export function el(name, options = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(options)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else if (key === "text") node.textContent = value;
    else if (key === "value") node.value = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// A property of an element's style. A strict policy forbids style attributes, not this.
export function styled(node, properties) {
  for (const [key, value] of Object.entries(properties)) node.style.setProperty(key, value);
  return node;
}

export const hidden = (text) => el("span", { class: "hidden", text });
export const byId = (id) => document.getElementById(id);

const PATHS = {
  play: "M8 5.5v13l10.5-6.5z",
  pause: "M7.5 5.5h3.2v13H7.5zM13.3 5.5h3.2v13h-3.2z",
  heard: "M12 4a8 8 0 1 0 0 16a8 8 0 0 0 0-16z",
  perhaps: "M12 4a8 8 0 1 0 0 16a8 8 0 0 0 0-16zm0 2.2v11.6a5.8 5.8 0 0 0 0-11.6z",
};
const LINES = {
  "sounds like": "M4 13c2.2-5 4.5-5 6.2-1.5S14.6 16 20 10.5",
  more: "M6 9.5l6 6 6-6",
  back: "M14.5 6l-6 6 6 6",
  next: "M9.5 6l6 6-6 6",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1",
  save: "M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 19.5h14",
  quote: "M6 15c3-1 4-3 4-7H5v5h3M15 15c3-1 4-3 4-7h-5v5h3",
  close: "M6.5 6.5l11 11m0-11l-11 11",
  light: "M12 8a4 4 0 1 0 0 8a4 4 0 0 0 0-8zM12 3v2m0 14v2M3 12h2m14 0h2M5.6 5.6l1.4 1.4m10 10l1.4 1.4m0-12.8L17 7M7 17l-1.4 1.4",
  dark: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
  system: "M4 5.5h16v10.5H4zM9 20h6m-3-4v4",
  filter: "M4 7h16M7 12h10m-7 5h4",
};

// A drawing that says nothing to a screen reader; the word stands beside it or in the label.
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: name in LINES ? "icon line" : "icon", "aria-hidden": "true" })) {
    svg.setAttribute(key, value);
  }
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", LINES[name] ?? PATHS[name]);
  if (name === "perhaps") path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

// A short message at the edge of the page, read aloud.
let timer = 0;
export function toast(text) {
  const place = byId("toast");
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(timer);
  timer = setTimeout(() => place.classList.remove("shown"), 4000);
}

// Puts text on the clipboard; without a clipboard (no HTTPS) the toast shows it.
export async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${said}: ${text}`);
  } catch {
    toast(text);
  }
}
