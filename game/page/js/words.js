// The words of the page in the language chosen: flat messages with {places}, kept in words/*.json.

import { settings } from "./settings.js";

export const LANGUAGES = { ko: "한국어", en: "English" };

let messages = {};
let rules = {};
let current = "en";

/** The language chosen, or else the first of the browser's that we speak. */
export function preferred() {
  if (Object.hasOwn(LANGUAGES, settings.language)) return settings.language;
  const spoken = navigator.languages?.length ? navigator.languages : [navigator.language ?? "en"];
  return spoken.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => Object.hasOwn(LANGUAGES, tag)) ?? "en";
}

export async function load(language = preferred()) {
  const [words, pages] = await Promise.all(
    [language, `rules.${language}`].map(async (name) => {
      const answer = await fetch(new URL(`../words/${name}.json`, import.meta.url));
      if (!answer.ok) throw new Error(`expected the words of '${name}', got status ${answer.status}`);
      return answer.json();
    }),
  );
  messages = words;
  rules = pages;
  current = language;
  document.documentElement.lang = language;
  document.title = t("title");
  document.querySelector('meta[name="apple-mobile-web-app-title"]').content = t("title");
}

export function language() {
  return current;
}

/** The rules of a ruleset as sections to show. */
export function rulePages() {
  return rules;
}

/** Why something was not done, as the server says it; that there is no line it cannot say. */
export function why(error) {
  return error.code === "offline" ? t("offline") : error.message;
}

/** A message, filled. With `n`, a message "KEY_one" is taken for one where there is one. Unknown keys throw: a missing
 *  word is a fault that a test finds. */
export function t(key, values = {}) {
  const chosen = values.n === 1 && `${key}_one` in messages ? `${key}_one` : key;
  const text = messages[chosen];
  if (text === undefined) throw new Error(`expected words for '${key}' in ${current}, got none`);
  return withParticles(text.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place)));
}

export function has(key) {
  return key in messages;
}

/** Which final sound a digit is read with in Korean: 0 none, 8 the liquid one, 1 another. */
const DIGITS = [1, 8, 0, 1, 0, 0, 1, 8, 8, 0];

/** Korean particles follow the last sound before them: "(으)로" is written as it is read where that is known. */
function withParticles(text) {
  return text.replace(/(.)\((을|이|은|으)\)(를|가|는|로)/gu, (whole, before, closed, open) => {
    const code = before.codePointAt(0) - 0xac00;
    const last = code >= 0 && code <= 11171 ? code % 28 : /\d/.test(before) ? DIGITS[Number(before)] : -1;
    if (last < 0) return whole;
    if (open === "로") return before + (last === 0 || last === 8 ? "로" : "으로");
    return before + (last === 0 ? open : closed);
  });
}
