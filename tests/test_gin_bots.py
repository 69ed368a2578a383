"""The rule-based players at gin: what each does in positions with a story, and that they only do what is legal."""

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
from arrangement_oracle import fewest

import agents
from agents.rule_bots import EASY, HARD, NORMAL, RANDOM, SIMPLE, RuleBotKind
from rummy_env import Game, Rules
from rummy_env.actions import describe_action
from rummy_env.core.batch import reset_tables
from rummy_env.core.bot import NO_FAULT, advance_tables, bot_table
from rummy_env.core.random import streams
from rummy_env.core.state import OVER, new_states

ROOT = Path(__file__).parent.parent
KINDS = (RANDOM, EASY, SIMPLE, NORMAL, HARD)
GIN = Rules.preset("gin")
CAREFUL = pytest.mark.parametrize("kind", [NORMAL, HARD], ids=lambda kind: kind.name)
KNOWING = pytest.mark.parametrize("kind", [SIMPLE, NORMAL, HARD], ids=lambda kind: kind.name)
DECK = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]


def position(hand: str, rules: Rules = GIN, **rest: Any) -> Game:
    """Seat 0 has ``hand`` and is to play. The other hand, if not given, is ten other cards, the stock the rest."""
    rest = {"phase": "play", "pile": "", **rest}
    left = [card for card in DECK if card not in f"{hand} {rest['pile']}"]
    other = rest.pop("other", " ".join(left[::2][:10]))
    rest.setdefault("stock", " ".join(card for card in left if card not in other))
    return Game.from_position(rules, {"hands": [hand, other], **rest})


def choice(game: Game, kind: RuleBotKind, seed: int = 1) -> str:
    """What the player does, as the text of its action."""
    return describe_action("gin", kind(game.rules, seed).act(game.view(game.to_play)))


def choices(game: Game, kind: RuleBotKind, times: int = 2000) -> Counter[str]:
    """How often the player does what, over many of its random numbers."""
    bot, view = kind(game.rules, seed=1), game.view(game.to_play)
    return Counter(describe_action("gin", bot.act(view)) for _ in range(times))


# --- the top of the pile -------------------------------------------------------------------------------------

TOPS = [
    ("9s 9h 3d 4d Ks Jh 7c 5h 2s Qd", "9d", "a set"),
    ("5h 6h 3d 4d Ks Jh 7c 9c 2s Qd", "7h", "a run"),
    ("5h 7h 3d 9d Ks Jh 7c 9c 2s Qd", "6h", "the card between two"),
    ("5h 6h 7h Kd Ks Jh 7c 9c 2s Qd", "8h", "a longer run"),
    ("9s 9h 9c 3d Ks Jh 7c 5h 2s Qd", "9d", "the fourth of a set"),
]


@KNOWING
@pytest.mark.parametrize(("hand", "top", "why"), TOPS)
@pytest.mark.parametrize("phase", ["draw", "upcard"])
def test_takes_what_makes_a_meld(hand: str, top: str, why: str, phase: str, kind: RuleBotKind) -> None:
    assert choice(position(hand, phase=phase, pile=top), kind) == "take", why


@KNOWING
@pytest.mark.parametrize(("phase", "left"), [("draw", "draw"), ("upcard", "pass")])
@pytest.mark.parametrize("top", ["Kh", "As", "Qs", "5c"])
def test_leaves_what_makes_no_meld(top: str, phase: str, left: str, kind: RuleBotKind) -> None:
    assert choice(position("9s 9h 3d 4d Ks Jh 7c 5h 2s Qd", phase=phase, pile=top), kind) == left


@pytest.mark.parametrize(("kind", "action"), [(SIMPLE, "draw"), (NORMAL, "take"), (HARD, "take")])
def test_all_but_simple_take_what_lets_them_knock(kind: RuleBotKind, action: str) -> None:
    """A king goes and an ace comes: 4 points of deadwood instead of 13."""
    assert choice(position("5h 6h 7h 9s 9h 9d 9c 2s As Kd", phase="draw", pile="Ac"), kind) == action


@pytest.mark.parametrize(("kind", "action"), [(SIMPLE, "take"), (NORMAL, "draw")])
def test_simple_takes_part_of_any_meld_also_one_of_no_use(kind: RuleBotKind, action: str) -> None:
    """The ace would be the end of A-2-3 of spades, but the two and the three are better where they are, in sets."""
    hand = "2s 2h 2d 3s 3h 3d Ks Kh Qd Jc"
    assert fewest(f"{hand} As".split()) == fewest(hand.split()) + 1
    assert choice(position(hand, phase="draw", pile="As"), kind) == action


def test_easy_sees_some_tops() -> None:
    seen = choices(position(TOPS[0][0], phase="draw", pile=TOPS[0][1]), EASY)
    assert set(seen) == {"draw", "take"}
    assert 0.55 < seen["take"] / seen.total() < 0.65


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_draws_where_both_have_passed(kind: RuleBotKind) -> None:
    game = position(TOPS[0][0], phase="upcard", pile=TOPS[0][1])
    game.play("pass")
    game.play("pass")
    assert choice(game, kind) == "draw"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_takes_where_the_stock_is_empty(kind: RuleBotKind) -> None:
    rules = Rules.preset("gin", void_stock=0)
    assert choice(position(TOPS[0][0], rules, phase="draw", pile="Kc", stock=""), kind) == "take"


# --- discards ------------------------------------------------------------------------------------------------


@KNOWING
def test_discards_the_highest_loose_card(kind: RuleBotKind) -> None:
    assert choice(position("5h 6h 7h 2s 2d 4c 4s 9s 8s 6d Kd"), kind) == "discard Kd"


def test_simple_discards_by_lot_what_leaves_the_least() -> None:
    """Two kings and a jack are worth the same, whatever they could still become."""
    found = choices(position("5h 6h 7h 2s 2d 4c 9s 8s Ks Kd Jc"), SIMPLE)
    assert set(found) == {"discard Ks", "discard Kd", "discard Jc"}
    assert all(count > 550 for count in found.values())


@CAREFUL
def test_keeps_a_pair_of_kings_rather_than_a_lone_jack(kind: RuleBotKind) -> None:
    assert choice(position("5h 6h 7h 2s 2d 4c 9s 8s Ks Kd Jc"), kind) == "discard Jc"


@CAREFUL
def test_knows_which_cards_cannot_come_any_more(kind: RuleBotKind) -> None:
    """Both other kings lie in the pile, so the two kings are as lone as the jack, which has a ten beside it."""
    hand = "5h 6h 7h 2s 2d 4c 9s Tc Ks Kd Jc"
    assert choice(position(hand, pile="Kh Kc"), kind) in ("discard Ks", "discard Kd")


@KNOWING
def test_does_not_discard_the_card_it_took(kind: RuleBotKind) -> None:
    game = position("5h 6h 3d 4d 9s Jh Jc 9c 2s 2d", phase="draw", pile="7h")
    game.play("take")
    assert choice(game, kind) in ("discard Jh", "discard Jc")


def test_hard_gives_nothing_that_goes_with_what_the_other_took() -> None:
    """The other has taken two queens, so the third stays. Without these turns it is the card to throw."""
    game = position(
        "5h 6h 7h 3s 3d 4c 4d 8s Qh Qd",
        other="2c 6c 8c Kc 5d 6d Jd As Ts 9c",
        phase="draw",
        pile="2h Qs",
        to_play=1,
        stock="9d 7c 2d 3c 4h 5s 7s Ah Kh Ks Jh Tc",
    )
    for move in ("take", "discard 2c", "draw", "discard Qh", "take", "discard 6c", "draw"):
        game.play(move)
    forgotten = Game.from_position(GIN, game.position())
    assert forgotten.hand(0) == game.hand(0)
    assert choice(forgotten, HARD) == choice(game, NORMAL) == "discard Qd"
    assert choice(game, HARD) != "discard Qd"


# --- knocking ------------------------------------------------------------------------------------------------


@KNOWING
def test_makes_gin_known_at_once(kind: RuleBotKind) -> None:
    assert choice(position("5h 6h 7h 9s 9h 9d Ac 2c 3c 4c Kd"), kind) == "knock Kd"


@pytest.mark.parametrize("kind", [SIMPLE, NORMAL], ids=lambda kind: kind.name)
@pytest.mark.parametrize("turns", [0, 12])
def test_simple_and_normal_knock_with_all_that_is_allowed(turns: int, kind: RuleBotKind) -> None:
    hand = "5h 6h 7h 9s 9h 9d 2s 4c 3d As Kd"
    assert fewest(hand.removesuffix(" Kd").split()) == 10
    assert choice(position(hand, turns=[turns, turns]), kind) == "knock Kd"


def test_hard_knocks_with_much_only_while_the_other_has_had_no_time() -> None:
    """Later the other hand may be as good, and who knocks with ten is undercut."""
    hand = "5h 6h 7h 9s 9h 9d 2s 4c 3d As Kd"
    assert choice(position(hand, turns=[1, 1]), HARD) == "knock Kd"
    assert choice(position(hand, turns=[8, 8]), HARD) == "discard Kd"


def test_hard_goes_on_while_there_are_cards_that_make_gin() -> None:
    """Four cards would, and all of them lie in the pile the second time."""
    hand = "5h 6h 7h 9s 9h 9d Ac 2c 3c As Kd"
    assert choice(position(hand), HARD) == "discard Kd"
    assert choice(position(hand, pile="4h 8h 9c 4c"), HARD) == "knock Kd"


def test_easy_misses_knocks() -> None:
    found = choices(position("5h 6h 7h 9s 9h 9d Ac 2c 3c 4c Kd"), EASY)
    assert 0.35 < found["knock Kd"] / found.total() < 0.45
    assert 0.55 < found["discard Kd"] / found.total() < 0.65


# --- what they may know --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_is_hidden_changes_nothing(kind: RuleBotKind) -> None:
    """The other hand and the stock are dealt anew, all of them, at every decision of four rounds."""
    seen = 0
    for seed in range(4):
        game = Game.deal(GIN, seed=seed)
        mover = HARD(GIN, seed)
        while not game.over:
            view = game.view(game.to_play)
            decided = [kind(GIN, number).act(view) for number in range(3)]
            for number in range(2):
                other = game.resample(game.to_play, number)
                seen += other.hand(1 - game.to_play) != game.hand(1 - game.to_play)
                assert [kind(GIN, again).act(other.view(game.to_play)) for again in range(3)] == decided
            game.step(mover.act(view))
    assert seen > 100


def test_same_seed_same_play() -> None:
    view = position("5h 6h 7h 2s 2d 4c 9s 8s Ks Kd Jc").view(0)
    for kind in KINDS:
        bot = kind(GIN, seed=9)
        first = [bot.act(view) for _ in range(20)]
        bot.reset(9)
        assert [bot.act(view) for _ in range(20)] == first


def test_simple_plays_gin_alone() -> None:
    assert agents.load("simple", GIN).name == "simple"
    with pytest.raises(ValueError, match="simple: expected rules of gin, got straight"):
        agents.load("simple", Rules.preset("straight"))


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


@pytest.mark.parametrize(
    "rules",
    [
        GIN,
        Rules.preset("gin", knock_limit=0),
        Rules.preset("gin", knock_limit=100),
        Rules.preset("gin", hand_size=1),
        Rules.preset("gin", hand_size=7, court_points=31),
        Rules.preset("gin", void_stock=0, discard_taken=True),
        Rules.preset("gin", void_stock=30),
        Rules.preset("gin", max_turns=3),
        Rules.preset("gin", ace_points=11),
    ],
    ids=lambda rules: " ".join(f"{name}={value}" for name, value in rules.options().items()),
)
def test_every_action_is_legal(rules: Rules) -> None:
    for first in range(len(KINDS)):
        for second in range(len(KINDS)):
            play_rounds(rules, KINDS, [first, second], 60, first)


def ahead(better: RuleBotKind, worse: RuleBotKind, count: int) -> Any:
    """What the better one gains in points a round on the other, (count,): the same deals in both seats."""
    gains = np.zeros(count)
    for seat in range(2):
        scores = play_rounds(GIN, (better, worse), [seat, 1 - seat], count, 10_000_000)["scores"].astype(float)
        gains += (scores[:, seat] - scores[:, 1 - seat]) / 2
    return gains


@pytest.mark.parametrize(("worse", "better"), list(pairwise(KINDS)), ids=lambda kind: kind.name)
def test_order_of_strength(worse: RuleBotKind, better: RuleBotKind) -> None:
    """Ahead by four standard errors. Where `simple` stands was measured too: a little below normal."""
    gains = ahead(better, worse, 20_000 if better is NORMAL else 2_000)
    assert gains.mean() > 4 * gains.std() / len(gains) ** 0.5


# --- compiled or not -----------------------------------------------------------------------------------------

FINGERPRINT = """
from test_gin_bots import fingerprint
print(fingerprint())
"""


def fingerprint() -> str:
    """A hash of rounds that all players play with each other."""
    digest = hashlib.sha256()
    for first in range(len(KINDS)):
        for second in range(len(KINDS)):
            views = play_rounds(Rules.preset("gin", max_turns=24), KINDS, [first, second], 2, seed=first)
            for field in ("pile_cards", "discarded", "turn", "scores"):
                digest.update(np.ascontiguousarray(views[field]).tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("disable_jit", ["0", "1"])
def test_plays_the_same_compiled_and_uncompiled(disable_jit: str) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": disable_jit, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    run = [sys.executable, "-W", "error::RuntimeWarning", "-c", FINGERPRINT]
    printed = subprocess.run(run, env=environment, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert printed.strip() == fingerprint()
