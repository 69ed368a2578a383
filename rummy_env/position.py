"""Positions as dicts (API.md, "Position"): reading with every check, writing, and dealing the hidden anew."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummy_env.cards import Card, card_text, cards_text, from_mask, parse_card, parse_cards, rank_of, suit_of, to_mask
from rummy_env.core import batch
from rummy_env.core.state import LAID_OFF, MELDED, NO_CARD, NOBODY, PHASES, RUN, SET, new_states
from rummy_env.rules import Rules
from rummy_env.view import pile_cards, table_melds

KEYS: Final = (
    "hands", "table", "pile", "stock", "to_play", "phase", "taken", "taken_used", "melded_now", "laid_off_now",
    "put_down", "reshuffles", "turns", "dealer",
)  # fmt: skip
"""Those of API.md, and two more: ``melded_now`` and ``laid_off_now`` (bool), whether the seat to play has put down a
meld, has laid off a card in this turn. Without them the middle of a turn would forget what spoils a later rummy."""
OTHER_RULESETS_KEYS: Final = ("untaken", "freed", "opened_now", "passes", "opened", "wild", "packed")
"""Keys that other rulesets use; here only their empty values are read."""


def to_states(rules: Rules, position: Mapping[str, Any]) -> npt.NDArray[np.void]:
    """The table of a position: an array of one record whose turn has not been begun yet.

    Raises:
        ValueError: for an impossible position, saying what is wrong.
    """
    _check_keys(rules, position)
    n = rules.num_players
    states = new_states(1)
    view, hidden = states["view"], states["hidden"]
    hands = [_cards(rules, hand, f"hand of seat {seat}") for seat, hand in enumerate(_list(position, "hands", n))]
    pile = _cards(rules, position.get("pile", ""), "pile")
    stock = _cards(rules, position.get("stock", ""), "stock")
    melds = _read_melds(rules, position.get("table", []))
    seen: dict[Card, str] = {}
    places = [(f"the hand of seat {seat}", hand) for seat, hand in enumerate(hands)]
    places += [("the pile", pile), ("the stock", stock)]
    places += [(f"meld {number} of the table", meld) for number, (meld, _) in enumerate(melds)]
    for place, cards in places:
        for card in cards:
            if card in seen:
                raise ValueError(f"expected each card once, got {card_text(card)} in {seen[card]} and in {place}")
            seen[card] = place

    for seat, hand in enumerate(hands):
        hidden["hands"][0, seat] = to_mask(hand)
        view["hand_sizes"][0, seat] = len(hand)
    view["pile"][0, : len(pile)] = pile
    view["pile_size"] = len(pile)
    view["pile_cards"] = to_mask(pile)
    hidden["stock"][0, : len(stock)] = stock[::-1]
    view["stock_size"] = len(stock)
    for number, (cards, by) in enumerate(melds):
        run = rules.is_run(cards)
        view["meld_kind"][0, number] = RUN if run else SET
        view["meld_key"][0, number] = suit_of(cards[0]) if run else rank_of(cards[0])
        view["meld_low"][0, number] = rank_of(cards[0]) if run else 0
        view["meld_size"][0, number] = len(cards)
        view["meld_suits"][0, number] = 0 if run else to_mask(map(suit_of, cards))
        view["meld_by"][0, number] = by
        view["table"] |= to_mask(cards)
    view["num_melds"] = len(melds)
    view["winner"] = NOBODY

    seat = _whole(position, "to_play", 0, n - 1)
    phase = position.get("phase", "draw")
    if phase not in ("draw", "play"):
        raise ValueError(f"phase: expected 'draw' or 'play', got {phase!r}")
    if phase == "play" and not hands[seat]:
        raise ValueError(f"expected cards in the hand of seat {seat} in phase play, got none")
    view["to_play"] = seat
    view["phase"] = PHASES.index(phase)
    taken = _read_taken(position, phase, hands[seat], {card for meld, _ in melds for card in meld})
    view["taken"] = taken
    if taken in hands[seat]:
        view["known"][0, seat] = 1 << taken
    for key, down in (("melded_now", MELDED), ("laid_off_now", LAID_OFF)):
        if _flag(position, key):
            if phase != "play":
                raise ValueError(f"{key}: expected false in phase draw, got true")
            view["down_now"] |= down
    for other, flag in enumerate(_list(position, "put_down", n, [False] * n)):
        view["put_down"][0, other] = _flag({"put_down": flag}, "put_down")
    view["reshuffles"] = _whole(position, "reshuffles", 0, 1000)
    if view["reshuffles"][0]:
        # Which cards went back into the stock is forgotten: any card that nobody sees may have.
        view["returned"] = to_mask(rules.deck) & ~(view["table"] | view["pile_cards"] | view["known"][:, seat])
        view["drawn"] = view["hand_sizes"]
    turns = _list(position, "turns", n, [0] * n)
    view["turn"] = sum(_whole({"turns": count}, "turns", 0, 1_000_000) for count in turns)
    view["dealer"] = _whole(position, "dealer", 0, n - 1, n - 1)
    return states


def from_states(rules: Rules, states: npt.NDArray[np.void]) -> dict[str, Any]:
    """The position of a table, as `to_states` reads it. A finished round gives the phase "over"."""
    view, hidden = states["view"], states["hidden"]
    n = rules.num_players
    taken = int(view["taken"][0])
    in_hand = taken != NO_CARD and bool(hidden["hands"][0, int(view["to_play"][0])] >> taken & 1)
    turn, first = int(view["turn"][0]), (int(view["dealer"][0]) + 1) % n
    return {
        "hands": [cards_text(from_mask(hidden["hands"][0, seat])) for seat in range(n)],
        "table": [{"cards": str(meld), "by": meld.by} for meld in table_melds(view)],
        "pile": " ".join(pile_cards(view)),
        "stock": cards_text(int(card) for card in hidden["stock"][0, : view["stock_size"][0]][::-1]),
        "to_play": int(view["to_play"][0]),
        "phase": PHASES[int(view["phase"][0])],
        "taken": None if taken == NO_CARD else card_text(taken),
        "taken_used": taken != NO_CARD and not in_hand,
        "melded_now": bool(view["down_now"][0] & MELDED),
        "laid_off_now": bool(view["down_now"][0] & LAID_OFF),
        "put_down": [bool(flag) for flag in view["put_down"][0, :n]],
        "reshuffles": int(view["reshuffles"][0]),
        "turns": [(turn - (seat - first) % n + n - 1) // n for seat in range(n)],
        "dealer": int(view["dealer"][0]),
    }


def resample(rules: Rules, states: npt.NDArray[np.void], seat: int, rng: np.random.Generator) -> npt.NDArray[np.void]:
    """A copy of the table in which everything hidden from ``seat`` is dealt anew at random, as far as the seat
    cannot infer it: known cards stay, and after a refill the stock holds only cards that the pile gave back."""
    states = states.copy()
    view, hidden = states["view"][0], states["hidden"][0]
    others = [other for other in range(rules.num_players) if other != seat]
    known = {other: int(view["known"][other]) for other in others}
    stock_size = int(view["stock_size"])
    hidden_cards = [int(card) for card in hidden["stock"][:stock_size]]
    for other in others:
        hidden_cards += from_mask(int(hidden["hands"][other]) & ~known[other])
    # Only a refill sorts the hidden cards: those that went back to the stock can be there or drawn since, all
    # others are in hands.
    may_be_stock = int(view["returned"]) if view["reshuffles"] else to_mask(hidden_cards)
    held = [card for card in hidden_cards if not may_be_stock >> card & 1]
    loose = [card for card in hidden_cards if may_be_stock >> card & 1]
    rng.shuffle(held)
    rng.shuffle(loose)
    slots = {other: int(view["hand_sizes"][other]) - known[other].bit_count() for other in others}
    # A hand can hold at most as many cards of the stock as its seat drew since the refill.
    drawn_places = [other for other in others for _ in range(min(int(view["drawn"][other]), slots[other]))]
    if not view["reshuffles"]:
        drawn_places = [other for other in others for _ in range(slots[other])]
    rng.shuffle(drawn_places)
    from_stock = len(loose) - stock_size
    hands = dict(known)
    for other in drawn_places[:from_stock]:
        hands[other] |= 1 << loose.pop()
        slots[other] -= 1
    for other in others:
        for _ in range(slots[other]):
            hands[other] |= 1 << (held.pop() if held else loose.pop())
    for other in others:
        hidden["hands"][other] = hands[other]
    hidden["stock"][:stock_size] = loose
    hidden["rng"] = rng.integers(1, 2**64, dtype=np.uint64)
    hidden["bot_rng"] = rng.integers(1, 2**64, dtype=np.uint64)
    view["hand"] = hidden["hands"][int(view["seat"])]
    batch.refresh_table(rules.record, states)
    return states


def _check_keys(rules: Rules, position: Mapping[str, Any]) -> None:
    if not isinstance(position, Mapping):
        raise ValueError(f"expected a position as a dict, got {type(position).__name__}")
    for key, value in position.items():
        if key in OTHER_RULESETS_KEYS:
            if _says_something(value):
                raise ValueError(f"{rules.ruleset} has no {key!r} in a position, got {value!r}")
        elif key not in KEYS:
            near = difflib.get_close_matches(str(key), KEYS, 1)
            raise ValueError(
                f"expected keys of a position ({', '.join(KEYS)}), got {key!r}"
                + (f"; did you mean {near[0]!r}?" if near else "")
            )


def _says_something(value: Any) -> bool:
    """Whether a value is more than null, false, 0, nothing, or a list of those."""
    return any(map(_says_something, value)) if isinstance(value, (list, tuple)) else bool(value)


def _flag(position: Mapping[str, Any], key: str) -> bool:
    value = position.get(key, False)
    if not isinstance(value, bool):
        raise ValueError(f"{key}: expected true or false, got {value!r}")
    return value


def _cards(rules: Rules, cards: Any, where: str) -> list[Card]:
    if not isinstance(cards, str) and not (isinstance(cards, (list, tuple)) and all(isinstance(c, str) for c in cards)):
        raise ValueError(f"{where}: expected cards as text or a list of texts, got {cards!r}")
    try:
        found = parse_cards(cards)
        rules.check_cards(found)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return found


def _list(position: Mapping[str, Any], key: str, size: int, default: list[Any] | None = None) -> list[Any]:
    value = position.get(key, default)
    if not isinstance(value, (list, tuple)) or len(value) != size:
        raise ValueError(f"{key}: expected a list of {size}, one for each seat, got {value!r}")
    return list(value)


def _whole(position: Mapping[str, Any], key: str, low: int, high: int, default: int | None = None) -> int:
    value = position.get(key, low if default is None else default)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{key}: expected a whole number from {low} to {high}, got {value!r}")
    return value


def _read_melds(rules: Rules, table: Any) -> list[tuple[list[Card], int]]:
    if not isinstance(table, (list, tuple)):
        raise ValueError(f"table: expected a list of melds, got {table!r}")
    melds = []
    for number, meld in enumerate(table):
        if not isinstance(meld, Mapping) or not {"cards"} <= meld.keys() <= {"cards", "by"}:
            raise ValueError(f'table: expected melds like {{"cards": "4d 5d 6d", "by": 0}}, got {meld!r}')
        cards = sorted(_cards(rules, meld["cards"], f"meld {number} of the table"))
        if not (rules.is_set(cards) or rules.is_run(cards)):
            raise ValueError(f"meld {number} of the table: expected a set or a run, got {cards_text(cards)}")
        melds.append((cards, _whole(meld, "by", 0, rules.num_players - 1)))
    return melds


def _read_taken(position: Mapping[str, Any], phase: str, hand: list[Card], table: set[Card]) -> int:
    taken = position.get("taken")
    used = _flag(position, "taken_used")
    if taken is None:
        if used:
            raise ValueError("taken_used: expected a taken card with it, got none")
        return NO_CARD
    if not isinstance(taken, str):
        raise ValueError(f"taken: expected the text of a card or null, got {taken!r}")
    try:
        card = parse_card(taken)
    except ValueError as error:
        raise ValueError(f"taken: {error}") from None
    if phase != "play":
        raise ValueError(f"taken: expected no taken card in phase draw, got {taken}")
    if card not in (table if used else hand):
        where = "on the table, since it was used" if used else "in the hand of the seat to play"
        raise ValueError(f"taken: expected {card_text(card)} {where}")
    return card
