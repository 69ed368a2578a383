// Cards that are dragged out of the hand: the places that take them light up, and what is dropped there becomes a move.

export class Drops {
  /** `element`: the table; `pile` and `felt`: places in it that take cards, as a meld on the felt does; `state()`: the
   *  table as it is shown. */
  constructor({ element, pile, felt, hand, moves, state }) {
    this.element = element;
    this.pile = pile;
    this.felt = felt;
    this.hand = hand;
    this.moves = moves;
    this.shown = state;
  }

  #targetAt(x, y) {
    const element = document.elementsFromPoint(x, y).find((one) => !one.closest(".hand") && !one.closest(".flying") && this.element.contains(one));
    if (!element) return null;
    const meld = element.closest("[data-meld]");
    if (meld) return { kind: "meld", element: meld, number: Number(meld.dataset.meld) };
    if (this.pile.contains(element)) return { kind: "pile", element: this.pile };
    if (this.felt.contains(element)) return { kind: "felt", element: this.felt };
    return null;
  }

  /** Cards are held over a point; `cards` null: they are not over the table any more. */
  light(cards, x, y) {
    const target = cards ? this.#targetAt(x, y) : null;
    for (const element of this.element.querySelectorAll(".target")) if (element !== target?.element) element.classList.remove("target");
    target?.element.classList.add("target");
  }

  drop(cards, x, y) {
    const target = this.#targetAt(x, y);
    if (!target) return;
    this.hand.choose(cards);
    if (target.kind === "pile") this.moves.discard(cards);
    else if (target.kind === "meld") this.moves.pressMeld(target.number);
    else if (cards.length === 1 && this.shown().moves?.some((move) => move.kind === "layoff" && move.cards[0] === cards[0])) this.moves.layOff(cards);
    else this.moves.layDown(cards);
  }
}
