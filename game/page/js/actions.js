// Which buttons lie below the hand, and what they do: {name, key, text, enabled, primary, run} each. `chosen`: the chosen
// cards; `game`: as the table has it; `run` is one of the `moves`.

import { may, myTurn } from "./turn.js";
import { t } from "./words.js";

/** The two or three that every turn has. */
export function mainActions(state, chosen, game, moves) {
  // The sheet has been put away: from there it goes on.
  if (state.phase === "over") return [{ name: "sheet", key: "Enter", text: t("sheet"), enabled: true, primary: true, run: () => game.sheet() }];
  if (myTurn(state) && (state.phase === "draw" || state.phase === "upcard")) {
    const draws = may(state, "draw");
    const second =
      state.phase === "upcard"
        ? { name: "pass", key: "P", text: t("do_pass"), enabled: may(state, "pass"), run: () => moves.pass() }
        : { name: "draw", key: "D", text: t("do_draw"), enabled: draws, primary: draws, run: () => moves.draw() };
    return [second, { name: "take", key: "F", text: t("do_take"), enabled: may(state, "take"), primary: !draws, run: () => moves.take() }];
  }
  const one = chosen.length === 1 ? chosen[0] : null;
  const lays = one !== null && (may(state, "layoff", one) || may(state, "swap", one));
  const actions = [];
  if (game.entry.table) {
    if (lays) {
      const text = may(state, "layoff", one) ? t("do_layoff") : t("do_swap");
      actions.push({ name: "layoff", key: "L", text, enabled: true, primary: true, run: () => moves.layOff() });
    } else {
      const enabled = myTurn(state) && chosen.length >= 3;
      actions.push({ name: "meld", key: "Enter", text: t("do_meld"), enabled, primary: enabled, run: () => moves.layDown() });
    }
  }
  const enabled = myTurn(state) && one !== null;
  actions.push({ name: "discard", key: "X", text: t("do_discard"), enabled, primary: enabled && !lays, run: () => moves.discard() });
  return actions;
}

/** Those that are there only while they can be done. */
export function extraActions(state, game, moves) {
  if (!myTurn(state)) return [];
  const actions = [];
  if (state.opening?.move) actions.push({ name: "open", key: "O", text: t("do_open", { n: state.opening.best }), enabled: true, primary: true, run: () => moves.open() });
  if (state.may_untake) actions.push({ name: "untake", key: "U", text: t("do_untake"), enabled: true, run: () => moves.untake() });
  if (may(state, "knock")) {
    const gin = state.moves.some((move) => move.kind === "knock" && move.left?.points === 0);
    actions.push({ name: "knock", key: "K", text: t(gin ? "do_gin" : "do_knock"), enabled: true, primary: gin, run: () => moves.knock() });
  }
  if (game.entry.kinds.includes("declare") && state.phase === "play") {
    const ready = may(state, "declare");
    actions.push({ name: "declare", key: "C", text: t(ready ? "do_declare" : "do_arrange"), enabled: true, primary: ready, run: () => moves.declare() });
  }
  if (may(state, "pack")) actions.push({ name: "pack", key: "P", text: t("do_pack"), enabled: true, run: () => moves.pack() });
  return actions;
}
