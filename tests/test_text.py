"""Cards and moves as people write them: every way to write them is read, anything else is a `ValueError`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle import CARDS

from rummy_env import IllegalMove, Move
from rummy_env.cards import JOKER, card_text, cards_text, from_mask, parse_card, parse_cards, rank_of, suit_of, to_mask
from rummy_env.moves import parse_move

pytestmark = pytest.mark.core

SIGN = dict(zip("shdc", "♠♥♦♣", strict=True))


def ways_to_write(card: str) -> list[str]:
    if card == "Jk":
        return ["Jk", "jk", "JK", "jK"]
    ranks = {card[0], card[0].lower()} | ({"10"} if card[0] == "T" else set())
    sign = SIGN[card[1]]
    return [rank + suit for rank in sorted(ranks) for suit in (card[1], card[1].upper(), sign, sign + "\ufe0f")]


written = st.sampled_from([*CARDS, "Jk"]).flatmap(
    lambda card: st.tuples(st.just(card), st.sampled_from(ways_to_write(card)))
)
alphabet = st.sampled_from(
    list("A23456789TJQKshdc10♠♥♦♣jk ,|\t\n\ufe0f") + ["draw ", "meld ", "layoff ", "discard ", "low"]
)
nearly_text = st.lists(alphabet, max_size=12).map("".join)


# --- cards ---------------------------------------------------------------------------------------------------


def test_every_card_has_a_number_and_a_text() -> None:
    assert [card_text(card) for card in range(52)] == CARDS
    assert card_text(JOKER) == "Jk"
    assert [parse_card(card) for card in [*CARDS, "Jk"]] == list(range(53))
    assert [(rank_of(card), suit_of(card)) for card in (0, 12, 13, 51)] == [(0, 0), (12, 0), (0, 1), (12, 3)]


@pytest.mark.parametrize("card", [*CARDS, "Jk"])
def test_every_way_to_write_a_card(card: str) -> None:
    for text in ways_to_write(card):
        assert card_text(parse_card(text)) == card


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(written, max_size=15), st.sampled_from(["", " ", "  ", ", ", "\t"]))
def test_lists_of_cards_with_and_without_spaces(cards: list[tuple[str, str]], between: str) -> None:
    texts = [text for _, text in cards]
    wanted = [card for card, _ in cards]
    for form in (between.join(texts), f" {between.join(texts)} ", texts, tuple(texts)):
        assert cards_text(parse_cards(form)) == " ".join(wanted)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.one_of(st.text(), nearly_text))
@example("10")
@example("K\u212a")
@example("7\u017f")
@example("\u212ah")
@example("J\u212a")
@example("٣h")
def test_other_text_is_refused_and_nothing_but_cards_is_read(text: str) -> None:
    try:
        cards = parse_cards(text)
    except ValueError:
        return
    assert parse_cards(cards_text(cards)) == cards
    assert set(text) <= set("A23456789TJQKatjqkshdcSHDC10♠♥♦♣ ,\t\n\ufe0f")


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("7", "'7' at character 0"),
        ("7s 7x", "'7x' at character 3"),
        ("As1s", "'1s' at character 2"),
        ("Ten of spades", "'Te' at character 0"),
        ("s7", "'s7' at character 0"),
        ("7s;8s", "';8' at character 2"),
        ("11s", "'11' at character 0"),
        ("1 0s", "'1 ' at character 0"),
    ],
)
def test_the_error_shows_where_cards_end(text: str, got: str) -> None:
    with pytest.raises(ValueError, match=got):
        parse_cards(text)


@pytest.mark.parametrize("text", ["", " ", "7s 8s", "7s7s"])
def test_one_card_is_one_card(text: str) -> None:
    with pytest.raises(ValueError, match="expected one card, got"):
        parse_card(text)


def test_what_is_no_text_is_refused_like_text() -> None:
    with pytest.raises(ValueError, match="expected cards like"):
        parse_cards([7, 8])  # type: ignore[list-item]


@given(st.sets(st.integers(0, 51)))
def test_sets_of_cards_are_bits(cards: set[int]) -> None:
    assert from_mask(to_mask(cards)) == sorted(cards)
    assert to_mask(cards) == sum(1 << card for card in cards)


# --- moves ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("draw", "draw"),
        ("  TAKE ", "take"),
        ("Untake", "untake"),
        ("pass", "pass"),
        ("pack", "pack"),
        ("meld 4d5d6d", "meld 4d 5d 6d"),
        ("MELD 10♦ J♦ Q♦", "meld Td Jd Qd"),
        ("meld\t5h  Jk\t7h", "meld 5h Jk 7h"),
        ("layoff 7d 0", "layoff 7d 0"),
        ("LayOff 10D  12   HIGH", "layoff Td 12 high"),
        ("layoff 7♦ 3 Low", "layoff 7d 3 low"),
        ("layoff Jk 007", "layoff Jk 7"),
        ("swap 6h 2", "swap 6h 2"),
        ("discard kS", "discard Ks"),
        ("knock 9c", "knock 9c"),
        ("declare Jk", "declare Jk"),
        ("open 4d 5d 6d | 7s7h7c|Js Qs Ks", "open 4d 5d 6d | 7s 7h 7c | Js Qs Ks"),
        ("open 4d 5d 6d", "open 4d 5d 6d"),
    ],
)
def test_ways_to_write_a_move(text: str, canonical: str) -> None:
    move = parse_move(text)
    assert str(move) == canonical
    assert parse_move(str(move)) == move


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected a move like"),
        ("   ", "expected a move like"),
        ("fold", "expected a move like .*, got 'fold'"),
        ("7d", "got '7d'"),
        ("draw 7d", "expected nothing after 'draw', got '7d'"),
        ("take the king", "expected nothing after 'take'"),
        ("meld", "expected cards after 'meld', got none"),
        ("meld ,", "expected cards after 'meld', got none"),
        ("meld 4d 5x", "got '5x' at character 3"),
        ("discard", "expected one card, got 0"),
        ("discard Ks Qs", "expected one card, got 2"),
        ("discard King", "expected cards like"),
        ("layoff", "expected 'layoff CARD N'"),
        ("layoff 7d", "expected 'layoff CARD N'"),
        ("layoff 7d one", "expected 'layoff CARD N'"),
        ("layoff 7d -1", "expected 'layoff CARD N'"),
        ("layoff 7d 1 up", "expected 'layoff CARD N'"),
        ("layoff 7d 1 low high", "expected 'layoff CARD N'"),
        ("layoff 7d ٣", "expected 'layoff CARD N'"),
        ("layoff 7x 1", "expected cards like"),
        ("layoff 7d8d 1", "expected one card, got 2"),
        ("swap 7d 1 low", "expected 'swap CARD N'"),
        ("open", "expected melds like"),
        ("open | 4d 5d 6d", "expected melds like"),
        ("open 4d 5d 6d |", "expected melds like"),
    ],
)
def test_text_that_is_no_move(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        parse_move(text)
    assert not isinstance(caught.value, IllegalMove)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.one_of(st.text(), nearly_text, nearly_text.map("layoff {} 1".format)))
@example("layoff 7d " + "9" * 5000)
@example("layoff 7d 999999999")
def test_any_text_is_a_move_that_can_be_written_again_or_a_value_error(text: str) -> None:
    try:
        move = parse_move(text)
    except ValueError:
        return
    assert parse_move(str(move)) == move


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"kind": "draw", "cards": (3,)}, "expected no cards in 'draw', got 4s"),
        ({"kind": "discard"}, "expected one card in 'discard', got 0"),
        ({"kind": "discard", "cards": (1, 2)}, "expected one card in 'discard', got 2"),
        ({"kind": "layoff", "cards": (), "meld": 0}, "expected one card in 'layoff', got 0"),
        ({"kind": "layoff", "cards": (1,), "meld": 0, "end": "top"}, "low or high in a lay-off, got 'top'"),
        ({"kind": "discard", "cards": (1,), "end": "low"}, "got 'low' in 'discard'"),
        ({"kind": "meld", "cards": (1, 2, 53)}, "expected cards from 0 to 52 in a move, got 53"),
        ({"kind": "discard", "cards": (-1,)}, "got -1"),
        ({"kind": "open", "melds": ((1, 2, 3), (4, 5, 60))}, "got 60"),
    ],
)
def test_a_move_made_of_parts_that_do_not_belong_together(parts: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Move(**parts)
