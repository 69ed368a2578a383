"""Every field of rami's observation, against what a watcher at the table and the holder of a hand know."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from rami_oracle import JOKER, Hand, cards_of, layoff_name, layoffs, meld_of, melds_of_three, points, swaps

from rummy_env import Game, Match, Move, Rules
from rummy_env.cards import parse_cards
from rummy_env.core.kernel import JIT
from rummy_env.fields import observation_size, observation_table

pytestmark = pytest.mark.core

FACES: Hand = tuple(range(52))
NATURAL_MELDS = [frozenset(cards_of(meld)) for meld in melds_of_three(FACES)]
DOWN = ("meld", "piece", "layoff", "lengthen", "swap")

Meaning = set[int] | list[int] | int
"""What a field says: a set of cards, bits, or the count that a thermometer shows."""

OF_A_TURN = {"turns", "taken", "put_down_now", "opening", "pending", "taken_joker", "owes_taken", "untaken", "freed"}
"""Fields that speak of the turn, of which nothing is said once the round is over, nor whether its last turn counts."""


class Watcher:
    """What somebody who sees the table, and no hand, remembers of a round of rami."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        seats = range(rules.num_players)
        self.known: list[Counter[int]] = [Counter() for _ in seats]
        self.discarded: list[set[int]] = [set() for _ in seats]
        self.refused: list[set[int]] = [set() for _ in seats]
        self.opened = [False for _ in seats]
        self.refills = self.turns = 0
        self.begin_turn()

    def begin_turn(self) -> None:
        self.taken: int | None = None
        self.used = self.untaken = self.put_down_now = self.opened_now = False
        self.freed = 0
        self.pieces_from: int | None = None

    def play(self, game: Game, action: int) -> None:
        """Let the game play an action, and look."""
        move, seat, stock = game.move_of(action), game.to_play, game.stock_size
        pile, table = parse_cards(game.pile), len(game.table)
        hand = Counter(parse_cards(game.hand(seat)))
        game.step(action)
        gone = list((hand - Counter(parse_cards(game.hand(seat)))).elements())
        if move.kind == "draw":
            self.refused[seat] |= set(pile[-1:])
        elif move.kind == "take":
            self.taken = pile[-1]
            self.known[seat][self.taken] += 1
        elif move.kind == "untake":
            self.known[seat] -= Counter(gone)
            self.taken, self.untaken = None, True
        elif move.kind == "discard":
            self.known[seat] -= Counter(gone)
            self.discarded[seat] |= set(gone)
        elif move.kind in DOWN:
            self._put_down(move, seat, gone, table)
        elif move.kind == "confirm":
            self.put_down_now = self.opened_now = True
            self.pieces_from = None
        if move.kind == "discard" or game.over:
            self.opened[seat] |= self.opened_now and not game.over
            self.begin_turn()
            self.turns += 1
            self.refills += game.stock_size > stock

    def _put_down(self, move: Move, seat: int, gone: list[int], table: int) -> None:
        if move.kind == "swap":  # The freed joker comes to the hand, which everybody sees.
            gone = list(move.cards)
        self.known[seat] -= Counter(gone)
        jokers = gone.count(JOKER)
        uses_taken = move.kind != "swap" or self.rules.swap_uses_taken
        if self.taken in gone and not self.used and uses_taken:
            self.used = True
            jokers -= self.taken == JOKER
        self.freed = max(0, self.freed - jokers)
        if move.kind == "swap":
            self.known[seat][JOKER] += 1
            self.freed += 1
        if move.kind == "piece" and self.pieces_from is None:
            self.pieces_from = table
        if move.kind not in ("piece", "lengthen"):
            self.put_down_now = True


def naturals(cards: Any) -> set[int]:
    return {card for card in cards if card != JOKER}


def twice(cards: Counter[int]) -> set[int]:
    return {card for card, count in cards.items() if count == 2 and card != JOKER}


def expected(game: Game, watcher: Watcher, me: int) -> dict[str, Meaning]:
    """What each field says."""
    rules, playing = game.rules, not game.over
    hand, pile = Counter(parse_cards(game.hand(me))), parse_cards(game.pile)
    melds = [meld_of(meld) for meld in game.table]
    pending_from = len(melds) if watcher.pieces_from is None else watcher.pieces_from
    table = Counter(card for meld in melds for card in cards_of(meld))
    held = naturals(hand)
    seen = hand + Counter(pile) + table
    for other in range(rules.num_players):
        if other != me:
            seen += watcher.known[other]
    fits: dict[str, set[int]] = {"set": set(), "low": set(), "high": set()}
    jokers: dict[str, set[int]] = {"set": set(), "low": set(), "high": set()}
    swapped: dict[str, set[int]] = {"set": set(), "run": set()}
    for number, meld in enumerate(melds):
        for card, end, longer in layoffs(meld, (*FACES, JOKER)):
            if card != JOKER:
                fits[end].add(card)
            elif end != "set" or rules.joker_onto_set or number >= pending_from:
                jokers[end].add(layoff_name(card, end, longer)[2])
        for card, _ in swaps(meld, FACES):
            swapped[meld[0]].add(card)
    missing = [meld - held for meld in NATURAL_MELDS]
    taken = watcher.taken
    fields: dict[str, Meaning] = {
        "hand": held,
        "hand_twice": twice(hand),
        "taken": naturals([] if taken is None else [taken]),
        "pile_top": naturals(pile[-1:]),
        "pile": naturals(pile),
        "pile_twice": twice(Counter(pile)),
        "table": naturals(table),
        "table_twice": twice(table),
        "fits_set": fits["set"],
        "fits_low": fits["low"],
        "fits_high": fits["high"],
        "joker_low": jokers["low"],
        "joker_high": jokers["high"],
        "swaps_set": swapped["set"],
        "swaps_run": swapped["run"],
        "unseen": {card for card in FACES if seen[card] < rules.num_decks},
        "unseen_twice": {card for card in FACES if seen[card] < rules.num_decks - 1},
        "in_meld": set().union(*(meld for meld, lacking in zip(NATURAL_MELDS, missing, strict=True) if not lacking)),
        "completes": set().union(*(lacking for lacking in missing if len(lacking) == 1)),
        "joker_set": jokers["set"],
        "phase": [int(game.phase == phase) for phase in ("draw", "play")],
        "my_turn": [int(playing and game.to_play == me)],
        "opened": [int(watcher.opened[me])],
        "put_down_now": [int(watcher.put_down_now)],
        "opening": [int(watcher.pieces_from is not None)],
        "pending": sum(map(points, melds[pending_from:])) // 3,
        "threshold": -(-rules.opening // 3),
        "taken_joker": [int(taken == JOKER)],
        "owes_taken": [int(taken is not None and not watcher.used)],
        "untaken": [int(watcher.untaken)],
        "freed": watcher.freed,
        "hand_size": hand.total(),
        "hand_jokers": hand[JOKER],
        "points": -(-sum(map(penalty, hand.elements())) // 6),
        "top_joker": [int(pile[-1:] == [JOKER])],
        "pile_jokers": pile.count(JOKER),
        "table_jokers": table[JOKER],
        "stock_size": -(-game.stock_size // 6),
        "reshuffles": watcher.refills,
        "turns": 10 * watcher.turns // rules.max_turns,
        "total": 10 * game.totals[me] // rules.target,
    }
    for k in range(1, rules.num_players):
        other = (me + k) % rules.num_players
        fields |= {
            f"next_{k}.known": naturals(watcher.known[other]),
            f"next_{k}.known_twice": twice(watcher.known[other]),
            f"next_{k}.discarded": naturals(watcher.discarded[other]),
            f"next_{k}.refused": naturals(watcher.refused[other]),
            f"next_{k}.known_jokers": watcher.known[other][JOKER],
            f"next_{k}.discarded_joker": [int(JOKER in watcher.discarded[other])],
            f"next_{k}.refused_joker": [int(JOKER in watcher.refused[other])],
            f"next_{k}.to_play": [int(playing and game.to_play == other)],
            f"next_{k}.hand_size": len(game.hand(other)),
            f"next_{k}.opened": [int(watcher.opened[other])],
            f"next_{k}.total": 10 * game.totals[other] // rules.target,
        }
    return fields


def penalty(card: int) -> int:
    """RULES.md: 2-10 pips; J Q K 10; ace 11; joker 20."""
    return 20 if card == JOKER else 11 if card % 13 == 0 else min(card % 13 + 1, 10)


def check(game: Game, watcher: Watcher) -> None:
    told = str(game.history[-1]) if game.history else "the deal"
    for seat in range(game.rules.num_players):
        wanted = expected(game, watcher, seat)
        observation = game.observation(seat)
        table = observation_table("rami", game.rules.num_players)
        assert [field.name for field in table] == list(wanted)
        for piece in table:
            if game.over and piece.name in OF_A_TURN:
                continue
            bits, meant = observation[piece.slice].tolist(), wanted[piece.name]
            where = f"{piece.name}, seat {seat}, after {told}"
            assert len(bits) == piece.size
            if isinstance(meant, set):
                assert {card for card, bit in enumerate(bits) if bit} == meant, where
            elif isinstance(meant, int):
                assert bits == [int(k < meant) for k in range(piece.size)], where
            else:
                assert bits == meant, where


HOUSES: tuple[dict[str, Any], ...] = (
    {},
    {"opening": 20, "num_jokers": 8},
    {"opening": 51, "joker_onto_set": False, "swap_uses_taken": False},
    {"opening": 0, "take_again": True, "max_turns": 40},
    {"opening": 30, "hand_size": 14},
)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_every_field_says_what_its_meaning_promises(players: int) -> None:
    kinds: Counter[str] = Counter()
    for number, house in enumerate(HOUSES if JIT else HOUSES[:1]):
        chance = random.Random(f"{players} {number}")
        match = Match(Rules.preset("rami", num_players=players, target=200, **house), seed=10 * players + number)
        for _ in range(2):
            game, watcher = match.game, Watcher(match.rules)
            check(game, watcher)
            while not game.over:
                legal = game.legal_actions()
                down = [action for action in legal if game.move_of(action).kind in (*DOWN, "confirm")]
                action = chance.choice(down if down and chance.random() < 0.7 else legal)
                kinds[game.move_of(action).kind] += 1
                watcher.play(game, action)
                rare = watcher.pieces_from is not None or watcher.freed or watcher.untaken or watcher.taken == JOKER
                if chance.random() < (0.3 if rare else 0.03) or game.over:
                    check(game, watcher)
            if match.over:
                break
            match.next_round()
    assert not JIT or {"piece", "confirm", "layoff", "meld", "take", "untake", "discard"} <= set(kinds)


POSITION = {
    "hands": ["Jk Jk 5h 6h 7h 8h Ks Kh Kd 9s 9s 2c", "3s 3s Ah", "4d"],
    "table": [{"cards": "Ts Jk Qs", "by": 1}, {"cards": "2s 2h Jk", "by": 2}],
    "pile": "2d 4c 9c",
    "stock": "2c 4s",
    "opened": [False, True, True],
}

ONE_JOKER = {"hands": ["Jk 5h 6h 7h 8h Ks Kh Kd 9s 9s 2c", "3s 3s Ah", "4d"], "pile": "2d 9c Jk"}


@pytest.mark.parametrize(
    ("more", "moves"),
    [
        ({}, ["draw", "piece 5h 6h 7h", "lengthen Jk 2 low", "piece Ks Kh Kd", "lengthen Jk 3"]),
        ({}, ["draw", "piece Ks Kh Jk", "piece 6h 7h 8h", "lengthen Jk 3 high", "lengthen 5h 3"]),
        ({"opened": [True, True, True]}, ["draw", "swap 2c 1", "layoff Jk 0 low", "meld 5h Jk 7h", "discard 9s"]),
        (
            ONE_JOKER | {"opened": [True, True, True]},
            ["take", "layoff Jk 0 high", "meld Jk 6h 7h", "discard 2c"],
        ),
        (ONE_JOKER, ["take", "untake", "draw", "discard Jk", "take"]),
    ],
)
def test_the_fields_follow_every_move_of_a_told_turn(more: dict[str, Any], moves: list[str]) -> None:
    game = Game.from_position(Rules.preset("rami", num_players=3, target=200), POSITION | more)
    watcher = Watcher(game.rules)
    watcher.opened = list(game.position()["opened"])
    check(game, watcher)
    for text in moves:
        action = game.action_of(text)
        assert action is not None, text
        watcher.play(game, action)
        check(game, watcher)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_fields_follow_each_other_without_gaps(players: int) -> None:
    table = observation_table("rami", players)
    assert table[0].offset == 0
    assert all(before.slice.stop == after.offset for before, after in pairwise(table))
    assert table[-1].slice.stop == observation_size("rami", players)
    assert len({piece.name for piece in table}) == len(table)
