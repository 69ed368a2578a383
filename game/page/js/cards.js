// Our own card faces: a large index that stays readable when cards overlap, one large sign, emblems for the court.

import { h, svg } from "./dom.js";
import { settings } from "./settings.js";
import { t } from "./words.js";

export const JOKER = "Jk";
const RATIO_HEIGHT = 84; // of a face that is 60 wide

/** The signs, drawn in a square of 32. */
const SIGNS = {
  h: "M16 29C5 20.5 2 15 2 10.3 2 6 5.2 3 9 3c3 0 5.7 1.8 7 4.8C17.3 4.8 20 3 23 3c3.8 0 7 3 7 7.3C30 15 27 20.5 16 29Z",
  d: "M16 2c2.6 5.3 6.2 10 10.6 14-4.4 4-8 8.7-10.6 14-2.6-5.3-6.2-10-10.6-14C9.8 12 13.4 7.3 16 2Z",
  s: "M16 2c3.7 6 13 11 13 17.6 0 3.8-2.9 6.5-6.3 6.5-2.3 0-4.2-1.1-5.3-2.8.2 2.9 1.3 5.2 3.3 6.7h-9.4c2-1.5 3.1-3.8 3.3-6.7-1.1 1.7-3 2.8-5.3 2.8C5.9 26.1 3 23.4 3 19.6 3 13 12.3 8 16 2Z",
  c: "M16 2.2a6.7 6.7 0 0 1 5.4 10.7 6.7 6.7 0 1 1-4 11.3c.2 2.6 1.4 4.6 3.3 5.8h-9.4c1.9-1.2 3.1-3.2 3.3-5.8a6.7 6.7 0 1 1-4-11.3A6.7 6.7 0 0 1 16 2.2Z",
};

/** Headgear of the court, drawn in a square of 32: cap with a feather, coronet with pearls, crown with a cross. */
const EMBLEMS = {
  J: ["M4 24c0-8 5-13 12-13s12 5 12 13Z", "M3 25h26v3.5H3Z", "M19 11c1-5 4-8.5 9-9.5-.5 5.5-3.5 9-7.5 10.5Z"],
  Q: [
    "M4 26 3 11l6.5 6.5L16 8l6.5 9.5L29 11l-1 15Z",
    "M4 27.2h24v2.8H4Z",
    "M3 6.6a2.2 2.2 0 1 0 .01 0ZM16 2.8a2.4 2.4 0 1 0 .01 0ZM29 6.6a2.2 2.2 0 1 0 .01 0Z",
  ],
  K: [
    "M4 26 2.5 12c3.5-2 7-1 8 3 .5-4 2.5-6.5 5.5-6.5s5 2.5 5.5 6.5c1-4 4.5-5 8-3L28 26Z",
    "M4 27.2h24v2.8H4Z",
    "M14.9 1h2.2v2.2h2.2v2.2h-2.2v2.6h-2.2V5.4h-2.2V3.2h2.2Z",
  ],
};

const STAR = "M16 2l4 9.3 10 .9-7.6 6.6 2.3 9.9L16 23.4 7.3 28.7l2.3-9.9L2 12.2l10-.9Z";

/** Rank and suit of a card's text; a joker has neither. */
export function rankOf(card) {
  return card === JOKER ? "" : card[0];
}
export function suitOf(card) {
  return card === JOKER ? "" : card[1];
}

/** Whether a card is wild where `wild` was cut (null: no card was, and none is). */
export function isWild(card, wild) {
  return Boolean(wild) && card !== null && (card === JOKER || (wild !== JOKER && card[0] === wild[0]));
}

/** A card said in words: for labels and for the live region. */
export function cardName(card) {
  if (card === JOKER) return t("card_joker");
  return t("card_name", { rank: t(`rank_${rankOf(card)}`), suit: t(`suit_${suitOf(card)}`) });
}

/** A card in a line of text: 10♦. */
export function cardSign(card) {
  if (card === JOKER) return "★";
  const sign = { s: "♠", h: "♥", d: "♦", c: "♣" }[suitOf(card)];
  return rankText(card) + sign;
}

/** A sentence of the server with its cards, 9h, written as signs, 9♥. */
export function withSigns(text) {
  return text.replace(/(?<![\p{L}\d])(?:Jk|(?:10|[2-9AJQKT])[shdc])(?![\p{L}\d])/gu, (card) => cardSign(card.replace("10", "T")));
}

/** A card in a line of text, coloured. */
export function inlineCard(card) {
  return h("span", { class: "inline-card", "data-suit": suitOf(card) || "joker" }, cardSign(card));
}

function rankText(card) {
  return rankOf(card) === "T" ? "10" : rankOf(card);
}

function sign(name, x, y, size) {
  return svg("path", { d: SIGNS[name], transform: `translate(${x} ${y}) scale(${size / 32})`, class: "sign" });
}

function parts(paths, x, y, size, name) {
  const inner = paths.map((d, at) => svg("path", { d, class: `${name}-${at}` }));
  return svg("g", { transform: `translate(${x} ${y}) scale(${size / 32})` }, inner);
}

/** The face of a card as a drawing. */
export function face(card) {
  const drawing = svg("svg", { viewBox: `0 0 60 ${RATIO_HEIGHT}`, class: "face", "aria-hidden": "true", focusable: "false" });
  if (card === JOKER) {
    drawing.append(
      svg("path", { d: STAR, transform: "translate(3.5 4) scale(.62)", class: "sign" }),
      svg("text", { x: 13.5, y: 42, class: "joker-word" }, "J"),
      svg("rect", { x: 24, y: 26, width: 31, height: 53, rx: 5, class: "panel" }),
      jesterHat(),
      svg("path", { d: STAR, transform: "translate(33 59) scale(.42)", class: "sign" }),
    );
    return drawing;
  }
  const rank = rankText(card);
  const suit = suitOf(card);
  const index = svg("text", { x: 14, y: 25, class: "index" }, rank);
  if (rank.length > 1) {
    index.setAttribute("textLength", "23");
    index.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  drawing.append(index);
  drawing.append(
    settings.suitLetters
      ? svg("text", { x: 14, y: 45, class: "suit-letter" }, suit.toUpperCase())
      : sign(suit, 5.5, 30, 17),
  );
  if (rank in EMBLEMS) {
    drawing.append(
      svg("rect", { x: 25, y: 30, width: 30, height: 49, rx: 5, class: "panel" }),
      parts(EMBLEMS[rank], 28, 34, 24, "emblem"),
      sign(suit, 31, 59, 18),
    );
  } else if (rank === "A") {
    drawing.append(svg("circle", { cx: 38, cy: 58, r: 19.5, class: "ring" }), sign(suit, 25.5, 45.5, 25));
  } else {
    drawing.append(sign(suit, 24, 45, 32));
  }
  return drawing;
}

function jesterHat() {
  const group = svg("g", { transform: "translate(26.5 32) scale(.81)" });
  const shapes = [
    ["M16 8C12 2 4 3 2 12c4-2 6 0 6 4l-1 9h18l-1-9c0-4 2-6 6-4C28 3 20 2 16 8Z", "emblem-0"],
    ["M6 26h20v4H6Z", "emblem-1"],
    ["M2 11.5a2.3 2.3 0 1 0 .01 0ZM30 11.5a2.3 2.3 0 1 0 .01 0ZM16 4.5a2.3 2.3 0 1 0 .01 0Z", "emblem-2"],
  ];
  group.append(...shapes.map(([d, name]) => svg("path", { d, class: name })));
  return group;
}

/** A card that lies there. `tag`: "button" where it can be pressed. Without `card` it lies face down, and its label
 *  says only that. */
export function cardElement(card, { tag = "span", label, wild = false, small = false } = {}) {
  const down = card === null || card === undefined;
  const name = down ? t("card_down") : cardName(card);
  const element = h(tag, {
    class: `card${down ? " back" : ""}${wild ? " wild" : ""}${small ? " small" : ""}`,
    type: tag === "button" ? "button" : null,
    role: tag === "button" ? null : "img",
    "aria-label": label ?? (wild && card !== JOKER ? t("card_wild", { card: name }) : name),
    "data-card": down ? null : card,
    "data-suit": down ? null : suitOf(card) || "joker",
  });
  if (!down) element.append(face(card));
  if (wild && card !== JOKER) element.append(h("span", { class: "wild-mark", "aria-hidden": "true" }, "★"));
  return element;
}
