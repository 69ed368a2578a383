"""What a hand offers at a table, for pages that know no rules: melds, what glows, the opening meter, moves to choose.

Whether cards are a meld, what they are worth and whether a move is legal is asked of `Rules` and `Game`; here cards are
only tried out. A seat's offers depend on its own hand and on what everybody sees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from game import hints
from rummy_env.cards import JOKER, Card, card_text, cards_text, parse_cards, rank_of, suit_of
from rummy_env.core.state import view_dtype
from rummy_env.melds import HIGH_ACE, LEAST_CARDS, Meld, swap_place
from rummy_env.moves import IllegalMove, Move
from rummy_env.rules import Rules, option_names

if TYPE_CHECKING:
    from rummy_env import Game

INNER_KINDS: Final = ("piece", "lengthen", "confirm")
"""Steps by which an opening is put together; a person makes them as one move."""


# --- melds in a hand -----------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def best_melds(rules: Rules, hand: tuple[Card, ...]) -> tuple[Meld, ...]:
    """The melds side by side that are worth most: in an opening where there is one, else as points in the hand."""
    if opens(rules):
        found = [rules.meld(parse_cards(meld)) for meld in hints.best_opening(rules, _texts(hand)).melds]
        return tuple(meld for meld in found if meld is not None)
    return _best_side_by_side(rules, list(hints.every_meld(rules, hand)))


def _best_side_by_side(rules: Rules, melds: Sequence[Meld]) -> tuple[Meld, ...]:
    """For cards that come once: the melds by their lowest card, which goes into one of them or into none."""
    by_lowest: dict[Card, list[tuple[int, int, Meld]]] = {}
    everything = 0
    for meld in melds:
        mask = sum(1 << card for card in meld.cards)
        everything |= mask
        by_lowest.setdefault(min(meld.cards), []).append((mask, sum(map(rules.card_points, meld.cards)), meld))
    memory: dict[int, tuple[int, tuple[Meld, ...]]] = {0: (0, ())}

    def best(left: int) -> tuple[int, tuple[Meld, ...]]:
        if left not in memory:
            low = left & -left
            found = best(left & ~low)
            for mask, points, meld in by_lowest.get(low.bit_length() - 1, ()):
                if mask & left == mask:
                    more, others = best(left & ~mask)
                    found = max(found, (points + more, (meld, *others)), key=lambda pair: pair[0])
            memory[left] = found
        return memory[left]

    return best(everything)[1]


def opens(rules: Rules) -> bool:
    """Whether the ruleset has an opening with a threshold."""
    return "opening" in option_names(rules.ruleset)


def has_wild(ruleset: str) -> bool:
    """Whether a card is cut whose rank is wild."""
    return "cut" in (view_dtype(ruleset).names or ())


def arranges(rules: Rules) -> bool:
    """Whether hands are arranged in melds and deadwood, since melds stay in the hand."""
    return not rules.has_table


# --- arrangements of hand games --------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def arrangement(rules: Rules, hand: tuple[str, ...], wild: str | None) -> dict[str, Any]:
    """The hand in melds and deadwood as the rules count it (ARRANGEMENT of game/PROTOCOL.md)."""
    found = rules.arrange(hand, wild)
    return {
        "melds": [{"cards": list(meld), "kind": kind_of(rules, meld, wild)} for meld in found.melds],
        "deadwood": list(found.deadwood),
        "points": found.points,
        "declarable": found.declarable if has_wild(rules.ruleset) else None,
    }


def _texts(cards: Iterable[Card]) -> list[str]:
    return [card_text(card) for card in cards]


def kind_of(rules: Rules, cards: Sequence[str], wild: str | None = None) -> str | None:
    """``run`` or ``set`` (hand games with wild cards: also ``natural`` and ``triplet``), None for no meld."""
    if not rules.is_meld(list(cards), wild):
        return None
    naturals = [card for card in parse_cards(list(cards)) if card != JOKER]
    wild_rank = wild[0] if wild and wild != "Jk" else None
    standing = [card for card in naturals if wild is None or card_text(card)[0] != wild_rank]
    if wild is not None and len(naturals) == len(cards):
        if len(set(naturals)) == 1:
            return "triplet"
        one_suit = len({suit_of(card) for card in naturals}) == 1
        if one_suit and _in_a_row(naturals):
            return "natural"
    return "set" if len({rank_of(card) for card in standing}) == 1 and len(standing) > 1 else "run"


def _in_a_row(cards: Sequence[Card]) -> bool:
    for high in (False, True):
        places = sorted(HIGH_ACE if high and rank_of(card) == 0 else rank_of(card) for card in cards)
        if places == list(range(places[0], places[0] + len(places))):
            return True
    return False


# --- what a seat is offered ------------------------------------------------------------------------------------


def of_seat(game: Game, seat: int, hand: Sequence[str], wild: str | None = None) -> dict[str, Any]:
    """The part of a `table` message that is for one seat alone, besides its hand."""
    rules, mine = game.rules, tuple(hand)
    my_turn = not game.over and game.to_play == seat
    moves = moves_of(game, wild) if my_turn else []
    kinds = {move["kind"] for move in moves}
    if arranges(rules):
        arranged = arrangement(rules, mine, wild)
        groups = [meld["cards"] for meld in arranged["melds"]]
        return {
            "moves": moves,
            "sorted": _sorted(groups, hand),
            "glow": {"meld": sorted({card for cards in groups for card in cards}), "layoff": {}, "swap": {}},
            "melds": [{"cards": cards, "points": rules.hand_points(cards, wild)} for cards in groups],
            "arrangement": arranged,
        }
    cards = tuple(parse_cards(mine))
    best = best_melds(rules, cards)
    groups = [_texts(meld.cards) for meld in best]
    found: dict[str, Any] = {
        "moves": moves,
        "sorted": _sorted(groups, hand),
        "glow": {"meld": glowing(rules, cards), **fitting(game, cards)},
        "melds": [_best_meld(game, meld, my_turn) for meld in best],
        "may_untake": "untake" in kinds,
    }
    if opens(rules) and not has_opened(game, seat):
        found["opening"] = meter(game, best, my_turn)
    return found


def _best_meld(game: Game, meld: Meld, my_turn: bool) -> dict[str, Any]:
    text = f"meld {cards_text(meld.cards)}"
    points = game.rules.meld_points(meld) if opens(game.rules) else game.rules.hand_points(cards_text(meld.cards))
    legal = my_turn and game.is_legal(text)
    return {"cards": _texts(meld.cards), "points": points, "move": text if legal else None}


def _sorted(groups: Sequence[Sequence[str]], hand: Sequence[str]) -> list[list[str]]:
    rest = Counter(hand)
    rest.subtract(card for group in groups for card in group)
    left = [card for card in hand if rest[card] > 0 and not rest.subtract([card])]
    return [*(list(group) for group in groups), left] if left else [list(group) for group in groups]


@lru_cache(maxsize=512)
def _glowing(rules: Rules, hand: tuple[Card, ...]) -> tuple[str, ...]:
    return tuple(sorted({card_text(card) for meld in hints.every_meld(rules, hand) for card in meld.cards}))


def glowing(rules: Rules, hand: tuple[Card, ...]) -> list[str]:
    """The cards of a hand that can form melds."""
    return list(_glowing(rules, hand))


def fitting(game: Game, hand: Sequence[Card]) -> dict[str, dict[str, list[int]]]:
    """``layoff`` and ``swap``: the cards of a hand that fit melds of the table, each with the melds' numbers."""
    layoff = hints.layoffs_in(game.rules, list(dict.fromkeys(_texts(hand))), game.table)
    swap: dict[str, list[int]] = {}
    for card in dict.fromkeys(hand):
        if numbers := [n for n, meld in enumerate(game.table) if swap_place(meld.meld, card) is not None]:
            swap[card_text(card)] = numbers
    return {"layoff": layoff, "swap": swap}


def moves_of(game: Game, wild: str | None = None) -> list[dict[str, Any]]:
    """The legal moves of the seat to play, but for the steps of an opening. A card that leaves an arrangement behind
    (knock, declare) comes with it."""
    offered = []
    for move in game.legal_moves():
        if move.kind in INNER_KINDS:
            continue
        one: dict[str, Any] = {"move": str(move), "kind": move.kind}
        if move.cards:
            one["cards"] = [card_text(card) for card in move.cards]
        if move.meld is not None:
            one["meld"] = move.meld
        if move.kind in ("knock", "declare"):
            hand = game.hand(game.to_play)
            hand.remove(card_text(move.cards[0]))
            one["left"] = arrangement(game.rules, tuple(hand), wild)
        offered.append(one)
    return offered


# --- openings --------------------------------------------------------------------------------------------------


def has_opened(game: Game, seat: int) -> bool:
    """Whether a seat has opened, in this turn too."""
    view = game.state["view"][0]
    return bool(view["put_down"][seat] or (game.to_play == seat and view["down_now"]))


def meter(game: Game, best: Sequence[Meld], my_turn: bool) -> dict[str, Any]:
    """The opening meter of a seat that has not opened: ``best`` are the melds that are worth most."""
    rules = game.rules
    return {
        "threshold": rules.opening,
        "best": sum(map(rules.meld_points, best)),
        "groups": [{"cards": _texts(meld.cards), "points": rules.meld_points(meld)} for meld in best],
        "move": _opening_now(game) if my_turn else None,
    }


def _opening_now(game: Game) -> str | None:
    move = hints.opening_of(game)
    return None if move is None else str(move)


def opening_on_table(game: Game, first: int) -> str:
    """The opening in the making, which lies on the table from meld ``first`` on, as one move."""
    return str(Move("open", melds=tuple(tuple(meld.meld.cards) for meld in game.table[first:])))


# --- cards that a person has chosen --------------------------------------------------------------------------------


def orders(rules: Rules, cards: Sequence[Card]) -> list[Meld]:
    """Every meld that exactly these cards form, in whatever order: jokers in a run may have several places."""
    naturals = sorted(card for card in cards if card != JOKER)
    jokers = len(cards) - len(naturals)
    found: dict[Meld, None] = {}
    high = [card for card in naturals if rank_of(card)] + [card for card in naturals if not rank_of(card)]
    for row in (naturals, high):
        for places in combinations(range(len(cards)), jokers):
            rest = iter(row)
            meld = rules.meld([JOKER if place in places else next(rest) for place in range(len(cards))])
            if meld is not None:
                found[meld] = None
    return list(found)


def ways(game: Game, cards: Sequence[str], number: int | None) -> list[str]:
    """The moves that put exactly these cards of the seat to play down: as a meld, or onto table meld ``number``.

    Raises:
        ValueError: in one sentence, where there is none.
    """
    chosen = parse_cards(cards)
    if number is None:
        verb = "open" if opens(game.rules) and not has_opened(game, game.to_play) else "meld"
        melds = orders(game.rules, chosen) if len(chosen) >= LEAST_CARDS else []
        texts = [f"{verb} {cards_text(meld.cards)}" for meld in melds] or [f"meld {cards_text(chosen)}"]
    elif len(chosen) != 1:
        raise IllegalMove(f"expected one card, got {len(chosen)} in '{cards_text(chosen)}'")
    else:
        card = card_text(chosen[0])
        texts = [f"layoff {card} {number}", f"swap {card} {number}"]
        ends = [f"layoff {card} {number} {end}" for end in ("low", "high")]
        if not game.is_legal(texts[0]):
            texts[1:1] = ends
    legal = [text for text in texts if game.is_legal(text)]
    if not legal:
        game.copy().play(texts[0])  # says why not
    return legal


def check(game: Game, seat: int, groups: Sequence[Sequence[str]], wild: str | None = None) -> dict[str, Any]:
    """What groups of a seat's own cards are, and the move that they make (`checked` of game/PROTOCOL.md)."""
    rules = game.rules
    told: list[dict[str, Any]] = []
    chosen = [parse_cards(group) for group in groups]
    held = Counter(parse_cards(game.hand(seat)))
    if lacking := Counter(card for cards in chosen for card in cards) - held:
        raise ValueError(f"{card_text(min(lacking))} is not in the hand")
    first: list[Meld | None] = []
    for cards in chosen:
        melds = [] if arranges(rules) else orders(rules, cards)
        meld = max(melds, key=rules.meld_points if opens(rules) else _size, default=None)
        first.append(meld)
        texts = _texts(meld.cards) if meld else [card_text(card) for card in cards]
        kind = kind_of(rules, texts, wild) if meld or arranges(rules) else None
        one: dict[str, Any] = {"cards": texts, "kind": kind}
        if kind is None:
            one["text"] = f"{' '.join(texts)} is neither a set nor a run"
        else:
            one["points"] = rules.meld_points(meld) if meld and opens(rules) else rules.hand_points(texts, wild)
        told.append(one)
    found: dict[str, Any] = {"groups": told, "move": None, "text": None}
    if opens(rules) and not has_opened(game, seat):
        found["total"] = sum(one.get("points", 0) for one in told)
        found["threshold"] = rules.opening
    if game.over or game.to_play != seat:
        return found
    move = _move_of_groups(game, seat, told)
    if move is None:
        return found
    try:
        game.copy().play(move)
        found["move"] = move
    except ValueError as error:
        found["text"] = str(error)
    return found


def _size(meld: Meld) -> int:
    return meld.size


def _move_of_groups(game: Game, seat: int, told: Sequence[dict[str, Any]]) -> str | None:
    groups = [" ".join(one["cards"]) for one in told if one["cards"]]
    if arranges(game.rules):
        rest = Counter(game.hand(seat))
        rest.subtract(card for one in told if one["kind"] for card in one["cards"])
        left = list(rest.elements())
        ends = [move for move in game.legal_moves() if move.kind in ("declare", "knock")]
        if len(left) == 1:
            return next((str(move) for move in ends if card_text(move.cards[0]) == left[0]), None)
        return None
    if not groups:
        return None
    if opens(game.rules) and not has_opened(game, seat):
        return f"open {' | '.join(groups)}"
    return f"meld {groups[0]}" if len(groups) == 1 else None
