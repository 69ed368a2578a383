"""Positions as dicts (API.md, "Position"): reading with every check, writing, and dealing the hidden anew."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummy_env.cards import JOKER, Card, card_text, cards_text, parse_card, parse_cards, rank_of, to_mask
from rummy_env.core.gin import ALL_PASSED
from rummy_env.core.melds import ONE_OF_EACH_SUIT
from rummy_env.core.state import (
    LAID_OFF,
    MELDED,
    NO_CARD,
    NOBODY,
    OVER,
    PACKS,
    PHASES,
    PLAY,
    RUN,
    SET,
    new_states,
)
from rummy_env.core.worlds import deal_worlds
from rummy_env.held import hand_cards, held_cards, known_cards, layers
from rummy_env.melds import Meld
from rummy_env.numbers import flag, in_range, whole_number
from rummy_env.rules import Rules, at_most
from rummy_env.view import pile_cards, table_melds

_COMMON_KEYS: Final = ("hands", "pile", "stock", "to_play", "phase", "taken", "turns", "dealer")
_TABLE_GAME_KEYS: Final = (*_COMMON_KEYS, "table", "taken_used", "melded_now", "laid_off_now", "reshuffles")
KEYS: Final = {
    "straight": (*_TABLE_GAME_KEYS, "put_down"),
    "rami": (*_TABLE_GAME_KEYS, "opened", "opened_now", "untaken", "freed", "pending"),
    "indian": (*_COMMON_KEYS, "wild", "packed"),
    "gin": (*_COMMON_KEYS, "passes"),
}
"""Those of API.md, and some more: ``melded_now`` and ``laid_off_now`` (bool), whether the seat to play has put down a
meld, has laid off a card in this turn. Without them the middle of a turn would forget what spoils a later rummy.
``pending`` (rami): how many melds, the last of the table, are pieces of an opening in the making. ``passes`` (gin) is
also 2 in phase draw, where both players have just refused the upcard and only `draw` is legal. ``untaken`` (rami) is 2
where the card was given back twice, as `Rules.take_again` allows."""
OTHER_RULESETS_KEYS: Final = (
    "table", "taken_used", "reshuffles", "put_down", "untaken", "freed", "opened_now", "passes", "opened", "wild",
    "packed",
)  # fmt: skip
"""Keys that only some rulesets use; the others read only their empty values."""

_PHASES: Final = {"gin": ("draw", "play", "upcard")}
"""Phases of a position, where a ruleset has others than draw and play."""


def to_states(rules: Rules, position: Mapping[str, Any]) -> npt.NDArray[np.void]:
    """The table of a position: an array of one record whose turn has not been begun yet.

    Raises:
        ValueError: for an impossible position, saying what is wrong.
    """
    _check_keys(rules, position)
    n = rules.num_players
    states = new_states(rules.ruleset, 1)
    view, hidden = states["view"], states["hidden"]
    hands = [_cards(rules, hand, f"hand of seat {seat}") for seat, hand in enumerate(_list(position, "hands", n))]
    pile = _cards(rules, position.get("pile", ""), "pile")
    stock = _cards(rules, position.get("stock", ""), "stock")
    melds = _read_melds(rules, position.get("table", [])) if rules.has_table else []
    on_table = [card for meld, _ in melds for card in meld.cards]
    places = [(f"the hand of seat {seat}", hand) for seat, hand in enumerate(hands)]
    places += [("the pile", pile), ("the stock", stock)]
    cut = _read_card(position, "wild")
    if cut is not None:
        rules.check_cards([cut])
        places.append(("the cut card", [cut]))
    places += [(f"meld {number} of the table", list(meld.cards)) for number, (meld, _) in enumerate(melds)]
    _check_copies(rules, places)

    for seat, hand in enumerate(hands):
        _write_cards(hidden, "hands", "jokers", hand, seat)
        view["hand_sizes"][0, seat] = len(hand)
    view["pile"][0, : len(pile)] = pile
    view["pile_size"] = len(pile)
    _write_cards(view, "pile_cards", "pile_jokers", pile)
    hidden["stock"][0, : len(stock)] = stock[::-1]
    view["stock_size"] = len(stock)
    view["winner"] = NOBODY

    seat = _whole(position, "to_play", 0, n - 1)
    phase = position.get("phase", "draw")
    phases = _PHASES.get(rules.ruleset, ("draw", "play"))
    if phase not in phases:
        raise ValueError(f"phase: expected {' or '.join(map(repr, phases))}, got {phase!r}")
    if phase == "play" and not hands[seat]:
        raise ValueError(f"expected cards in the hand of seat {seat} in phase play, got none")
    view["to_play"] = seat
    view["phase"] = PHASES.index(phase)
    taken = _read_taken(position, phase, hands[seat], set(on_table))
    view["taken"] = taken
    if taken in hands[seat]:
        _write_cards(view, "known", "known_jokers", [taken], seat)
    turns = _list(position, "turns", n, [0] * n)
    view["turn"] = sum(_whole({"turns": count}, "turns", 0, 1_000_000) for count in turns)
    view["dealer"] = _whole(position, "dealer", 0, n - 1, n - 1)
    if rules.has_table:
        _read_table_game(rules, position, view, phase, hands[seat], melds)
    else:
        view["closer"] = NOBODY
    if rules.ruleset == "gin":
        _read_gin(position, view, phase)
    elif rules.ruleset == "indian":
        _read_indian(rules, position, view, cut)
    return states


def _read_table_game(
    rules: Rules,
    position: Mapping[str, Any],
    view: npt.NDArray[np.void],
    phase: str,
    hand: list[Card],
    melds: list[tuple[Meld, int]],
) -> None:
    """What only games with melds on the table have."""
    n, seat = rules.num_players, int(view["to_play"][0])
    for number, (meld, by) in enumerate(melds):
        view["meld_kind"][0, number] = RUN if meld.is_run else SET
        for name in ("key", "low", "size", "suits", "jokers"):
            view[f"meld_{name}"][0, number] = getattr(meld, name)
        view["meld_by"][0, number] = by
    _write_cards(view, "table", "table_jokers", [card for meld, _ in melds for card in meld.cards])
    view["num_melds"] = len(melds)
    for key, down in (("melded_now", MELDED), ("laid_off_now", LAID_OFF)):
        if _flag(position, key):
            if phase != "play":
                raise ValueError(f"{key}: expected false in phase draw, got true")
            view["down_now"] |= down
    earlier = "opened" if rules.ruleset == "rami" else "put_down"
    for other, done in enumerate(_list(position, earlier, n, [False] * n)):
        view["put_down"][0, other] = flag(earlier, done)
    view["reshuffles"] = _whole(position, "reshuffles", 0, 1000)
    if rules.ruleset == "rami":
        _read_rami(rules, position, view, phase, hand)
    elif view["reshuffles"][0]:
        # Which cards went back into the stock is forgotten: any card that nobody sees may have.
        view["returned"] = to_mask(rules.deck) & ~(view["table"] | view["pile_cards"] | view["known"][:, seat])
        view["drawn"] = view["hand_sizes"]


def _read_rami(
    rules: Rules, position: Mapping[str, Any], view: npt.NDArray[np.void], phase: str, hand: list[Card]
) -> None:
    """What only rami has."""
    seat = int(view["to_play"][0])
    taken = int(view["taken"][0])
    view["taken_used"] = _flag(position, "taken_used")
    view["untaken"] = _read_untaken(rules, position)
    if view["untaken"][0] and taken != NO_CARD and not rules.take_again:
        raise ValueError("untaken: expected no taken card once one was given back, got one")
    jokers = hand.count(JOKER)
    view["freed"] = _whole(position, "freed", 0, jokers if phase == "play" else 0)
    if _flag(position, "opened_now"):
        if phase != "play":
            raise ValueError("opened_now: expected false in phase draw, got true")
        if view["put_down"][0, seat]:
            raise ValueError(f"opened_now: expected false for seat {seat}, which opened in an earlier turn, got true")
        view["down_now"] |= MELDED
    opened = bool(view["put_down"][0, seat] or view["down_now"][0] & MELDED)
    if view["freed"][0] and not opened:
        raise ValueError(f"freed: expected 0 for seat {seat}, which has not opened, got {int(view['freed'][0])}")
    pending = _whole(position, "pending", 0, int(view["num_melds"][0]))
    if pending and (opened or phase != "play"):
        raise ValueError(f"pending: expected 0 for a seat that has opened or not drawn yet, got {pending}")
    view["opening"] = pending > 0
    view["opening_from"] = int(view["num_melds"][0]) - pending if pending else 0
    nothing_done = not (view["down_now"][0] or view["freed"][0] or pending)
    view["untouched"] = taken != NO_CARD and not view["taken_used"][0] and nothing_done


def _read_gin(position: Mapping[str, Any], view: npt.NDArray[np.void], phase: str) -> None:
    """What only gin has."""
    seat = int(view["to_play"][0])
    passes = view["passes"] = _whole(position, "passes", 0, ALL_PASSED)
    allowed = {"upcard": (0, 1), "draw": (0, ALL_PASSED), "play": (0,)}[phase]
    if passes not in allowed:
        raise ValueError(f"passes: expected {' or '.join(map(str, allowed))} in phase {phase}, got {passes}")
    if phase != "upcard" and not passes:
        return
    if view["pile_size"][0] != 1:
        size = int(view["pile_size"][0])
        raise ValueError(f"pile: expected the first upcard alone in phase {phase}, got {size} cards")
    if view["turn"][0]:
        raise ValueError(f"turns: expected no finished turn in phase {phase} before a card was drawn, got some")
    dealer = seat if passes == 1 else 1 - seat
    if "dealer" not in position:
        view["dealer"] = dealer
    elif view["dealer"][0] != dealer:
        who = f"seat {dealer} where seat {seat} plays after {passes} passes"
        raise ValueError(f"dealer: expected {who}, got {1 - dealer}")
    for refused in range(passes):
        view["refused"][0, (1 - dealer + refused) % 2] = view["pile_cards"][0]


def _read_indian(rules: Rules, position: Mapping[str, Any], view: npt.NDArray[np.void], cut: Card | None) -> None:
    """What only indian rummy has."""
    n, seat = rules.num_players, int(view["to_play"][0])
    view["cut"] = NO_CARD if cut is None else cut
    view["wild"] = wild_cards(cut)
    view["turns"][0, :n] = _list(position, "turns", n, [0] * n)
    for other, packed in enumerate(_list(position, "packed", n, [None] * n)):
        if packed not in PACKS:
            raise ValueError(f"packed: expected null, 'first' or 'later' for every seat, got {packed!r}")
        view["packed"][0, other] = PACKS.index(packed)
    if view["packed"][0, seat]:
        raise ValueError(f"to_play: expected a seat that has not packed, got {seat}")
    if view["phase"][0] == PLAY and n - np.count_nonzero(view["packed"][0, :n]) == 1:
        raise ValueError("packed: expected two seats or more in the round in phase play, got one")


def wild_cards(cut: Card | None) -> int:
    """The natural cards that a cut card makes wild, as a set: those of its rank, none where it is a joker."""
    return 0 if cut is None or cut == JOKER else ONE_OF_EACH_SUIT << rank_of(cut)


def _read_untaken(rules: Rules, position: Mapping[str, Any]) -> int:
    """How often the card was given back: true, false, or 2 where it may be taken again."""
    value = position.get("untaken", False)
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if whole_number(value) != 2 or not rules.take_again:
        twice = " or 2" if rules.take_again else ""
        raise ValueError(f"untaken: expected true, false{twice}, got {value!r}")
    return 2


def from_states(rules: Rules, states: npt.NDArray[np.void]) -> dict[str, Any]:
    """The position of a table, as `to_states` reads it. A finished round gives the phase "over"."""
    view, hidden = states["view"], states["hidden"]
    n = rules.num_players
    seat = int(view["to_play"][0])
    taken = int(view["taken"][0])
    position = {
        "hands": [cards_text(held_cards(states, other)) for other in range(n)],
        "pile": " ".join(pile_cards(view)),
        "stock": cards_text(int(card) for card in hidden["stock"][0, : view["stock_size"][0]][::-1]),
        "to_play": seat,
        "phase": PHASES[int(view["phase"][0])],
        "taken": None if taken == NO_CARD else card_text(taken),
        "turns": _turns_by_seat(rules, view),
        "dealer": int(view["dealer"][0]),
    }
    if rules.ruleset == "gin":
        position["passes"] = int(view["passes"][0])
    elif rules.ruleset == "indian":
        cut = int(view["cut"][0])
        position["wild"] = None if cut == NO_CARD else card_text(cut)
        position["packed"] = [PACKS[packed] for packed in view["packed"][0, :n]]
    elif rules.has_table:
        position |= _table_game_of(rules, states)
    return position


def _turns_by_seat(rules: Rules, view: npt.NDArray[np.void]) -> list[int]:
    """How many turns every seat has finished. They go round from the player after the dealer; in gin the first may be
    the dealer's, so they are counted back from the seat to play."""
    n, turn = rules.num_players, int(view["turn"][0])
    if "turns" in (view.dtype.names or ()):
        return [int(count) for count in view["turns"][0, :n]]
    after = int(view["dealer"][0]) + 1 + turn if rules.has_table else int(view["to_play"][0])
    return [(turn + (other - after) % n) // n for other in range(n)]


def _table_game_of(rules: Rules, states: npt.NDArray[np.void]) -> dict[str, Any]:
    """The keys that only games with melds on the table have."""
    view = states["view"]
    seat, taken = int(view["to_play"][0]), int(view["taken"][0])
    rami = rules.ruleset == "rami"
    used = bool(view["taken_used"][0]) if rami else taken not in held_cards(states, seat)
    earlier = [bool(flag) for flag in view["put_down"][0, : rules.num_players]]
    melded_now = bool(view["down_now"][0] & MELDED)
    position = {
        "table": [{"cards": str(meld), "by": meld.by} for meld in table_melds(view)],
        "taken_used": taken != NO_CARD and used,
        "melded_now": melded_now,
        "laid_off_now": bool(view["down_now"][0] & LAID_OFF),
        "opened" if rami else "put_down": earlier,
        "reshuffles": int(view["reshuffles"][0]),
    }
    if rami:
        position["opened_now"] = melded_now and not earlier[seat]
        untaken = int(view["untaken"][0])
        position["untaken"] = untaken if untaken > 1 else bool(untaken)
        position["freed"] = int(view["freed"][0])
        position["pending"] = int(view["num_melds"][0] - view["opening_from"][0]) if view["opening"][0] else 0
    return position


def _write_cards(record: npt.NDArray[np.void], name: str, jokers: str, cards: list[Card], seat: int = -1) -> None:
    """Write a set of cards into the fields of records that hold it. ``seat``: of fields that have a row for each."""
    count = Counter(cards)
    values = {
        field: to_mask(card for card, times in count.items() if times > at and card != JOKER)
        for at, field in enumerate(layers(record, name))
    }
    if jokers in (record.dtype.names or ()):
        values[jokers] = count[JOKER]
    for field, value in values.items():
        if seat < 0:
            record[field] = value
        else:
            record[field][:, seat] = value


def _check_copies(rules: Rules, places: list[tuple[str, list[Card]]]) -> None:
    """Refuse more copies of a card than there are."""
    seen: dict[Card, list[str]] = {}
    for place, cards in places:
        for card in cards:
            seen.setdefault(card, []).append(place)
            if len(seen[card]) > (copies := rules.copies(card)):
                where = " and in ".join(seen[card])
                raise ValueError(f"expected each card {at_most(copies)}, got {card_text(card)} in {where}")


RESAMPLE_TRIES: Final = 50


def resample(rules: Rules, states: npt.NDArray[np.void], seat: int, rng: np.random.Generator) -> npt.NDArray[np.void]:
    """A copy of the table in which everything hidden from ``seat`` is dealt anew at random, as far as the seat
    cannot infer it: known cards stay, and after a refill the stock holds only cards that the pile gave back (of two
    decks nobody can tell which copy that was, so there only known cards stay).

    Another seat in the midst of its turn may have duties, and so cards to meet them with: a deal without is dealt
    again; if luck fails, that hand stays as it is."""
    own = {seat: held_cards(states, seat)}
    hidden = Counter(states["hidden"]["stock"][0, : states["view"]["stock_size"][0]].tolist())
    for other in range(rules.num_players):
        if other != seat:
            hidden += Counter(held_cards(states, other)) - Counter(known_cards(states["view"], other))
    for _ in range(RESAMPLE_TRIES):
        dealt = _worlds(rules, states, own, hidden, 1, rng)
        if dealt["view"]["legal"].any() or dealt["view"]["phase"][0] == OVER:
            return dealt
    player = int(states["view"]["to_play"][0])
    as_it_is = Counter(held_cards(states, player))
    hidden -= as_it_is - Counter(known_cards(states["view"], player))
    return _worlds(rules, states, own | {player: sorted(as_it_is.elements())}, hidden, 1, rng)


def possible_tables(
    rules: Rules, record: npt.NDArray[np.void], count: int, rng: np.random.Generator
) -> npt.NDArray[np.void]:
    """``count`` tables as they may be for the seat of a view record, whose turn it is: all that it cannot see is dealt
    at random, as in `resample`. For search: they can be played to their end.

    Raises:
        ValueError: for the view of a seat that waits.
    """
    seat = int(record["seat"][0])
    if seat != record["to_play"][0]:
        raise ValueError(f"expected the view of seat {int(record['to_play'][0])}, which is to play, got that of {seat}")
    states = new_states(rules.ruleset, 1)
    states["view"] = record
    unseen = Counter({card: rules.copies(card) for card in (*rules.deck, JOKER)})
    unseen.subtract(hand_cards(record))
    unseen.subtract(map(parse_card, pile_cards(record)))
    if "cut" in (record.dtype.names or ()):
        unseen.subtract([int(record["cut"][0])])
    for meld in table_melds(record):
        unseen.subtract(meld.meld.cards)
    for other in range(rules.num_players):
        if other != seat:
            unseen.subtract(known_cards(record, other))
    return _worlds(rules, states, {seat: hand_cards(record)}, unseen, count, rng)


def _worlds(
    rules: Rules,
    states: npt.NDArray[np.void],
    seen: dict[int, list[Card]],
    unseen: Counter[Card],
    count: int,
    rng: np.random.Generator,
) -> npt.NDArray[np.void]:
    """``count`` copies of a table in which the ``unseen`` cards are dealt to the stock and to all hands but those
    ``seen``, which hold the cards known of them."""
    worlds = np.repeat(states, count)
    view, hidden = worlds["view"], worlds["hidden"]
    slots = {}
    for seat in range(rules.num_players):
        hand = seen[seat] if seat in seen else known_cards(view, seat)
        slots[seat] = int(view["hand_sizes"][0, seat]) - len(hand)
        _write_cards(hidden, "hands", "jokers", hand, seat)
    # Only a refill sorts the unseen cards of one deck: what went back to the stock can be there or drawn since, and a
    # hand holds at most as many of these cards as its seat drew since; all other cards are in hands.
    refilled = rules.has_table and rules.num_decks == 1 and view["reshuffles"][0] > 0
    returned = int(view["returned"][0]) if refilled else 0
    loose = [card for card in unseen.elements() if not refilled or returned >> card & 1]
    held = [card for card in unseen.elements() if refilled and not returned >> card & 1]
    drawn = {seat: min(int(view["drawn"][0, seat]), slots[seat]) if refilled else slots[seat] for seat in slots}
    deal_worlds(
        rules.record,
        worlds,
        np.array(loose, np.uint8),
        np.array([seat for seat in slots for _ in range(drawn[seat])], np.int64),
        np.array(held, np.uint8),
        np.array([seat for seat in slots for _ in range(slots[seat] - drawn[seat])], np.int64),
        min(sum(drawn.values()), len(loose) - int(view["stock_size"][0])),
        rng.integers(1, 1 << 64, (count, 3), dtype=np.uint64),
    )
    return worlds


def _check_keys(rules: Rules, position: Mapping[str, Any]) -> None:
    if not isinstance(position, Mapping):
        raise ValueError(f"expected a position as a dict, got {type(position).__name__}")
    for key, value in position.items():
        keys = KEYS[rules.ruleset]
        if key in keys:
            continue
        if key in OTHER_RULESETS_KEYS:
            if _says_something(value):
                raise ValueError(f"{rules.ruleset} has no {key!r} in a position, got {value!r}")
        else:
            near = difflib.get_close_matches(str(key), keys, 1)
            raise ValueError(
                f"expected keys of a position ({', '.join(keys)}), got {key!r}"
                + (f"; did you mean {near[0]!r}?" if near else "")
            )


def _says_something(value: Any) -> bool:
    """Whether a value is more than null, false, 0, nothing, or a list of those."""
    return any(map(_says_something, value)) if isinstance(value, (list, tuple)) else bool(value)


def _flag(position: Mapping[str, Any], key: str) -> bool:
    return flag(key, position.get(key, False))


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
    return in_range(key, position.get(key, low if default is None else default), low, high)


def _read_card(position: Mapping[str, Any], key: str) -> Card | None:
    """The one card of a key, None where there is none."""
    text = position.get(key)
    if text is None:
        return None
    if not isinstance(text, str):
        raise ValueError(f"{key}: expected the text of a card or null, got {text!r}")
    try:
        return parse_card(text)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _read_melds(rules: Rules, table: Any) -> list[tuple[Meld, int]]:
    if not isinstance(table, (list, tuple)):
        raise ValueError(f"table: expected a list of melds, got {table!r}")
    melds = []
    for number, meld in enumerate(table):
        if not isinstance(meld, Mapping) or not {"cards"} <= meld.keys() <= {"cards", "by"}:
            raise ValueError(f'table: expected melds like {{"cards": "4d 5d 6d", "by": 0}}, got {meld!r}')
        cards = _cards(rules, meld["cards"], f"meld {number} of the table")
        read = rules.meld(cards)
        if read is None:
            raise ValueError(f"meld {number} of the table: expected a set or a run, got {cards_text(cards)}")
        melds.append((read, _whole(meld, "by", 0, rules.num_players - 1)))
    return melds


def _read_taken(position: Mapping[str, Any], phase: str, hand: list[Card], table: set[Card]) -> int:
    card = _read_card(position, "taken")
    used = _flag(position, "taken_used")
    if card is None:
        if used:
            raise ValueError("taken_used: expected a taken card with it, got none")
        return NO_CARD
    if phase != "play":
        raise ValueError(f"taken: expected no taken card in phase {phase}, got {card_text(card)}")
    # A joker that went down may be in the hand again, by a swap.
    if card not in (table if used else hand) and not (used and card == JOKER):
        where = "on the table, since it was used" if used else "in the hand of the seat to play"
        raise ValueError(f"taken: expected {card_text(card)} {where}")
    return card
