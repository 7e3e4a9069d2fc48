// Filters of a search: certainty, speaker, collection, dates. What the archive does not have is not offered.

import { el, icon } from "./dom.js";
import { CERTAINTIES, MEANING } from "./words.js";

const selected = (text) => new Set((text || CERTAINTIES.join(",")).split(",").map((name) => name.trim()));

function certainty(parameters, change) {
  const now = selected(parameters.certainty);
  const boxes = CERTAINTIES.map((name) => el("input", { type: "checkbox", id: `certainty-${name.replace(" ", "-")}`, value: name, checked: now.has(name) }));
  const read = () => {
    const on = boxes.filter((box) => box.checked).map((box) => box.value);
    change({ certainty: on.length === CERTAINTIES.length ? "" : on.join(",") });
  };
  return el("fieldset", { class: "filter" }, el("legend", { text: "Certainty" }),
    boxes.map((box) => {
      box.addEventListener("change", () => {
        if (boxes.every((other) => !other.checked)) box.checked = true; // nothing at all finds nothing
        else read();
      });
      return el("label", { class: "check", title: MEANING[box.value] }, box, icon(box.value), box.value);
    }));
}

function choice(name, label, values, parameters, change) {
  const all = parameters[name] && !values.includes(parameters[name]) ? [parameters[name], ...values] : values;
  if (!all.length) return null;
  const select = el("select", { id: `filter-${name}`, onchange: () => change({ [name]: select.value }) },
    el("option", { value: "", text: "all" }), all.map((value) => el("option", { value, text: value })));
  select.value = parameters[name];
  return el("div", { class: "filter" }, el("label", { for: select.id, text: label }), select);
}

function dates(parameters, range, change) {
  if (!range?.first && !parameters.since && !parameters.until) return null;
  const input = (name, label, hint) => {
    const node = el("input", { id: `filter-${name}`, type: "text", placeholder: hint ?? "1967 or 1967-05-03", value: parameters[name], maxlength: "10", pattern: "\\d{4}(-\\d{2}){0,2}",
      title: "A year, a month or a day: 1967, 1967-05 or 1967-05-03", onchange: () => node.reportValidity() && change({ [name]: node.value.trim() }) });
    return el("div", { class: "filter" }, el("label", { for: node.id, text: label }), node);
  };
  return [input("since", "Since", range?.first), input("until", "Until", range?.last)];
}

export const FILTERS = ["certainty", "speaker", "collection", "since", "until"];

// The column of filters; `change` gets the parameters that change. On a phone a button opens it.
export function filterColumn(about, parameters, change) {
  const set = FILTERS.filter((name) => parameters[name]).length;
  const body = el("div", { class: "filters-body", id: "filters-body" },
    certainty(parameters, change),
    choice("speaker", "Speaker", about.speakers ?? [], parameters, change),
    choice("collection", "Collection", about.collections ?? [], parameters, change),
    dates(parameters, about.dates, change),
    set ? el("button", { type: "button", class: "quiet", text: "Clear the filters", onclick: () => change(Object.fromEntries(FILTERS.map((name) => [name, ""]))) }) : null);
  const column = el("section", { class: "filters", "aria-label": "Filters" });
  const button = el("button", { type: "button", class: "quiet filters-button", "aria-expanded": String(filterColumn.open), "aria-controls": body.id },
    icon("filter"), set ? `Filters (${set})` : "Filters");
  button.addEventListener("click", () => {
    filterColumn.open = !filterColumn.open;
    column.classList.toggle("open", filterColumn.open);
    button.setAttribute("aria-expanded", String(filterColumn.open));
  });
  column.classList.toggle("open", filterColumn.open);
  column.append(button, body);
  return column;
}
filterColumn.open = false;
