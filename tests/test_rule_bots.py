"""The rule-based players: what each does in positions with a story, and that they only ever do what is legal."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import CARDS, is_run, is_set, melds_in

import agents
from agents.rule_bots import EASY, EASY_DISCARDS_HIGH, EASY_PUTS_DOWN, EASY_SEES_TOP, HARD, NORMAL, RANDOM, RuleBotKind
from rummy_env import Game, Rules
from rummy_env.cards import parse_cards, to_mask
from rummy_env.core.batch import reset_tables
from rummy_env.core.bot import NO_FAULT, advance_tables, bot_table
from rummy_env.core.random import streams
from rummy_env.core.state import OVER, new_states
from rummy_env.view import View

ROOT = Path(__file__).parent.parent
KINDS = {kind.name: kind for kind in (RANDOM, EASY, NORMAL, HARD)}
TWO = Rules.preset("straight")
THREE = Rules.preset("straight", num_players=3)


def position(*hands: str, rules: Rules | None = None, **rest: Any) -> Game:
    """A position with these hands, seat 0 to play; other hands hold two cards that matter to nobody."""
    rules = rules or TWO
    rest.setdefault("stock", "")
    return Game.from_position(rules, {"hands": list(hands), **rest})


def melds(*cards: str, by: int = 1) -> list[dict[str, Any]]:
    return [{"cards": text, "by": by} for text in cards]


def choice(game: Game, kind: RuleBotKind, seed: int = 1) -> str:
    """What the player does, as text."""
    return str(game.move_of(kind(game.rules, seed).act(game.view(game.to_play))))


def choices(game: Game, kind: RuleBotKind, times: int = 2000) -> Counter[str]:
    """How often the player does what, over many of its random numbers."""
    bot = kind(game.rules, seed=1)
    view = game.view(game.to_play)
    return Counter(str(game.move_of(bot.act(view))) for _ in range(times))


def turn(game: Game, kind: RuleBotKind) -> list[str]:
    """All that the player does until its turn, or the round, is over."""
    bot = kind(game.rules, seed=1)
    seat, done = game.to_play, []
    while not game.over and game.to_play == seat:
        action = bot.act(game.view(seat))
        done.append(str(game.move_of(action)))
        game.step(action)
    return done


def near(count: int, percent: int, times: int = 2000) -> bool:
    """Whether a count agrees with a chance (four standard deviations)."""
    p = percent / 100
    return abs(count - times * p) < 4 * (times * p * (1 - p)) ** 0.5


# --- random --------------------------------------------------------------------------------------------------


def test_random_does_everything_that_is_legal_equally_often() -> None:
    game = position("4d 5d 6d 7d Ks", "2c 3h", pile="9s", phase="play", table=melds("Kh Kd Kc"))
    count = choices(game, RANDOM, 4000)
    assert set(count) == set(map(str, game.legal_moves()))
    assert all(near(times, 100 // len(count), 4000) for times in count.values())


# --- easy ----------------------------------------------------------------------------------------------------


def test_easy_sometimes_misses_a_useful_discard() -> None:
    count = choices(position("4d 5d Ks 9h", "2c 3h", pile="6d", stock="8c 8s"), EASY)
    assert set(count) == {"take", "draw"}
    assert near(count["take"], EASY_SEES_TOP)


def test_easy_never_takes_what_it_cannot_use() -> None:
    assert set(choices(position("4d 5d Ks 9h", "2c 3h", pile="Js", stock="8c 8s"), EASY)) == {"draw"}


def test_easy_often_leaves_a_meld_in_hand() -> None:
    count = choices(position("4d 5d 6d Ks 9h", "2c 3h", phase="play"), EASY)
    assert near(count["meld 4d 5d 6d"], EASY_PUTS_DOWN)


def test_easy_throws_high_cards_carelessly() -> None:
    # A pair of kings of which both partners may come, and an ace that nobody needs.
    count = choices(position("Ks Kh As", "2c 3h", phase="play"), EASY)
    careless = EASY_DISCARDS_HIGH + (100 - EASY_DISCARDS_HIGH) * 2 // 3
    assert near(count["discard Ks"] + count["discard Kh"], careless)


def test_easy_keeps_its_melds_together() -> None:
    assert not any("discard 4d" in move for move in choices(position("4d 5d 6d Ks 9h", "2c 3h", phase="play"), EASY))


# --- normal --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "top", "table", "why"),
    [
        ("4d 5d Ks", "6d", [], "the third card of a run"),
        ("7s 7h Ks", "7d", [], "the third card of a set"),
        ("2s 9h Ks", "7d", ["4d 5d 6d"], "it can be laid off"),
    ],
)
def test_normal_takes_what_it_can_put_down(hand: str, top: str, table: list[str], why: str) -> None:
    game = position(hand, "2c 3h", pile=top, stock="8c 8s", table=melds(*table))
    assert choice(game, NORMAL) == "take", why


def test_normal_draws_when_the_top_is_only_a_hope() -> None:
    assert choice(position("4d 5h Ks", "2c 3h", pile="5d", stock="8c 8s"), NORMAL) == "draw"


def test_normal_takes_the_last_card_there_is() -> None:
    assert choice(position("4d 5h Ks", "2c 3h", pile="Jd"), NORMAL) == "take"


def test_normal_puts_down_everything_then_discards() -> None:
    game = position("4d 5d 6d 7d Ks 9h As", "2c 3h", phase="play", table=melds("Kh Kd Kc", "2s 3s 4s"))
    *down, discard = turn(game, NORMAL)
    assert sorted(down) == ["layoff 7d 2", "layoff As 1", "layoff Ks 0", "meld 4d 5d 6d"]
    assert discard == "discard 9h"


def test_normal_chooses_between_a_set_and_two_runs() -> None:
    """The sevens make a set, but two of them are worth more in runs."""
    game = position("7s 8s 9s 7h 8h 9h 7d Kc Qd", "2c 3h", phase="play")
    turn(game, NORMAL)
    assert [str(meld) for meld in game.table] == ["7s 8s 9s", "7h 8h 9h"]


def test_normal_spares_the_fourth_card_of_a_set_for_a_run() -> None:
    game = position("7s 7h 7d 7c 8c 9c Kd Qs", "2c 3h", phase="play")
    turn(game, NORMAL)
    assert sorted(map(str, game.table)) == ["7c 8c 9c", "7s 7h 7d"]


def test_normal_throws_the_pair_that_cannot_become_a_set() -> None:
    """Two jacks lie in the pile: the pair of jacks is dead, the pair of nines is alive."""
    game = position("9s 9h Jd Js", "2c 3h", phase="play", pile="Jh Jc Qs Qd Td Ts")
    assert choice(game, NORMAL) in ("discard Jd", "discard Js")


def test_normal_throws_the_higher_of_two_lone_cards() -> None:
    assert choice(position("7h 6h Kd 2s", "2c 3h", phase="play"), NORMAL) == "discard Kd"


# --- hard: going out -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "table", "why"),
    [
        ("7d 8d 9d Ks", ["4d 5d 6d"], "a run of the table takes three cards, one after another"),
        ("3d 2d Ad Ks", ["4d 5d 6d"], "downwards too"),
        ("7s 7h 7d 7c 8c 9c Tc Ks", [], "the four sevens cannot all lie in the set"),
        ("7s 7h 7d 7c 6c 5c 8c", [], "the sevens may all but one lie in the set, the fourth in the run"),
        ("2s 3s 4s 4h 5h 6h 6d 7d 8d 8s", [], "three runs, although fours, sixes and eights are pairs"),
        ("4s 4h 4d 5s 5h 5d 6s 6h 6d 6c", [], "three sets; as runs they would leave the fourth six"),
        ("3s Ks", ["3h 3d 3c"], "one lay-off and the last discard"),
    ],
)
@pytest.mark.parametrize("kind", [NORMAL, HARD], ids=lambda kind: kind.name)
def test_goes_out_when_the_whole_hand_can(hand: str, table: list[str], why: str, kind: RuleBotKind) -> None:
    game = position(hand, "Jc Qd", phase="play", table=melds(*table))
    turn(game, kind)
    assert game.over, why
    assert game.result is not None
    assert game.result.winner == 0


def test_hard_goes_out_with_the_top_of_the_pile() -> None:
    game = position("4s 5s 6s 9h 9d Kd", "2c 3c", pile="9c", stock="2h 2d 3h 3d", table=melds("Jh Qh Kh"))
    assert turn(game, HARD)[0] == "take"
    assert game.over


def test_hard_goes_out_with_the_taken_card_as_the_last_discard() -> None:
    """Everything but the card taken can be put down; as the last one it may be discarded."""
    game = position("4s 5s 6s 9h", "2c 3c", phase="play", taken="9h")
    turn(game, HARD)
    assert game.over


@cache
def can_go_out(hand: frozenset[str], table: frozenset[tuple[str, ...]]) -> bool:
    """Whether some order of melds and lay-offs leaves at most one card: tries them all."""
    if len(hand) <= 1:
        return True
    for meld in melds_in(hand):
        if can_go_out(hand - set(meld), table | {tuple(meld)}):
            return True
    for card in hand:
        for meld in table:
            longer = tuple(sorted((*meld, card), key=CARDS.index))
            if (is_set(longer) or is_run(longer)) and can_go_out(hand - {card}, table - {meld} | {longer}):
                return True
    return False


def crowded_position(rng: np.random.Generator) -> tuple[str, list[str]]:
    """A hand and a table from few ranks, so that sets, runs and lay-offs get into each other's way."""
    low = int(rng.integers(0, 10))
    near = [card for card in CARDS if low <= "A23456789TJQK".index(card[0]) < low + 4]
    rng.shuffle(near)
    table: list[str] = []
    for _ in range(rng.integers(0, 3)):
        fitting = melds_in(near)
        meld = fitting[rng.integers(len(fitting))] if fitting else []
        near = [card for card in near if card not in meld]
        table += [" ".join(meld)] if meld else []
    return " ".join(near[: rng.integers(4, 10)]), table


def test_hard_goes_out_exactly_when_it_can() -> None:
    """Against trying everything, on 1000 crowded positions."""
    rng = np.random.default_rng(5)
    outcomes: Counter[bool] = Counter()
    for _ in range(1000):
        hand, table = crowded_position(rng)
        can = can_go_out(frozenset(hand.split()), frozenset(tuple(meld.split()) for meld in table))
        rest = [card for card in CARDS if card not in hand and not any(card in meld for meld in table)]
        game = position(hand, " ".join(rest[:9]), phase="play", table=melds(*table), stock=" ".join(rest[9:]))
        turn(game, HARD)
        assert game.over == can, (hand, table)
        outcomes[can] += 1
    assert min(outcomes.values()) > 100


# --- hard: holding melds back --------------------------------------------------------------------------------

EARLY = "4d 5d 6d 9s 9h 9c Ts 2h 3h Qd 4c"
"""After the draw of an early turn: two melds and five cards more."""
DRAWN_BY_OTHER = "Ac 2c 3c 5c 6c 8c Tc Jc Qc Kc"
NOT_SEEN_YET = "Ad 2d 3d 7d 8d 9d Td Jd Kd As 2s 3s 4s 5s 6s 7s 8s Js Qs Ks Ah 4h 5h 6h 7h 8h Th Jh"
BOTH_MELDS = ["meld 9s 9h 9c", "meld 4d 5d 6d"]


def early(other: str = DRAWN_BY_OTHER, stock: str = NOT_SEEN_YET, **rest: Any) -> Game:
    return position(EARLY, other, phase="play", pile="7c Qh", stock=stock, turns=[1, 1], **rest)


def test_hard_holds_melds_back_for_rummy_while_there_is_time() -> None:
    assert choice(early(), HARD).startswith("discard")


def test_hard_keeps_the_melds_that_it_holds_back() -> None:
    assert choice(early(), HARD) in {f"discard {card}" for card in ["Ts", "2h", "3h", "Qd", "4c"]}


def test_hard_puts_everything_down_once_rummy_is_gone() -> None:
    *down, discard = turn(early(put_down=[True, False]), HARD)
    assert down == BOTH_MELDS
    assert discard.startswith("discard")


def test_hard_puts_everything_down_when_an_opponent_has_three_cards() -> None:
    assert turn(early(other="Ac 2c 5c"), HARD)[:-1] == BOTH_MELDS


def test_hard_puts_everything_down_when_few_cards_are_to_come() -> None:
    assert turn(early(stock="Ad 2d"), HARD)[:-1] == BOTH_MELDS


def test_hard_knows_that_the_pile_comes_back() -> None:
    """The stock is as low, but twenty cards of the pile will be shuffled into a new one."""
    game = position(EARLY, DRAWN_BY_OTHER, phase="play", pile=NOT_SEEN_YET[: 3 * 20 - 1], stock="8h Th", turns=[1, 1])
    assert choice(game, HARD).startswith("discard")


# --- hard: counting cards, watching the others ---------------------------------------------------------------


def discard_of_hard(hand: str, num_players: int = 2, pile: str = "", **next_player: str) -> str:
    """What hard throws from a hand without melds, late in a round in which all have put something down.

    ``next_player``: cards ``known`` to be in the next hand, ``refused`` or ``discarded`` by that player.
    """
    rules = Rules.preset("straight", num_players=num_players)
    taken = next_player.get("known", "").split()
    rest = [card for card in CARDS if card not in f"{hand} {pile} {taken}"]
    hands = [hand, " ".join(taken + rest[: 5 - len(taken)])]
    hands += [" ".join(rest[5 * seat : 5 * seat + 5]) for seat in range(1, num_players - 1)]
    stock = " ".join(rest[5 * num_players :])
    flags = {"put_down": [True] * num_players, "turns": [4] * num_players}
    game = position(*hands, rules=rules, phase="play", pile=pile, stock=stock, **flags)
    view = game.view(0)
    record = view.record.copy()
    for field, cards in next_player.items():
        record[field][0, 1] = to_mask(parse_cards(cards))
    return str(game.move_of(HARD(rules).act(View(rules, record)))).removeprefix("discard ")


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_hard_does_not_discard_what_fits_the_next_players_taken_cards(num_players: int) -> None:
    assert discard_of_hard("Qs Kh 2h 3h 7c", num_players) == "Kh"
    assert discard_of_hard("Qs Kh 2h 3h 7c", num_players, known="Jh Qh") != "Kh"
    assert discard_of_hard("Qs Kh 2h 3h 7c", num_players, known="Kc Kd") != "Kh"


@pytest.mark.parametrize("num_players", [2, 3])
def test_hard_throws_the_pair_whose_partners_are_gone(num_players: int) -> None:
    assert discard_of_hard("8s 8d Jh Jc Ad", num_players, pile="8h 8c 2s") in ("8s", "8d")
    assert discard_of_hard("8s 8d Jh Jc Ad", num_players, pile="Js Jd 2s") in ("Jh", "Jc")


# --- at many tables ------------------------------------------------------------------------------------------


def play_rounds(rules: Rules, kinds: list[RuleBotKind], seats: list[int], count: int, seed: int) -> Any:
    """The views at the end of ``count`` rounds; ``seats`` are numbers in ``kinds``."""
    states = new_states(rules.ruleset, count)
    reset_tables(rules.record, states, np.stack([streams(seed, count), streams(seed + 1, count)], 1), 0, count)
    seat_bots = np.tile(np.array(seats, np.int8), (count, 1))
    bots = bot_table([kind(rules).decider for kind in kinds])
    fault = advance_tables(rules.record, states, bots, seat_bots, 0, count)
    assert fault == NO_FAULT, f"an illegal action at table {fault}"
    assert (states["view"]["phase"] == OVER).all()
    return states["view"]


@pytest.mark.parametrize(
    "rules",
    [
        *(Rules.preset("straight", num_players=num_players) for num_players in (2, 3, 4)),
        Rules.preset("straight", hand_size=24),
        Rules.preset("straight", discard_taken=True, refill="draw"),
        Rules.preset("straight", num_ranks=5, num_suits=3, hand_size=4),
        Rules.preset("straight", num_players=3, num_ranks=4, hand_size=5, rummy_with_discard=False),
        Rules.preset("straight", num_players=4, hand_size=1),
    ],
    ids=lambda rules: " ".join(f"{name}={value}" for name, value in rules.options().items()),
)
def test_every_action_is_legal(rules: Rules) -> None:
    for first in range(4):
        play_rounds(rules, list(KINDS.values()), [(first + seat) % 4 for seat in range(rules.num_players)], 500, first)


def zero_sum(views: Any, num_players: int) -> Any:
    """Every seat's score minus the mean of the others'."""
    scores = views["scores"][:, :num_players].astype(float)
    return scores - (scores.sum(axis=1, keepdims=True) - scores) / (num_players - 1)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize(("better", "worse"), [("easy", "random"), ("normal", "easy"), ("hard", "normal")])
def test_order_of_strength(better: str, worse: str, num_players: int) -> None:
    """One better player among worse ones, the same deals in every seat: ahead by five standard errors."""
    rules, count = Rules.preset("straight", num_players=num_players), 2000
    kinds = [KINDS[better], KINDS[worse]]
    gains = np.zeros(count)
    for seat in range(num_players):
        seats = [0 if other == seat else 1 for other in range(num_players)]
        gains += zero_sum(play_rounds(rules, kinds, seats, count, seed=10_000_000), num_players)[:, seat]
    gains /= num_players
    assert gains.mean() > 5 * gains.std() / count**0.5


# --- compiled or not -----------------------------------------------------------------------------------------

FINGERPRINT = """
from test_rule_bots import KINDS, Rules, fingerprint
print(fingerprint())
"""


def fingerprint() -> str:
    """A hash of rounds that all four players play together."""
    digest = hashlib.sha256()
    for num_players in (2, 3, 4):
        rules = Rules.preset("straight", num_players=num_players, max_turns=12 * num_players)
        for first in range(4):
            seats = [(first + seat) % 4 for seat in range(num_players)]
            views = play_rounds(rules, list(KINDS.values()), seats, 2, seed=first)
            for field in ("table", "pile_cards", "discarded", "turn", "scores"):
                digest.update(np.ascontiguousarray(views[field]).tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("disable_jit", ["0", "1"])
def test_plays_the_same_compiled_and_uncompiled(disable_jit: str) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": disable_jit, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    run = [sys.executable, "-W", "error::RuntimeWarning", "-c", FINGERPRINT]
    printed = subprocess.run(run, env=environment, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert printed.strip() == fingerprint()


# --- by name -------------------------------------------------------------------------------------------------


def test_players_by_name() -> None:
    assert agents.names()[:7] == ("random", "easy", "normal", "hard", "expert", "trained", "simple")
    for name in KINDS:
        bot = agents.load(name, THREE, seed=3)
        assert isinstance(bot, agents.Agent)
        assert bot.name == name
        game = Game.deal(THREE, seed=3)
        assert bot.act(game.view(game.to_play)) in game.legal_actions()


def test_players_by_name_from_a_source_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "entry_points", lambda group: ())
    assert agents.names() == ("random", "easy", "normal", "hard", "expert", "trained", "simple")
    assert agents.load("hard", TWO).name == "hard"


def test_unknown_player_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match=r"expected a player of random, easy, normal, hard.*'norml'.*'normal'"):
        agents.load("norml", TWO)


def test_same_seed_same_play() -> None:
    game = Game.deal(TWO, seed=1)
    view = game.view(game.to_play)
    bot = agents.load("random", TWO, seed=9)
    first = [bot.act(view) for _ in range(20)]
    bot.reset(9)
    assert [bot.act(view) for _ in range(20)] == first


def test_importing_compiles_nothing_and_loads_neither_torch_nor_onnxruntime() -> None:
    code = (
        "import sys, agents; from agents.rule_bots import HARD; from rummy_env import Rules\n"
        "agents.load('hard', Rules.preset('straight'))\n"
        "print(bool(HARD._deciders), 'torch' in sys.modules, 'onnxruntime' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert printed.split() == ["False", "False", "False"]
