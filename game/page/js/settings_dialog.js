// Settings: they hold at once, and stay in this browser.

import { barChoice, button, openDialog, switchRow } from "./dialogs.js";
import { h } from "./dom.js";
import { change, settings } from "./settings.js";
import { LANGUAGES, language, t } from "./words.js";

/** The switches, for the dialog and the menu of the table. `onlook`: cards are to be drawn anew. */
export function settingsBody(onlook = () => {}) {
  const look = (name) => (value) => {
    change({ [name]: value });
    onlook();
  };
  return h(
    "div",
    { class: "settings" },
    barChoice("language", t("language"), Object.entries(LANGUAGES), language(), (value) => change({ language: value })),
    switchRow(t("setting_sound"), settings.sound, (value) => change({ sound: value })),
    switchRow(t("setting_animation"), settings.animation, (value) => change({ animation: value })),
    switchRow(t("setting_four_colours"), settings.fourColours, look("fourColours")),
    switchRow(t("setting_suit_letters"), settings.suitLetters, look("suitLetters")),
    h("p", { class: "doc" }, t("settings_kept")),
  );
}

export function openSettings(app) {
  const dialog = openDialog({ title: t("settings"), name: "settings", body: settingsBody(() => app.screen?.look?.()), foot: [button(t("done"), () => dialog.close(), { primary: true })] });
  return dialog;
}
