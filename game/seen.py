"""What each seat sees of a table, in the form of game/PROTOCOL.md: from its View, and nothing else that is hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from game import offers
from rummy_env.cards import card_text
from rummy_env.core.state import NO_CARD
from rummy_env.game import MOVES

if TYPE_CHECKING:
    from rummy_env import Game, View

PILE_SHOWN: Final = 12


def public(game: Game) -> dict[str, Any]:
    """What everybody sees."""
    view = game.view(0)
    record = view.record[0]
    names = record.dtype.names or ()
    most = game.rules.max_refills
    refills = int(record["reshuffles"]) if "reshuffles" in names else 0
    packed = view.packed
    taken = view.taken
    pile = view.pile
    down_now = bool(record["down_now"]) if "down_now" in names else False
    down = view.put_down if "put_down" in names else [False] * game.rules.num_players
    return {
        "ruleset": game.rules.ruleset,
        "phase": view.phase,
        "to_play": view.to_play,
        "turn": view.turn,
        "dealer": view.dealer,
        "seats": [
            {
                "cards": cards,
                "total": total,
                "known": view.known(seat),
                "opened": bool(down[seat]) or (seat == view.to_play and down_now),
                "packed": packed[seat],
            }
            for seat, (cards, total) in enumerate(zip(view.hand_sizes, view.totals, strict=True))
        ],
        "table": [{"cards": list(meld.cards), "by": meld.by} for meld in view.table],
        "pile": pile[-PILE_SHOWN:],
        "pile_size": len(pile),
        "stock": view.stock_size,
        "refills": refills,
        "refills_left": None if most < 0 else max(0, most - refills),
        "wild": view.wild,
        "taken": taken,
        "duties": duties(game),
    }


def duties(game: Game) -> list[dict[str, Any]]:
    """What the seat to play must put down before its turn can end."""
    if game.over or "untake" not in MOVES[game.rules.ruleset].kinds:
        return []
    record = game.state["view"][0]
    found: list[dict[str, Any]] = []
    if int(record["taken"]) != NO_CARD and not record["taken_used"]:
        found.append({"kind": "taken", "card": card_text(int(record["taken"]))})
    if record["freed"]:
        found.append({"kind": "joker", "count": int(record["freed"])})
    return found


def private(game: Game, seat: int, everybody: dict[str, Any]) -> dict[str, Any]:
    """What only one seat sees. ``everybody``: what `public` gave."""
    view = game.view(seat)
    hand = view.hand
    wild = everybody["wild"]
    found = {"hand": hand, "points": game.rules.hand_points(hand, wild)}
    if not game.over:
        found |= offers.of_seat(game, seat, hand, wild)
    return found


def result(game: Game, match_over: bool, winners: tuple[int, ...]) -> dict[str, Any] | None:
    """How a round ended, with all hands open (RESULT); None until it is over."""
    outcome = game.result
    if outcome is None:
        return None
    view = game.view(0)
    return {
        "winner": outcome.winner,
        "scores": list(outcome.scores),
        "totals": list(game.totals),
        "doubled": outcome.doubled,
        "blocked": outcome.blocked,
        "void": outcome.void,
        "truncated": outcome.truncated,
        "how": how(game),
        "hands": [_left(game, view, seat) for seat in range(game.rules.num_players)],
        "match_over": match_over,
        "winners": list(winners),
    }


def _left(game: Game, view: View, seat: int) -> dict[str, Any]:
    """What a seat was left with; in hand games as it was laid out, in the owner's favour where it was not shown."""
    hand = game.hand(seat)
    found: dict[str, Any] = {"seat": seat, "cards": hand, "points": game.rules.hand_points(hand, view.wild)}
    if not offers.arranges(game.rules) or not hand:
        return found
    shown = view.showdown.hands[seat] if view.showdown else None
    if shown is not None:
        melds, laid_off = [list(meld) for meld in shown.melds], list(shown.laid_off)
        return found | {"melds": melds, "deadwood": list(shown.deadwood), "laid_off": laid_off, "points": shown.points}
    arranged = offers.arrangement(game.rules, tuple(hand), view.wild)
    melds = [meld["cards"] for meld in arranged["melds"]]
    return found | {"melds": melds, "deadwood": arranged["deadwood"], "points": arranged["points"]}


def how(game: Game) -> str:
    """In one word, how a round ended."""
    outcome = game.result
    assert outcome is not None
    for word, applies in (("turns", outcome.truncated), ("void", outcome.void), ("blocked", outcome.blocked)):
        if applies:
            return word
    return {"last": "packed"}.get(outcome.how or "", outcome.how or "out")
