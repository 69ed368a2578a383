"""Gin in lockstep with OpenSpiel's `gin_rummy`: the same deal, legal moves, deadwood and scores, round after round.

OpenSpiel plays somewhat other rules; docs/gin_and_openspiel.md says in what. Every difference has a name here, is
looked at where it shows, and has to show; anything else that differs fails. OpenSpiel comes with the extra `dev`: where
it is missing, this file fails.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pyspiel
import pytest
from arrangement_oracle import fewest

from agents.rule_bots import EASY, HARD, NORMAL, RANDOM, SIMPLE, RuleBotKind
from rummy_env import Game, Rules
from rummy_env.actions import GIN_ACTIONS, first_ids
from rummy_env.cards import card_text, from_mask
from rummy_env.core import deadwood
from rummy_env.core.state import NO_CARD

GIN = Rules.preset("gin")
OURS = first_ids(GIN_ACTIONS)
ROOT = pyspiel.load_game("gin_rummy").new_initial_state()
UPCARD, STOCK, PASS, KNOCK = 52, 53, 54, 55
"""OpenSpiel's actions after those of the 52 cards."""
MOST_UPCARDS = 50
"""The turn that takes an upcard for the so many-eth time ends OpenSpiel's round."""

TAKEN, ELEVEN = "the taken card may be discarded", "deadwood of eleven cards is too high"
TIE, LAST_TURN, FIFTY = "a tie is no undercut", "a last turn at two cards", "fifty upcards end a round"
"""Names of the differences."""


def _id_of(card: str) -> int:
    """OpenSpiel's number of a card, and of the action that discards it."""
    return "scdh".index(card[1]) * 13 + "A23456789TJQK".index(card[0])


THEIRS = [_id_of(card_text(card)) for card in range(52)]
OTHER_ACTIONS = {OURS["take"]: UPCARD, OURS["draw"]: STOCK, OURS["pass"]: PASS}


def theirs_of(cards: Any) -> list[int]:
    return sorted(THEIRS[card] for card in cards)


class Lockstep:
    """One round in both engines. ``seen``: how often which difference showed. Cards are our numbers."""

    def __init__(self, game: Game, seen: Counter[str]) -> None:
        self.game, self.seen = game, seen
        self.first = game.to_play
        self.upcards = 0
        self.theirs = ROOT.clone()
        for seat in (self.first, 1 - self.first):
            for card in self.hand(seat):
                self.theirs.apply_action(THEIRS[card])
        self.theirs.apply_action(_id_of(game.pile[0]))

    def their_seat(self, seat: int) -> int:
        """OpenSpiel's first player is always its player 0."""
        return (seat - self.first) % 2

    def hand(self, seat: int) -> list[int]:
        return from_mask(int(self.game.state["hidden"]["hands"][0, seat]))

    def moves_of(self, kind: str) -> set[str]:
        """Cards of our legal moves of a kind."""
        texts = [str(move).split() for move in self.game.legal_moves()]
        return {text[1] for text in texts if text[0] == kind}

    # --- the same position and the same moves

    def check(self) -> None:
        view, theirs = self.game.state["view"][0], self.theirs
        assert not theirs.is_terminal()
        assert theirs.current_player() == self.their_seat(view["to_play"])
        assert theirs.stock_size() == view["stock_size"]
        for seat in range(2):
            hand = self.hand(seat)
            assert sorted(theirs.hands()[self.their_seat(seat)]) == theirs_of(hand)
            if len(hand) == 10:
                arranged = np.zeros(1, deadwood.ARRANGEMENT_DTYPE)
                deadwood.arrange(GIN.record, int(self.game.state["hidden"]["hands"][0, seat]), arranged)
                assert theirs.deadwood()[self.their_seat(seat)] == arranged["points"][0]
        legal = theirs.legal_actions()
        if self.game.phase == "play":
            self.check_discards(legal, int(view["taken"]))
        else:
            assert legal == sorted(OTHER_ACTIONS[action] for action in self.game.legal_actions())
            assert theirs.upcard() == THEIRS[view["pile"][view["pile_size"] - 1]]

    def check_discards(self, legal: list[int], taken: int) -> None:
        ours = self.game.legal_actions()
        discards = [action - OURS["discard"] for action in ours if action < OURS["knock"]]
        knocks = [action - OURS["knock"] for action in ours if action >= OURS["knock"]]
        if taken != NO_CARD:
            discards.append(taken)
            self.seen[TAKEN] += 1
        assert [action for action in legal if action < UPCARD] == theirs_of(discards)
        if KNOCK in legal:
            theirs = self.theirs.child(KNOCK).legal_actions()
            if taken != NO_CARD and THEIRS[taken] in theirs:
                theirs.remove(THEIRS[taken])
            assert theirs == theirs_of(knocks)
        else:
            for card in knocks:
                self.check_eleven(card)
                self.seen[ELEVEN] += 1

    def check_eleven(self, card: int) -> None:
        """They refuse a knock: their points of eleven cards are above ten, those of ten of these cards are not."""
        player = self.their_seat(self.game.to_play)
        left = [card_text(other) for other in self.hand(self.game.to_play) if other != card]
        assert self.theirs.deadwood()[player] > 10
        assert fewest(left) == self.theirs.child(THEIRS[card]).deadwood()[player] <= 10

    # --- a move in both

    def play(self, action: int) -> bool:
        """Play one of our actions in both; whether the round goes on in both."""
        if action >= OURS["knock"]:
            self.knock(action - OURS["knock"])
            return False
        upcard, before = self.game.phase == "upcard", set(self.hand(self.game.to_play))
        self.game.step(action)
        if action >= OURS["discard"]:
            self.theirs.apply_action(THEIRS[action - OURS["discard"]])
        else:
            self.theirs.apply_action(OTHER_ACTIONS[action])
        if action == OURS["draw"]:
            (drawn,) = set(self.hand(self.game.to_play)) - before
            self.theirs.apply_action(THEIRS[drawn])
        self.upcards += action == OURS["take"] and not upcard
        if self.upcards == MOST_UPCARDS:
            assert self.theirs.is_terminal()
            assert self.theirs.returns() == [0, 0]
            self.seen[FIFTY] += 1
            return False
        if not self.game.over:
            return True
        self.check_void()
        return False

    def check_void(self) -> None:
        """With two cards in the stock our round is over, theirs has one turn more: a knock with the upcard, or none."""
        assert self.game.result is not None
        assert self.game.result.void
        assert self.theirs.stock_size() == self.game.stock_size == 2
        legal = self.theirs.legal_actions()
        assert legal in ([PASS], [PASS, KNOCK])
        self.seen[LAST_TURN] += 1
        self.theirs.apply_action(PASS)
        assert self.theirs.is_terminal()
        assert self.theirs.returns() == list(self.game.result.scores) == [0, 0]

    def knock(self, card: int) -> None:
        game, knocker = self.game, self.game.to_play
        may = KNOCK in self.theirs.legal_actions()
        game.step(OURS["knock"] + card)
        if not may:
            return
        state = self.theirs.child(KNOCK)
        state.apply_action(THEIRS[card])
        end = settled(state, self.their_seat(knocker))
        assert game.showdown is not None
        assert game.result is not None
        points = [hand.points for hand in game.showdown.hands if hand is not None]
        assert [end.deadwood()[self.their_seat(seat)] for seat in range(2)] == points
        gained = game.result.scores[knocker] - game.result.scores[1 - knocker]
        theirs = end.returns()[self.their_seat(knocker)]
        if points[0] == points[1] and points[knocker] > 0:
            assert (gained, theirs) == (-25, 0)
            self.seen[TIE] += 1
        else:
            assert gained == theirs
        self.seen["knocks"] += 1
        self.seen["gin"] += points[knocker] == 0
        self.seen["undercuts"] += gained < 0
        self.seen["lay-offs"] += len(end.layoffs()) > 0


def settled(state: Any, knocker: int) -> Any:
    """The end of OpenSpiel's round when both lay their melds by hand and well: every way is tried.

    The knocker is left with the fewest points, and of several ways leaves the other the most (RULES.md); the other is
    left with the fewest.
    """
    known: dict[Any, Any] = {}

    def rank(points: list[int], player: int) -> tuple[int, int]:
        return points[player], -points[1 - player] if player == knocker else 0

    def best(state: Any) -> Any:
        if state.is_terminal():
            return state
        player = state.current_player()
        hands = tuple(map(frozenset, state.hands()))
        laid = frozenset(state.layed_melds()[knocker]), frozenset(state.layoffs())
        key = player, state.finished_layoffs(), hands, laid
        if key not in known:
            ends = [best(state.child(action)) for action in state.legal_actions()]
            known[key] = min(ends, key=lambda end: rank(end.deadwood(), player))
        return known[key]

    return best(state)


def play_round(seed: int, kinds: tuple[RuleBotKind, ...], seen: Counter[str]) -> None:
    """A round of two players; now and then, someone makes any move."""
    chance = random.Random(seed)
    game = Game.deal(GIN, seed=seed, dealer=seed % 2)
    bots = [kind(GIN, seed) for kind in kinds]
    both = Lockstep(game, seen)
    while True:
        both.check()
        if chance.random() < 0.05:
            action = chance.choice(game.legal_actions())
        else:
            action = bots[game.to_play].act(game.view(game.to_play))
        if not both.play(action):
            break
    seen["rounds"] += 1


@pytest.mark.parametrize(
    ("kinds", "rounds", "shows"),
    [
        ((RANDOM, RANDOM), 100, {TAKEN, LAST_TURN}),
        ((EASY, RANDOM), 500, {TAKEN, LAST_TURN, "knocks", "gin", "lay-offs"}),
        ((SIMPLE, NORMAL), 1000, {TAKEN, TIE, "knocks", "gin", "undercuts", "lay-offs"}),
        ((HARD, NORMAL), 800, {TAKEN, TIE, "knocks", "gin", "undercuts", "lay-offs"}),
    ],
    ids=lambda value: "-".join(kind.name for kind in value) if isinstance(value, tuple) else "",
)
def test_thousands_of_rounds(kinds: tuple[RuleBotKind, ...], rounds: int, shows: set[str]) -> None:
    seen: Counter[str] = Counter()
    for seed in range(rounds):
        play_round(seed, kinds, seen)
    assert seen["rounds"] == rounds
    assert shows <= {name for name, count in seen.items() if count}, seen


# --- the differences, one by one -----------------------------------------------------------------------------


def dealt(first: str, second: str, upcard: str, stock: str = "") -> Lockstep:
    """Both engines at the beginning of a round. The stock goes on with whatever is left."""
    seen = f"{first} {second} {upcard} {stock}".split()
    rest = [text for text in map(card_text, range(52)) if text not in seen]
    if not second:
        second, rest = " ".join(rest[:10]), rest[10:]
    position = {"hands": [first, second], "pile": upcard, "stock": [*stock.split(), *rest], "phase": "upcard"}
    return Lockstep(Game.from_position(GIN, position), Counter())


def play_all(both: Lockstep, *moves: str) -> None:
    for move in moves:
        both.check()
        (action,) = [a for a in both.game.legal_actions() if str(both.game.move_of(a)) == move]
        both.play(action)


def test_deadwood_of_eleven_cards() -> None:
    """Two arrangements of the eleven leave 16 points. OpenSpiel goes by sets of sixes and fives, whose worst loose card
    is a four, and counts 12; but the runs of spades and of diamonds, with the six of clubs gone, leave 2, 3 and 5."""
    both = dealt("3s 4s 5s 6s 6c 2d 4d 5d 6d 3h", "", "5h")
    play_all(both, "take")
    both.check()
    assert both.seen[ELEVEN]
    assert both.moves_of("knock") >= {"6c"}


def test_the_taken_card_goes_back_and_twice_is_a_draw() -> None:
    both = dealt("As 3s 5s 7s 9s Js Ks 2h 4h 6h", "", "8h")
    play_all(both, "take")
    assert not both.game.is_legal("discard 8h")
    theirs = both.theirs
    for action in (_id_of("8h"), UPCARD):
        theirs.apply_action(action)
    assert not theirs.is_terminal()
    theirs.apply_action(_id_of("8h"))
    assert theirs.is_terminal()
    assert theirs.returns() == [0, 0]


def test_fifty_upcards_end_a_round() -> None:
    both = dealt("As 3s 5s 7s 9s Js Ks 2h 4h 6h", "", "8h")
    chance = random.Random(1)
    goes_on = True
    while goes_on:
        both.check()
        ours = [action for action in both.game.legal_actions() if action < OURS["knock"]]
        goes_on = both.play(OURS["take"] if OURS["take"] in ours else chance.choice(ours))
    assert both.seen[FIFTY]
    assert not both.game.over
