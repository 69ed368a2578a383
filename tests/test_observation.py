"""Every field of the observation, against what the oracle and a watcher at the table know at that moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from oracle import CARDS, RANKS, SUITS, Oracle, completing, in_melds
from random_rounds import Chooser, any_rules, examples, oracle_of, seeds

from rummy_env import Game, Match, Rules, spaces
from rummy_env.cards import NUM_FACES
from rummy_env.fields import observation_size, observation_table

pytestmark = pytest.mark.core


@dataclass
class Watcher:
    """What somebody who sees the table, and no hand, remembers of a round."""

    players: int
    known: list[set[str]] = field(default_factory=list)
    discarded: list[set[str]] = field(default_factory=list)
    refused: list[set[str]] = field(default_factory=list)
    returned: set[str] = field(default_factory=set)
    refills: int = 0

    def __post_init__(self) -> None:
        self.known, self.discarded, self.refused = ([set() for _ in range(self.players)] for _ in range(3))

    def watch(self, oracle: Oracle, move: str) -> None:
        """Let the oracle play a move, and look."""
        seat, (kind, *words) = oracle.to_play, move.split()
        lies = [*oracle.pile, *words] if kind == "discard" else list(oracle.pile)
        stock, (*below, top) = len(oracle.stock), oracle.pile or [""]
        refilled = not stock and kind == "draw"
        oracle.play(move)
        if kind == "draw" and top:
            self.refused[seat].add(top)
        elif kind == "take":
            self.known[seat].add(top)
        else:
            gone = set(CARDS) & set(words)
            self.known[seat] -= gone
            self.returned -= gone
            if kind == "discard":
                self.discarded[seat] |= gone
                below, refilled = lies[:-1], not stock and bool(oracle.stock)
        if refilled:
            self.returned, self.refills = set(below), self.refills + 1


def expected(
    oracle: Oracle, watcher: Watcher, totals: tuple[int, ...], me: int
) -> dict[str, set[str] | list[int] | int]:
    """What each field says: a set of cards, bits, or the count that a thermometer shows."""
    rules = oracle.rules
    deck = {card for card in CARDS if RANKS.index(card[0]) < rules.num_ranks and SUITS.index(card[1]) < rules.num_suits}
    hand, table = oracle.hands[me], {card for meld in oracle.table for card in meld.cards}
    melds = range(len(oracle.table))
    seen = hand.union(oracle.pile, table, *watcher.known)
    fits = {
        end: {card for card in deck - table if any(oracle.takes(number, card, end) for number in melds)}
        for end in ("set", "low", "high")
    }
    fields: dict[str, set[str] | list[int] | int] = {
        "hand": hand,
        "taken": {oracle.taken} if oracle.taken else set(),
        "pile_top": set(oracle.pile[-1:]),
        "pile": set(oracle.pile[:-1]),
        "table": table,
        "fits_set": fits["set"],
        "fits_low": fits["low"],
        "fits_high": fits["high"],
        "returned": watcher.returned - seen,
        "unseen": deck - seen,
        "in_meld": in_melds(hand),
        "completes": completing(hand) & deck,
        "phase": [int(oracle.phase == phase) for phase in ("draw", "play")],
        "my_turn": [int(oracle.to_play == me and not oracle.over)],
        "hand_size": len(hand),
        "points": -(-oracle.points(hand) // 6),
        "put_down": [int(oracle.put_down[me])],
        "stock_size": -(-len(oracle.stock) // 2),
        "reshuffles": watcher.refills,
        "turns": 10 * oracle.turns // rules.max_turns,
        "total": 10 * totals[me] // rules.target,
    }
    for k in range(1, rules.num_players):
        other = (me + k) % rules.num_players
        fields |= {
            f"next_{k}.known": watcher.known[other],
            f"next_{k}.discarded": watcher.discarded[other],
            f"next_{k}.refused": watcher.refused[other],
            f"next_{k}.to_play": [int(oracle.to_play == other and not oracle.over)],
            f"next_{k}.hand_size": len(oracle.hands[other]),
            f"next_{k}.put_down": [int(oracle.put_down[other])],
            f"next_{k}.total": 10 * totals[other] // rules.target,
        }
    return fields


def check(game: Game, oracle: Oracle, watcher: Watcher) -> None:
    for seat in range(game.rules.num_players):
        wanted = expected(oracle, watcher, game.totals, seat)
        observation = game.observation(seat)
        table = observation_table(game.rules.ruleset, game.rules.num_players)
        assert [field.name for field in table] == list(wanted)
        for piece in table:
            bits, meant = observation[piece.slice].tolist(), wanted[piece.name]
            assert len(bits) == piece.size
            if isinstance(meant, set):
                assert {card for card, bit in zip(CARDS, bits, strict=True) if bit} == meant, piece.name
            elif isinstance(meant, int):
                assert bits == [int(k < meant) for k in range(piece.size)], piece.name
            else:
                assert bits == meant, piece.name


@examples(60)
@given(any_rules(target=60), seeds)
def test_every_field_says_what_its_meaning_promises(rules: Rules, seed: int) -> None:
    match, choose = Match(rules, seed=seed), Chooser(seed)
    for _ in range(3):
        game = match.game
        oracle, watcher = oracle_of(game), Watcher(rules.num_players)
        check(game, oracle, watcher)
        while not game.over:
            move = choose(list(oracle.moves()))
            game.play(move)
            watcher.watch(oracle, move)
            if choose.random.random() < 0.2 or game.over:
                check(game, oracle, watcher)
        if match.over:
            break
        match.next_round()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_fields_follow_each_other_without_gaps(players: int) -> None:
    table = observation_table("straight", players)
    assert table[0].offset == 0
    assert all(before.slice.stop == after.offset for before, after in pairwise(table))
    assert table[-1].slice.stop == observation_size("straight", players) == spaces("straight", players).observation_size
    assert len({piece.name for piece in table}) == len(table)
    assert {piece.known_to for piece in table} == {"this seat", "all"}
    assert spaces("straight", players).fields == table
    assert max(piece.size for piece in table) == NUM_FACES


@pytest.mark.parametrize(("ruleset", "players"), [("poker", 2), ("straight", 1), ("straight", 5), ("straight", "2")])
def test_spaces_of_what_is_not_there(ruleset: Any, players: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        spaces(ruleset, players)
