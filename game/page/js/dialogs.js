// Dialogs (the browser's own element keeps the focus inside and closes on Escape) and short notes at the top.

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./words.js";

/** Open a dialog. `foot`: buttons. `first`: what has the focus to begin with, as a query; else the first button.
 *  Returns its element; `close()` takes it away. */
export function openDialog({ title, body, foot = [], wide = false, name = "", first = "", onclose }) {
  for (const other of document.querySelectorAll("dialog[open]")) if (name && other.dataset.name === name) other.close();
  const heading = h("h2", { id: `dialog-${name || "title"}` }, title);
  const dialog = h(
    "dialog",
    { class: wide ? "wide" : "", "aria-labelledby": heading.id, "data-name": name },
    h(
      "div",
      { class: "dialog-head" },
      heading,
      h("button", { class: "button quiet round", type: "button", "aria-label": t("close"), onclick: () => dialog.close() }, icon("close")),
    ),
    body,
    foot.length ? h("div", { class: "dialog-foot" }, foot) : null,
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    onclose?.();
  });
  // A press beside the dialog closes it.
  dialog.addEventListener("pointerdown", (event) => {
    if (event.target !== dialog) return;
    const box = dialog.getBoundingClientRect();
    const inside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  if (first) dialog.querySelector(first)?.focus();
  return dialog;
}

export function button(text, onclick, { primary = false, iconName = "", ...attributes } = {}) {
  return h("button", { class: `button${primary ? " primary" : ""}`, type: "button", onclick, ...attributes }, iconName ? icon(iconName) : null, h("span", {}, text));
}

/** A choice side by side. `choices`: [value, text, disabled?]. */
export function barChoice(name, legend, choices, value, onchange, doc = "") {
  const group = h(
    "fieldset",
    { class: "field" },
    h("legend", {}, legend),
    h(
      "div",
      { class: "bar-choice" },
      choices.map(([choice, text, disabled]) =>
        h(
          "label",
          {},
          h("input", { type: "radio", name, value: String(choice), checked: choice === value, disabled: Boolean(disabled), onchange: () => onchange(choice) }),
          h("span", {}, text),
        ),
      ),
    ),
    doc ? h("p", { class: "doc" }, doc) : null,
  );
  return group;
}

export function switchRow(text, checked, onchange) {
  return h("label", { class: "switch" }, h("span", {}, text), h("input", { type: "checkbox", role: "switch", checked, onchange: (event) => onchange(event.target.checked) }));
}

/** A short note that goes away. */
export function toast(text, { alarm = false } = {}) {
  const place = document.getElementById("toasts");
  const note = h("div", { class: `toast${alarm ? " alarm" : ""}` }, text);
  while (place.children.length > 2) place.firstChild.remove();
  place.append(note);
  setTimeout(() => note.remove(), Math.max(2600, 70 * text.length));
}

/** Tell people who do not see the table what happens. */
export function say(text) {
  const place = document.getElementById("live");
  place.append(h("p", {}, text));
  while (place.children.length > 30) place.firstChild.remove();
}
