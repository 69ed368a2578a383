// An opening that is put together by hand, meld by meld, before it goes down in one move.

import { t, why } from "./words.js";

export class Opening {
  /** `check(groups)`: what the server says of melds. */
  constructor(check) {
    this.check = check;
    this.clear();
  }

  clear() {
    this.groups = []; // {cards, points}, in the order they were put together
    this.total = 0; // points
  }

  /** Put one more meld to it. What comes of that: `move`, which puts all of them down; or else `threshold`, the points
   *  that are needed; or else `refused`, why these cards are no meld of an opening. */
  async add(cards) {
    let answer;
    try {
      answer = await this.check([...this.groups.map((group) => group.cards), cards]);
    } catch (error) {
      return { refused: why(error) };
    }
    const last = answer.groups.at(-1);
    if (!last.kind) return { refused: last.text ?? answer.text ?? t("no_meld") };
    if (answer.move) return { move: answer.move };
    if (answer.threshold === undefined || answer.threshold === null) return { refused: answer.text };
    this.groups = answer.groups.map((group) => ({ cards: group.cards, points: group.points }));
    this.total = answer.total;
    return { threshold: answer.threshold };
  }

  remove(at) {
    const [group] = this.groups.splice(at, 1);
    this.total -= group.points ?? 0;
  }

  /** Those of my cards that are set aside for it. Of two equal ones only as many as it has. `cards`: {card, …} each. */
  setAside(cards) {
    const left = this.groups.flatMap((group) => group.cards);
    const isAside = ({ card }) => {
      const at = left.indexOf(card);
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    };
    return new Set(cards.filter(isAside));
  }
}
