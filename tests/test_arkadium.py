"""Gin logs of Arkadium's site: what a log written by hand replays to, logs of any rounds, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import rummy_cli
from agents.rule_bots import EASY, HARD, RANDOM, SIMPLE, RuleBotKind
from rummy_env import Game, Rules, arkadium, record

GIN = Rules.preset("gin")

KNOCK = """\
[FF "4"]
[DT "2025.08.15"]
[GN "ginrummy"]
[PC "arkadium.com"]
[GameplayId "1"]
[Player1 "p1"]
[Player2 "p2"]
[Hand "1:1"]
[GameScore "0:0"]
[Dealer "2"]
[Deal "S5 S6 S7 H9 D9 C9 C2 D3 HA DK, S8 SJ SQ HQ DQ C4 D6 H7 H10 CK"]
[Upcard "D2"]
[Score "46:0"]
[Play]
1. 1 passes
2. 2 passes
3. 1 picks CA
4. 1 discards DK
5. 2 picks DKx
6. 2 discards C4
7. 1 picks D8
8. 1 knocks D8
[Groups]
1: S5 S6 S7, H9 D9 C9
2: SQ HQ DQ
"""
"""Player 1 knocks with C2 D3 HA CA, 7. Player 2 has three queens, lays S8 off, and keeps SJ DK CK D6 H7 H10, 53."""

GIN_AT_ONCE = """\
[FF "4"]
[GN "ginrummy"]
[Dealer "1"]
[Deal "SA S3 S5 S7 S9 SJ SK H2 H4 D6, H5 H6 H7 C9 D9 H9 C2 C3 C4 DK"]
[Upcard "C5"]
[Score "0:82"]
[Play]
1. 2 picks C5x
2. 2 knocks DK
"""
"""Player 2 takes the upcard and has gin; player 1 has 57, and may not lay D6 or H4 off."""


def moves_of(game: Game) -> list[str]:
    return [move for turn in record.to_data(game)["turns"] for move in turn["moves"]]


def test_a_knock() -> None:
    (game,) = arkadium.read_all(KNOCK)
    assert moves_of(game) == [
        "pass", "pass", "draw", "discard Kd", "take", "discard 4c", "draw", "knock 8d",
    ]  # fmt: skip
    assert game.result is not None
    assert game.result.scores == (46, 0)
    assert game.showdown is not None
    knocker, other = game.showdown.hands
    assert knocker is not None
    assert other is not None
    assert (knocker.points, other.points, other.laid_off) == (7, 53, ("8s",))
    assert game.pile == ["2d", "4c", "8d"]


@pytest.mark.parametrize(
    "knock",
    [
        "2. 2 knocks DK",
        "2. 2 knocks\n3. 2 discards DK",
        "2. 2 discards DK\n3. 2 knocks",
        "2. 2 discards DK\n3. 2 knocks DK",
        "2. 2 knocks DK\n3. 2 discards DK",
    ],
)
def test_the_card_of_a_knock_may_stand_in_its_own_line(knock: str) -> None:
    (game,) = arkadium.read_all(GIN_AT_ONCE.replace("2. 2 knocks DK", knock))
    assert moves_of(game) == ["take", "knock Kd"]
    assert game.result is not None
    assert (game.result.scores, game.result.how) == ((0, 82), "gin")


def test_a_log_that_ends_early_is_a_round_that_goes_on() -> None:
    unfinished = KNOCK[: KNOCK.index("8. 1 knocks")].replace('[Score "46:0"]\n', "")
    (game,) = arkadium.read_all(unfinished)
    assert not game.over
    assert (game.to_play, game.phase) == (0, "play")


def test_logs_are_read_where_records_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = record.read_all(f"{KNOCK}\n{GIN_AT_ONCE}")
    assert [game.result.scores for game in both if game.result] == [(46, 0), (0, 82)]
    assert Game.from_record(GIN_AT_ONCE).record() == both[1].record()
    assert Game.from_record(both[0].record()).result == both[0].result
    file = tmp_path / "0130003.pbn"
    file.write_text(f"{KNOCK}\n{GIN_AT_ONCE}", encoding="utf-8")
    assert rummy_cli.main(["replay", str(file), "--lang", "en"]) == 0
    shown = capsys.readouterr().out
    assert "Round 2 of 2" in shown
    file.write_text(KNOCK.replace("46:0", "46:1"), encoding="utf-8")
    assert rummy_cli.main(["replay", str(file)]) == 2
    assert "line 13" in capsys.readouterr().err


# --- any rounds ----------------------------------------------------------------------------------------------


def card(text: str) -> str:
    return text[1].upper() + text[0].replace("T", "10")


def log_of(game: Game) -> str:
    """A round as such a log, written here from the moves and what they do."""
    now = game.start()
    lines = [
        '[FF "4"]',
        '[GN "ginrummy"]',
        f'[Dealer "{2 - now.to_play}"]',
        f'[Deal "{", ".join(" ".join(map(card, now.hand(seat))) for seat in range(2))}"]',
        f'[Upcard "{card(now.pile[0])}"]',
    ]
    if game.result is not None:
        lines.append(f'[Score "{":".join(map(str, game.result.scores))}"]')
    lines.append("[Play]")
    for number, move in enumerate(moves_of(game), 1):
        player, before = now.to_play + 1, set(now.hand(now.to_play))
        kind, *cards = move.split()
        now.play(move)
        if kind in ("draw", "take"):
            (got,) = set(now.hand(player - 1)) - before
            done = f"picks {card(got)}{'x' if kind == 'take' else ''}"
        else:
            done = {"pass": "passes", "discard": "discards", "knock": "knocks"}[kind]
            done += "".join(f" {card(one)}" for one in cards)
        lines.append(f"{number}. {player} {done}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "kinds", [(RANDOM, EASY), (SIMPLE, HARD), (RANDOM, RANDOM)], ids=lambda kinds: "-".join(kind.name for kind in kinds)
)
def test_rounds_come_back_as_they_were(kinds: tuple[RuleBotKind, ...]) -> None:
    played = []
    for seed in range(60):
        game = Game.deal(GIN, seed=seed, dealer=seed % 2)
        bots = [kind(GIN, seed) for kind in kinds]
        while not game.over:
            game.step(bots[game.to_play].act(game.view(game.to_play)))
        played.append(game)
    logs = "\n".join(map(log_of, played))
    read = arkadium.read_all(logs)
    assert [moves_of(game) for game in read] == [moves_of(game) for game in played]
    assert [game.result for game in read] == [game.result for game in played]
    assert [game.state["view"].tobytes() for game in read] == [game.state["view"].tobytes() for game in played]


# --- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"ginrummy"', '"spades"', "line 3: expected a log of ginrummy, got one of 'spades'"),
        ('[Dealer "2"]\n', "", "line 1: expected a log with the tag Dealer, got none"),
        ('[Dealer "2"]', '[Dealer "3"]', "line 10: expected the dealer 1 or 2, got '3'"),
        ("HA DK, ", "HA, ", "line 11: expected two hands of 10 cards, got 9 and 10"),
        ("S8 SJ", "S8 11J", "line 11: expected a card, suit and rank like DQ, got '11J'"),
        ("S8 SJ", "S7 SJ", "line 11: expected a card that is still in the stock, got 7s again"),
        ('"D2"', '"S5"', "line 12: expected a card that is still in the stock, got 5s again"),
        ('[Upcard "D2"]', '[Upcard "D2"]\n[Upcard "D2"]', "line 13: expected every tag once, got Upcard again"),
        ("picks CA", "picks H9", "line 17: expected a card that is still in the stock, got 9h again"),
        ("picks CA", "picks", "line 17: expected a card after picks, got '3. 1 picks'"),
        ("1. 1 passes", "1. 2 passes", "line 15: expected a move of player 1, got one of 2"),
        ("1. 1 passes", "1. 1 passes D2", "line 15: expected no card after passes, got 'D2'"),
        (
            "1. 1 passes",
            "1. 1 waits",
            "line 15: expected a move like '4. 1 picks S9' (passes, picks, discards, ",
        ),
        ("1. 1 passes", "1. 3 passes", "line 15: expected a move like '4. 1 picks S9'"),
        ("picks DKx", "picks D2x", "line 19: expected the top of the pile, Kd, got 2d"),
        ("discards DK", "discards C4", "line 18: discard 4c is not legal: 4c is not in the hand"),
        ("8. 1 knocks D8", "8. 1 knocks C9", "line 22: knock 9c is not legal: expected at most 10 points of deadwood"),
        ("8. 1 knocks D8", "8. 1 knocks", "line 22: expected the card that player 1 discards with the knock"),
        ("8. 1 knocks D8", "8. 1 knocks D8\n9. 2 picks S2", "line 23: draw is not legal: the round is over"),
        ("46:0", "36:0", "line 13: expected the score 46:0, which the rules give, got 36:0"),
        ("46:0", "46", "line 13: expected a score like '0:25', got '46'"),
        ("8. 1 knocks D8\n", "", "line 13: expected a round that ends, got the score 46:0 of one that goes on"),
        ('[FF "4"]', '[FF "4"]\nplay', "line 2: expected a tag like [Dealer \"2\"], got 'play'"),
    ],
)
def test_a_wrong_log_is_refused_with_its_line(old: str, new: str, message: str) -> None:
    assert old in KNOCK
    with pytest.raises(ValueError, match=r"^line \d+: ") as refused:
        arkadium.read_all(KNOCK.replace(old, new, 1))
    assert str(refused.value).startswith(message)


def test_the_score_need_not_be_what_the_rules_give_if_one_says_so() -> None:
    """Player 2 did not lay S8 off."""
    (game,) = arkadium.read_all(KNOCK.replace("46:0", "54:0"), check_score=False)
    assert game.result is not None
    assert game.result.scores == (46, 0)


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a gin log, got an empty text"):
        arkadium.read_all(" \n")
