"""The rule-based players at indian rummy: what each does in positions with a story, that they only do what is legal,
and that each is better than the one before."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import indian_bots
from agents.rule_bots import EASY, HARD, NORMAL, RANDOM, RuleBotKind
from rummy_env import Game, Rules
from rummy_env.actions import describe_action
from rummy_env.cards import NUM_FACES
from rummy_env.core.batch import reset_tables
from rummy_env.core.bot import NO_FAULT, advance_tables, bot_table, decider
from rummy_env.core.declaration import arrange
from rummy_env.core.kernel import scratch
from rummy_env.core.random import streams
from rummy_env.core.state import NO_CARD, OVER, new_states

ROOT = Path(__file__).parent.parent
KINDS = (RANDOM, EASY, NORMAL, HARD)
INDIAN = Rules.preset("indian")
STAY = Rules.preset("indian", pack_first=1000)
THREE_DECKS = Rules.preset("indian", num_decks=3, num_jokers=3)
CAREFUL = pytest.mark.parametrize("kind", [NORMAL, HARD], ids=lambda kind: kind.name)
CARDS = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"] + ["Jk"]


def position(hand: str, rules: Rules = INDIAN, **rest: Any) -> Game:
    """Seat 0 has ``hand`` and is to play; sixes are wild. The other hands, if not given, and the stock are dealt from
    the rest, the same way every time."""
    rest = {"phase": "play", "pile": "", "wild": "6c", **rest}
    left = Counter({card: rules.num_jokers if card == "Jk" else rules.num_decks for card in CARDS})
    left -= Counter(f"{hand} {rest['pile']} {rest['wild']} {' '.join(rest.get('others', []))}".split())
    deck = sorted(left.elements(), key=lambda card: (hashlib.sha256(card.encode()).digest(), card))
    others = rest.pop("others", None) or [" ".join(deck[13 * k : 13 * k + 13]) for k in range(rules.num_players - 1)]
    left -= Counter(" ".join(others).split())
    rest.setdefault("stock", " ".join(left.elements()))
    return Game.from_position(rules, {"hands": [hand, *others], **rest})


def choice(game: Game, kind: RuleBotKind, seed: int = 1) -> str:
    """What the player does, as the text of its action."""
    return describe_action("indian", kind(game.rules, seed).act(game.view(game.to_play)))


def choices(game: Game, kind: RuleBotKind, times: int = 2000) -> Counter[str]:
    """How often the player does what, over many of its random numbers."""
    bot, view = kind(game.rules, seed=1), game.view(game.to_play)
    return Counter(describe_action("indian", bot.act(view)) for _ in range(times))


# --- the distance --------------------------------------------------------------------------------------------


def least_distance(rules: Any, view: Any, number: Any) -> Any:
    """In the form of a player: how many cards the hand in a view lacks."""
    plans = scratch(indian_bots.PLANS_DTYPE)
    indian_bots.search(rules, view, plans, np.int64(NO_CARD))
    return plans["distance"]


@pytest.fixture(scope="module")
def distance() -> Any:
    compiled = decider(least_distance, "indian")

    def of(game: Game) -> int:
        return int(compiled(game.rules.record[0], game.view(game.to_play).record[0], np.uint64(1)))

    return of


def declarable_with_one_more(game: Game) -> bool:
    """Whether the hand and any card of the deck have a discard that leaves a declaration."""
    view, rules = game.view(game.to_play).record[0], game.rules
    one, two, three, jokers = (int(view[field]) for field in ("hand", "hand2", "hand3", "hand_jokers"))
    if arrange(rules.record, one, two, three, jokers + 1, int(view["cut"]))[2]:
        return True
    for card in range(NUM_FACES):
        me = 1 << card
        if not three & me and (rules.num_decks > 2 or not two & me):
            more = one | me, two | one & me, three | two & me
            if arrange(rules.record, *more, jokers, int(view["cut"]))[2]:
                return True
    return False


@pytest.mark.parametrize("rules", [INDIAN, THREE_DECKS], ids=["2 decks", "3 decks"])
def test_the_distance_is_the_number_of_cards_that_are_missing(rules: Rules, distance: Any) -> None:
    """0 and 1 against the exact solver, before every draw of some rounds. It is never too small, and too large where a
    run would be two cards with two wilds between them, which is rare."""
    seen: Counter[int] = Counter()
    too_large = 0
    for seed in range(25):
        game, mover = Game.deal(rules, seed=20_000_000 + seed), NORMAL(rules, seed)
        while not game.over:
            if game.phase == "draw":
                found = distance(game)
                seen[found] += 1
                hand = [str(card) for card in game.hand(game.to_play)]
                assert (found == 0) == rules.arrange(hand, game.wild).declarable
                if found == 1:
                    assert declarable_with_one_more(game)
                if found == 2:
                    too_large += declarable_with_one_more(game)
            game.step(mover.act(game.view(game.to_play)))
    assert seen[1] > 50
    assert seen[2] > 50
    assert too_large < 0.08 * seen[2]


@pytest.mark.parametrize(
    ("hand", "missing"),
    [
        ("2s 3s 4s 7h 8h 9h Ks Kh Kd Qc Qd Qh Qs", 0),
        ("2s 3s 4s 7h 6s 9h Ks Jk Kd Qc Qd Qh Qs", 0),  # wilds in the second run and in a set
        ("2s 3s Jk 7h 8h Jk Ks Kh Kd Qc Qd Qh 6s", 1),  # any number of wilds makes no natural run
        ("5h 6h 7h 8s 9s Jk Ks Kh Kd Qc Qd Qh Qs", 0),  # a wild in its own place is natural
        ("2s 3s 4s 8c 8d 8h Ks Kh Kd Qc Qd Qh Qs", 2),  # no second run: one set goes, one of its cards begins the run
        ("2s 3s 4s 7h 8h 9h Ks Kh Kd Qc Qd 2d 9c", 2),  # a third queen, and a card more
    ],
)
def test_distances_by_hand(hand: str, missing: int, distance: Any) -> None:
    assert distance(position(hand, phase="draw")) == missing


def test_identical_cards_wait_for_the_third_and_for_no_wild(distance: Any) -> None:
    hand = "2s 2s Jk 7h 8h 9h Ks Kh Kd Qc Qd Qh Qs"
    assert distance(position(hand, THREE_DECKS, phase="draw")) == 1
    assert distance(position(hand.replace("Jk", "2s"), THREE_DECKS, phase="draw")) == 0


# --- the top of the pile -------------------------------------------------------------------------------------

HAND = "2s 3s 7h 8h 9h Ks Kd Qc Td Ac 4d 9c Jh"
"""A natural run; a pair, and two cards of a run."""


@CAREFUL
@pytest.mark.parametrize("top", ["Jk", "6d", "6h"])
def test_takes_every_wild(top: str, kind: RuleBotKind) -> None:
    assert choice(position(HAND, STAY, phase="draw", pile=top), kind) == "take"


@CAREFUL
@pytest.mark.parametrize("top", ["4s", "As", "Kh", "Kc"])
def test_takes_what_completes_a_meld(top: str, kind: RuleBotKind) -> None:
    assert choice(position(HAND, STAY, phase="draw", pile=top), kind) == "take"


@CAREFUL
@pytest.mark.parametrize("top", ["8h", "8s", "5c", "2h"])
def test_leaves_what_completes_none(top: str, kind: RuleBotKind) -> None:
    assert choice(position(HAND, STAY, phase="draw", pile=top), kind) == "draw"


@CAREFUL
def test_leaves_a_third_set_that_a_hand_without_a_second_run_has_no_use_for(kind: RuleBotKind) -> None:
    hand = "7h 8h 9h Th Ks Kd Kc 8c 8d 8s 3d 3c 5s"
    assert choice(position(hand, STAY, phase="draw", pile="3h"), kind) == "draw"


def test_easy_sees_some_tops() -> None:
    seen = choices(position(HAND, phase="draw", pile="4s"), EASY)
    assert set(seen) == {"draw", "take"}
    assert 0.55 < seen["take"] / seen.total() < 0.65


@pytest.mark.parametrize("kind", [EASY, NORMAL, HARD], ids=lambda kind: kind.name)
def test_takes_where_the_stock_is_empty(kind: RuleBotKind) -> None:
    rules = Rules.preset("indian", pack_first=1000)
    assert choice(position(HAND, rules, phase="draw", pile="8s", stock=""), kind) == "take"


# --- discards and declarations -------------------------------------------------------------------------------


@CAREFUL
@pytest.mark.parametrize(
    "hand", ["2s 3s 4s 7h 8h 9h Ks Kh Kd Qc Qd Qh Qs 5d", "2s 3s 4s 7h Jk 9h Ks 6d Kd Qc Qd Qh Qs 5d"]
)
def test_declares_at_once(hand: str, kind: RuleBotKind) -> None:
    assert choice(position(hand), kind) == "declare 5d"


def test_easy_misses_declarations() -> None:
    found = choices(position("2s 3s 4s 7h 8h 9h Ks Kh Kd Qc Qd Qh Qs 5d"), EASY)
    assert 0.65 < found["declare 5d"] / found.total() < 0.75


@pytest.mark.parametrize("kind", [EASY, NORMAL, HARD], ids=lambda kind: kind.name)
def test_throws_no_wild(kind: RuleBotKind) -> None:
    """Nothing but wilds is loose."""
    found = choices(position("2s 3s 4s 7h 8h 9h Ks Kh Kd Jk Jk 6d 6s 5d"), kind, 200)
    assert not {"discard Jk", "discard 6d", "discard 6s", "declare Jk", "declare 6d", "declare 6s"} & set(found)


@CAREFUL
def test_discards_the_high_card_it_can_do_without(kind: RuleBotKind) -> None:
    """All but the two loose cards are melds or nearly; the ace counts eleven."""
    assert choice(position("2s 3s 4s 7h 8h 9h Js Qs Td Tc Th 4d 4c Ah"), kind) == "discard Ah"


@CAREFUL
def test_keeps_a_run_in_the_making_rather_than_a_third_set(kind: RuleBotKind) -> None:
    """Without a second run nothing is won: one of the sets must go."""
    thrown = choice(position("2s 3s 4s 7h 8h 3d 3c 3h 9s 9c 9d Tc Td Ts"), kind)
    assert thrown not in {f"discard {card}" for card in ("2s", "3s", "4s", "7h", "8h")}


@CAREFUL
def test_keeps_a_triplet_only_where_it_is_a_meld(kind: RuleBotKind) -> None:
    hand = "Qs Qs Qs 7h 8h 9h 3d 3c 3h 9s 9c 9d 2d 4c"
    assert choice(position(hand, THREE_DECKS), kind) in ("discard 2d", "discard 4c")
    assert choice(position(hand.replace("Qs Qs Qs", "Qs Qs Ks")), kind) == "discard Qs"


def test_hard_knows_which_cards_cannot_come_any_more() -> None:
    """One of three pairs has to go: a high one, or the fives once the other fives lie in the pile."""
    hand = "2s 3s 4s 7h 8h 9h Js Jc Kh Kd 5d 5c Jk 6d"
    assert choice(position(hand), HARD) in [f"discard {card}" for card in ("Js", "Jc", "Kh", "Kd")]
    assert choice(position(hand, pile="5s 5s 5h 5h"), HARD) in ("discard 5d", "discard 5c")


def test_hard_gives_nothing_that_goes_with_what_the_next_player_took() -> None:
    """The king and the jack are as good to throw as each other, but the other has taken a king."""
    game = position(
        "2s 3s 4s 7h 8h 9h Ts Td Th 5c 5d Jc Kd",
        others=["2c 3c 8c Kc 5s 9d Ad As 8s 2d 4c 3h Ah"],
        phase="draw",
        pile="Kh",
        to_play=1,
        stock="6s 6s",
    )
    for move in ("take", "discard 2c", "draw"):
        game.play(move)
    forgotten = Game.from_position(INDIAN, game.position())
    assert forgotten.hand(0) == game.hand(0)
    assert choice(forgotten, HARD) == "discard Kd"
    assert choice(game, HARD) == "discard Jc"


# --- packing -------------------------------------------------------------------------------------------------

HOPELESS = "As Ah Kc Kd Jc Th 9s 8d 5h 4c 2d Qs 7c"
GOOD = "2s 3s 4s 7h 8h 9h Ks Kh Qc Qd 6s Td Ac"


@pytest.mark.parametrize("players", [2, 4, 6])
def test_hard_packs_a_hopeless_hand_in_its_first_turn_and_no_good_one(players: int) -> None:
    rules = Rules.preset("indian", num_players=players)
    assert choice(position(HOPELESS, rules, phase="draw", pile="5s"), HARD) == "pack"
    assert choice(position(GOOD, rules, phase="draw", pile="5s"), HARD) != "pack"


@pytest.mark.parametrize("kind", [EASY, NORMAL], ids=lambda kind: kind.name)
def test_easy_and_normal_never_pack(kind: RuleBotKind) -> None:
    assert set(choices(position(HOPELESS, phase="draw", pile="5s"), kind, 200)) <= {"draw", "take"}


@pytest.mark.parametrize(
    ("options", "packs"),
    [({}, True), ({"pack_first": 100}, False), ({"points_cap": 8}, False), ({"pack_first": 0, "points_cap": 8}, True)],
    ids=str,
)
def test_what_packing_costs_counts(options: dict[str, int], packs: bool) -> None:
    """Never for more than the hand can cost."""
    game = position(HOPELESS, Rules.preset("indian", **options), phase="draw", pile="5s")
    assert (choice(game, HARD) == "pack") is packs


def test_hard_packs_later_only_against_a_crowd() -> None:
    """40 points are much against one other, who may be no better off; one of three is."""
    for players, packs in ((2, False), (4, True)):
        rules = Rules.preset("indian", num_players=players)
        game = position(HAND, rules, phase="draw", pile="5s", turns=[2] * players)
        assert (choice(game, HARD) == "pack") is packs


# --- what they may know --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_is_hidden_changes_nothing(kind: RuleBotKind) -> None:
    """The other hands and the stock are dealt anew, all of them, at every decision of six rounds."""
    seen = 0
    for seed in range(6):
        rules = Rules.preset("indian", num_players=2 + seed % 3)
        game, mover = Game.deal(rules, seed=seed), NORMAL(rules, seed)
        while not game.over:
            view = game.view(game.to_play)
            decided = [kind(rules, number).act(view) for number in range(3)]
            other = game.resample(game.to_play, seed)
            seat = (game.to_play + 1) % rules.num_players
            seen += other.hand(seat) != game.hand(seat)
            assert [kind(rules, again).act(other.view(game.to_play)) for again in range(3)] == decided
            game.step(mover.act(view))
    assert seen > 80


def test_same_seed_same_play() -> None:
    view = position("2s 3s 4s 7h 8h 9h Ks Kh Td Qc Qd Ah As 5d").view(0)
    for kind in KINDS:
        bot = kind(INDIAN, seed=9)
        first = [bot.act(view) for _ in range(20)]
        bot.reset(9)
        assert [bot.act(view) for _ in range(20)] == first


# --- at many tables ------------------------------------------------------------------------------------------


def play_rounds(rules: Rules, kinds: tuple[RuleBotKind, ...], seats: list[int], count: int, seed: int) -> Any:
    """The views at the end of ``count`` rounds; ``seats`` are numbers in ``kinds``."""
    states = new_states(rules.ruleset, count)
    reset_tables(rules.record, states, np.stack([streams(seed, count), streams(seed + 1, count)], 1), 0, count)
    bots = bot_table([kind.decider(rules.ruleset) for kind in kinds])
    fault = advance_tables(rules.record, states, bots, np.tile(np.array(seats, np.int8), (count, 1)), 0, count)
    assert fault == NO_FAULT, f"an illegal action at table {fault}"
    assert (states["view"]["phase"] == OVER).all()
    return states["view"]


OPTIONS = [
    *({"num_players": players} for players in range(2, 11)),
    {"num_jokers": 8},
    {"num_jokers": 0},
    {"num_decks": 3, "num_jokers": 8, "num_players": 3},
    {"num_decks": 1, "num_players": 2},
    {"discard_taken": False, "num_players": 3},
    {"min_naturals": 2},
    {"min_naturals": 3, "num_decks": 3},
    {"points_cap": 80, "num_players": 4},
    {"pack_first": 0, "pack_later": 0, "num_players": 5},
    {"pack_first": 1000, "pack_later": 1000},
    {"max_turns": 3},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_action_is_legal(options: dict[str, int]) -> None:
    rules = Rules.preset("indian", **options)
    for shift in range(len(KINDS)):
        play_rounds(rules, KINDS, [(seat + shift) % len(KINDS) for seat in range(rules.num_players)], 40, shift)
    for first in range(len(KINDS)):
        play_rounds(rules, KINDS, [first] * rules.num_players, 20, first)


def ahead(better: RuleBotKind, worse: RuleBotKind, players: int, count: int) -> Any:
    """What the better ones gain in points a round on the others, (count,): every other seat, then the rest, the same
    deals."""
    rules = Rules.preset("indian", num_players=players)
    gains = np.zeros(count)
    for turned in range(2):
        seats = [(seat + turned) % 2 for seat in range(players)]
        scores = play_rounds(rules, (better, worse), seats, count, 10_000_000)["scores"][:, :players].astype(float)
        is_better = np.array(seats) == 0
        gains += (scores[:, is_better].mean(1) - scores[:, ~is_better].mean(1)) / 2
    return gains


@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize(("worse", "better"), list(pairwise(KINDS)), ids=lambda kind: kind.name)
def test_order_of_strength(worse: RuleBotKind, better: RuleBotKind, players: int) -> None:
    """Ahead by four standard errors."""
    gains = ahead(better, worse, players, 1_000 if better is HARD else 200)
    assert gains.mean() > 4 * gains.std() / len(gains) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 5, 7, 10])
@pytest.mark.parametrize(("worse", "better"), list(pairwise(KINDS)), ids=lambda kind: kind.name)
def test_order_of_strength_with_other_numbers_of_players(worse: RuleBotKind, better: RuleBotKind, players: int) -> None:
    gains = ahead(better, worse, players, 1_000)
    assert gains.mean() > 4 * gains.std() / len(gains) ** 0.5


# --- compiled or not -----------------------------------------------------------------------------------------

FINGERPRINT = """
from test_indian_bots import fingerprint
print(fingerprint())
"""


def fingerprint() -> str:
    """A hash of rounds that all players play with each other, with two and three decks."""
    digest = hashlib.sha256()
    for players, decks in ((2, 2), (4, 2), (3, 3)):
        rules = Rules.preset("indian", num_players=players, num_decks=decks, num_jokers=decks, max_turns=3 * players)
        for shift in range(2):
            seats = [(KINDS.index(HARD) - seat + shift) % len(KINDS) for seat in range(players)]
            views = play_rounds(rules, KINDS, seats, 1, seed=shift)
            for field in ("pile_cards", "discarded", "turn", "scores"):
                digest.update(np.ascontiguousarray(views[field]).tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("disable_jit", ["0", "1"])
def test_plays_the_same_compiled_and_uncompiled(disable_jit: str) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": disable_jit, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    run = [sys.executable, "-W", "error::RuntimeWarning", "-c", FINGERPRINT]
    printed = subprocess.run(run, env=environment, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert printed.strip() == fingerprint()
