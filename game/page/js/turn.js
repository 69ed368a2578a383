// What the server says of my turn: whether it is mine, and which moves there are.

export function myTurn(state) {
  return Boolean(state) && state.me !== null && state.to_play === state.me && state.phase !== "over";
}

/** Whether I may make a move of this kind now, with this card if one is named. */
export function may(state, kind, card) {
  return myTurn(state) && Boolean(state.moves?.some((move) => move.kind === kind && (card === undefined || move.cards[0] === card)));
}

/** The moves that bring this card to a meld on the table. */
export function fitting(state, card) {
  return (state.moves ?? []).filter((move) => (move.kind === "layoff" || move.kind === "swap") && move.cards[0] === card);
}
