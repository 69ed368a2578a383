"""Every sentence in every language, and no sentence that nobody says."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from rich.text import Text

import game
from game.commands import COMMAND_WORDS, MOVE_WORDS
from game.messages import LANGUAGES, MESSAGES, SENTENCES, Words, language
from game.protocol import CODES
from game.screen import HELP, ORDERS, SEAT_NAMES
from rummy_env import Game, Rules
from rummy_env.game import MOVES
from rummy_env.moves import parse_move

HANGUL = re.compile("[가-힣]")


def fields(text: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(text) if field is not None}


def forms(key: str, lang: str) -> tuple[str, ...]:
    found = MESSAGES[key][lang]
    return (found,) if isinstance(found, str) else found


@pytest.mark.parametrize("key", MESSAGES)
def test_every_message_speaks_every_language(key: str) -> None:
    assert set(MESSAGES[key]) == set(LANGUAGES)
    assert len({len(forms(key, lang)) for lang in LANGUAGES}) == 1
    wanted = fields(forms(key, "en")[0])
    for lang in LANGUAGES:
        for form in forms(key, lang):
            assert form
            assert fields(form) == wanted, f"{key} in {lang}"
            words = re.sub(r"{\w+}", "", form)
            if any(letter.isalpha() for letter in words):
                assert bool(HANGUL.search(words)) == (lang == "ko"), f"{key} in {lang}"


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_sentence_of_the_rules_is_translated(sentence: str) -> None:
    assert set(SENTENCES[sentence]) == set(LANGUAGES) - {"en"}
    for translation in SENTENCES[sentence].values():
        assert HANGUL.search(translation)
        assert fields(translation) <= fields(sentence)


def test_every_message_is_used_and_every_used_message_is_there() -> None:
    source = "".join(
        path.read_text(encoding="utf-8")
        for path in Path(game.__file__).parent.glob("*.py")
        if path.name != "messages.py"
    )
    made = {f"sorted_{order}" for order in ORDERS}
    made |= {f"{kind}_{move}" for kind in ("move", "told") for moves in MOVES.values() for move in moves.kinds}
    made -= {"told_confirm"}  # told as the opening that it makes
    made |= {"told_forfeit", "prompt_upcard", "prompt_draw", "prompt_play"}
    made |= {f"ruleset_{ruleset}" for ruleset in MOVES}
    made |= {f"round_{how}" for how in ("won", "rummy", "hand_rummy", "blocked")}
    made |= {f"round_{how}" for how in ("gin", "knock", "undercut", "declare", "last")}
    made |= {"packed_first", "packed_later"}
    made |= {f"bot_{name}" for name in ("random", "easy", "normal", "hard", "expert", "trained", "simple")}
    made |= {name for names in SEAT_NAMES.values() for name in names}
    made |= {does for _, does in HELP}
    made |= {f"refused_{code}" for code in CODES}
    named = set(re.findall(r"""["']([a-z]+(?:_[a-z]+)*)["']""", source))
    assert made <= set(MESSAGES)
    assert set(MESSAGES) <= made | named
    asked = re.findall(r'\b(?:words|say|text|_pause|Hint)\((?:move, )?"([a-z_]+)"', source)
    assert set(asked) <= set(MESSAGES)


REFUSALS = [
    "meld 4d 5d 6d",  # before the draw
    "draw 4d",
    "fly",
    "discard",
    "discard 4d 5d",
    "discard 4x",
    "meld",
    "layoff 4d",
    "knock Ks",
    "open 4d 5d 6d |",
    "swap Ks",
    "draw!draw",
    "draw!take",
    "draw!discard 9h",
    "draw!meld 2s 3s Kd",
    "draw!layoff 2s 7",
    "draw!layoff 2s 0",
    "draw!layoff 2s 0 low",
    "take!discard Qd",
    "over!draw",
]


@pytest.mark.parametrize("moves", REFUSALS)
def test_what_the_rules_refuse_is_said_in_korean_too(moves: str) -> None:
    position = {
        "hands": ["2s 3s Kd 7h", "9h"],
        "pile": "Qd",
        "stock": "9c 4s",
        "table": [{"cards": "4c 5c 6c", "by": 1}],
    }
    game = Game.from_position(Rules.preset("straight"), position)
    *before, move = moves.split("!")
    if before == ["over"]:
        before = ["draw", "discard 2s", "take", "discard 9h", "draw"]
        game = Game.from_position(Rules.preset("straight"), position | {"hands": ["2s 3s 4s", "9h"], "stock": "Kc"})
        before = ["draw", "meld 2s 3s 4s", "discard Kc"]
    for made in before:
        game.play(made)
    with pytest.raises(ValueError, match=r"\w") as refused:
        game.play(move)
    sentence = str(refused.value)
    assert Words("en").sentence(sentence) == sentence
    korean = Words("ko").sentence(sentence)
    assert HANGUL.search(korean)
    assert "expected" not in korean
    assert "legal" not in korean


def test_both_empty_ends_of_the_draw_are_said_in_korean() -> None:
    """The stock is empty and the pile's only card must be taken."""
    game = Game.from_position(Rules.preset("straight"), {"hands": ["2s 3s", "9h"], "pile": "Qd", "stock": ""})
    with pytest.raises(ValueError, match="must be taken") as refused:
        game.play("draw")
    assert Words("ko").sentence(str(refused.value)) == (
        "draw: 둘 수 없습니다. 더미가 비어 버린 더미의 한 장을 가져와야 합니다."
    )


RAMI_REFUSALS = [
    ({}, "meld 4d 5d 6d"),
    ({}, "open 4d 5d 6d"),
    ({}, "open 4d 5d 7d"),
    ({}, "open 4d 5d 6d | 4d 5d 6d"),
    ({"hands": ["4d 5d 6d 7d Ks 2c", "9h"]}, "piece 4d 5d 6d 7d"),
    ({}, "lengthen 7d 0"),
    ({}, "untake"),
    ({}, "confirm"),
    ({"taken": "Kd"}, "open Ks Kh Kc 4d 5d 6d"),
    ({"taken": "4d"}, "open Ks Kh Kc | 7d 8d 9d"),
    ({"taken": "4d"}, "discard Ks"),
    ({"opened": [True, False]}, "open 4d 5d 6d"),
    ({"opened": [True, False]}, "swap Ks 0"),
    ({"opened": [True, False]}, "swap Ks 7"),
    ({"opened": [True, False]}, "swap 5c 0"),
    ({"opened": [True, False], "taken": "Kd"}, "meld 4d 5d 6d Kd"),
    ({"hands": ["Ks Kh Kd Ts Js Qs", "9h"], "opened": [True, False], "taken": "Kd", "table": []}, "meld Ts Js Qs Ks"),
    ({"opened": [True, False], "freed": 1}, "discard Ks"),
    ({"opened": [True, False]}, "layoff Jk 0"),
    ({"phase": "draw", "untaken": True}, "take"),
    ({"hands": ["Ks Kh Kc 7d 8d 9d 2h 2c", "9h"], "opening": 50}, "piece 7d 8d 9d!discard Ks"),
    ({"hands": ["Ks Kh Kc 7d 8d 9d 2h 2c", "9h"], "opening": 50}, "piece 7d 8d 9d!confirm"),
    ({"hands": ["Ks Kh Kc 7d 8d 9d 2h 2c", "9h"], "opening": 50}, "piece 7d 8d 9d!lengthen 2h 1"),
    ({"hands": ["Ks Kh Kc 7d 8d 9d 2h 2c", "9h"], "opening": 50}, "piece 7d 8d 9d!lengthen Jk 0"),
]


@pytest.mark.parametrize(("more", "moves"), RAMI_REFUSALS)
def test_what_rami_refuses_is_said_in_korean_too(more: dict[str, Any], moves: str) -> None:
    position = {
        "hands": ["Ks Kh Kd Kc 4d 5d 6d 7d 8d 9d Jk 2c", "9h"],
        "pile": "Qd",
        "stock": "9c 4s",
        "table": [{"cards": "4c Jk 6c", "by": 1}],
        "phase": "play",
        **{key: value for key, value in more.items() if key != "opening"},
    }
    game = Game.from_position(Rules.preset("rami", opening=more.get("opening", 51)), position)
    *before, move = moves.split("!")
    for made in before:
        game.play(made)
    with pytest.raises(ValueError, match=r"\w") as refused:
        game.play(move)
    korean = Words("ko").sentence(str(refused.value))
    assert HANGUL.search(korean)
    assert not re.search("expected|legal|has to|opening|taken", korean)


GIN_REFUSALS = [
    ({"phase": "upcard"}, "draw"),
    ({"phase": "draw"}, "pass"),
    ({"phase": "draw", "passes": 2}, "take"),
    ({"phase": "draw", "stock": ""}, "draw"),
    ({"hands": ["4d 5d 6d 9s Td", "9h"]}, "pass"),
    ({"hands": ["4d 5d 6d 9s Td", "9h"], "knock_limit": 5}, "knock Td"),
    ({"hands": ["4d 5d 6d 9s Td", "9h"], "taken": "Td"}, "knock Td"),
    ({}, "meld 4d 5d 6d"),
]


@pytest.mark.parametrize(("more", "move"), GIN_REFUSALS)
def test_what_gin_refuses_is_said_in_korean_too(more: dict[str, Any], move: str) -> None:
    position = {"hands": ["4d 5d 6d 9s", "9h"], "pile": "Qd", "stock": "9c 4s", "phase": "play", **more}
    rules = Rules.preset("gin", knock_limit=position.pop("knock_limit", 10))
    with pytest.raises(ValueError, match="is not legal") as refused:
        Game.from_position(rules, position).play(move)
    korean = Words("ko").sentence(str(refused.value))
    assert HANGUL.search(korean)
    assert not re.search("expected|legal|upcard|taken", korean)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_counts_have_two_forms(lang: str) -> None:
    words = Words(lang)
    assert words("cards", n=1) == {"en": "1 card", "ko": "1장"}[lang]
    assert words("cards", n=0) == {"en": "0 cards", "ko": "0장"}[lang]


def test_styled_values_keep_their_style() -> None:
    text = Words("en").text("told_take", card=Text("7♦", "red"))
    assert text.plain == "takes 7♦"
    assert [(span.start, span.end, span.style) for span in text.spans] == [(6, 8, "red")]


@pytest.mark.parametrize(
    ("environment", "lang"),
    [
        ({}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "ko"}, "ko"),
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "kok_IN"}, "en"),  # Konkani is not Korean
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "ko_KR"}, "ko"),
        ({"LANG": "ko_KR", "LC_MESSAGES": "en_GB"}, "en"),
        ({"LANG": "ko_KR", "LC_ALL": ""}, "ko"),
    ],
)
def test_the_language_of_the_system(environment: dict[str, str], lang: str) -> None:
    assert language(environment) == lang


def test_a_language_that_is_not_spoken_is_refused() -> None:
    with pytest.raises(ValueError, match="lang: expected one of en, ko, got 'fr'"):
        Words("fr")


def test_no_word_means_two_things() -> None:
    """And none is a card or the word of a move of another kind."""
    words = [word for table in (MOVE_WORDS, COMMAND_WORDS) for name in table for word in (name, *table[name])]
    assert len(words) == len(set(words))
    for word in words:
        with pytest.raises(ValueError, match="expected"):
            parse_move(f"discard {word}")
