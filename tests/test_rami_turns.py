"""The turn of rami, compiled, against the whole rest of the turn tried out: openings, taken cards, freed jokers."""

from __future__ import annotations

import random
from typing import Any

import pytest
from rami_oracle import (
    JOKER,
    Hand,
    Meld,
    Table,
    cards_of,
    legal_pieces,
    legal_when_opened,
    meld_of,
    melds_of_three,
    stands,
)

from rummy_env import Game, Rules
from rummy_env.actions import action_table, describe_action
from rummy_env.cards import cards_text, parse_cards
from rummy_env.table_moves import MOVES

pytestmark = pytest.mark.core

BLOCKS = action_table("rami")


def text_of(meld: Meld) -> str:
    return cards_text(cards_of(meld))


def name_of(action: int) -> tuple[Any, ...] | None:
    """The oracle's name of an action, None for one that puts nothing down."""
    block = next(block for block in BLOCKS if action in block)
    index = action - block.first
    if block.name.startswith("meld"):
        meld = Rules.preset("rami").meld(parse_cards(describe_action("rami", action).removeprefix("meld ")))
        assert meld is not None
        if meld.is_run:
            return ("meld", ("run", meld.key, meld.low, tuple(bool(meld.jokers >> p & 1) for p in meld.places)))
        return ("meld", ("set", meld.key, frozenset(s for s in range(4) if meld.suits >> s & 1), meld.jokers))
    if block.name.startswith("layoff_joker"):
        return ("joker", block.name.removeprefix("layoff_joker_"), index)
    if block.name.startswith("layoff"):
        return ("layoff", block.name.removeprefix("layoff_"), index)
    if block.name.startswith("swap"):
        return ("swap", block.name.removeprefix("swap_"), index)
    return None


def narrow_pack(chance: random.Random) -> list[int]:
    """Cards of five neighbouring ranks of some suits, twice, and jokers: hands with much interplay."""
    low = chance.randrange(10)
    suits = range(chance.choice((2, 3, 4)))
    pack = [suit * 13 + (low + k) % 13 for suit in suits for k in range(5)] * 2 + [JOKER] * 4
    chance.shuffle(pack)
    return pack


def deal_melds(chance: random.Random, pack: list[int], count: int) -> Table:
    table: Table = ()
    for _ in range(count):
        found = sorted(melds_of_three(tuple(sorted(pack[:12]))), key=repr)
        if found:
            meld = chance.choice(found)
            for card in cards_of(meld):
                pack.remove(card)
            table += (meld,)
        chance.shuffle(pack)
    return table


def position(hand: Hand, table: Table, **more: Any) -> dict[str, Any]:
    return {
        "hands": [cards_text(hand), "2c"],
        "table": [{"cards": text_of(meld), "by": 1} for meld in table],
        "phase": "play",
        "pile": "",
        "stock": "",
        **more,
    }


@pytest.mark.parametrize("seed", range(150))
def test_a_player_who_has_opened_can_meet_every_duty(seed: int) -> None:
    chance = random.Random(seed)
    pack = [card for card in narrow_pack(chance) if card != 40]  # 2c is the other hand
    table = deal_melds(chance, pack, chance.randrange(1, 4))
    hand: Hand = tuple(sorted(pack[: chance.randrange(2, 7)]))
    taken = chance.choice(hand) if chance.random() < 0.7 else None
    freed = min(chance.choice((0, 0, 1)), hand.count(JOKER) - (taken == JOKER))
    freed = max(freed, 0)
    wanted = legal_when_opened(hand, table, (taken, freed))
    text = None if taken is None else cards_text([taken])
    here = position(hand, table, opened=[True, False], taken=text, freed=freed)
    if freed and not wanted:  # A taken card alone could be given back.
        with pytest.raises(ValueError, match="expected a position in which seat 0 has a move, got one where"):
            Game.from_position(Rules.preset("rami"), here)
        return
    game = Game.from_position(Rules.preset("rami"), here)
    legal = game.legal_actions()
    assert {name for action in legal if (name := name_of(action))} == wanted
    ids = MOVES["rami"].ids
    owes_nothing = taken is None and not freed
    assert {action for action in legal if ids["discard"] <= action < ids["discard"] + 52} == (
        {ids["discard"] + card for card in hand if card != JOKER} if owes_nothing else set()
    )
    assert (ids["discard_joker"] in legal) == (owes_nothing and JOKER in hand)
    assert (ids["untake"] in legal) == (taken is not None and not freed)


@pytest.mark.parametrize("seed", range(150))
def test_an_opening_is_put_together_by_pieces_that_reach_it(seed: int) -> None:
    chance = random.Random(1000 + seed)
    pack = [card for card in narrow_pack(chance) if card != 40]
    hand: Hand = tuple(sorted(pack[: chance.randrange(4, 9)]))
    threshold = chance.choice((10, 20, 30, 40, 51))
    taken = chance.choice(hand) if chance.random() < 0.4 else None
    game = Game.from_position(
        Rules.preset("rami", opening=threshold),
        position(hand, (), taken=None if taken is None else cards_text([taken])),
    )
    pending: Table = ()
    while not game.over and game.to_play == 0:
        wanted = legal_pieces(hand, pending, taken, threshold)
        assert {name for action in game.legal_actions() if (name := name_of(action))} == wanted
        assert ("confirm" in map(str, game.legal_moves())) == stands(hand, pending, taken, threshold)
        if not wanted:
            break
        action = chance.choice([action for action in game.legal_actions() if name_of(action)])
        before = hand
        game.step(action)
        hand = tuple(sorted(parse_cards(game.hand(0))))
        if before.count(taken) > hand.count(taken):
            taken = None
        pending = tuple(meld_of(meld) for meld in game.table)
