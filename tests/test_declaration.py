"""Indian's arrangements against trying everything: points, declarations, discards that declare, melds as text."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import pytest
from arrangement_oracle import JOKER, Hand, card_points, is_wild, kinds
from oracle import CARDS, RANKS, SUITS

from rummy_env import Rules
from rummy_env.cards import parse_card, parse_cards
from rummy_env.core import declaration
from rummy_env.core.kernel import JIT

pytestmark = pytest.mark.core

HOUSES = [(2, 1), (3, 1), (2, 2), (3, 2), (3, 3)]
"""(decks, fewest natural cards of a meld)."""


def house(decks: int, naturals: int) -> Rules:
    return Rules.preset("indian", num_decks=decks, num_jokers=8, min_naturals=naturals)


def of_kernel(rules: Rules, cards: list[str], cut: str) -> tuple[int, bool, set[str]]:
    """(fewest points, whether it can be declared, cards after whose discard it can)."""
    found = parse_cards(cards)
    points, declarable, discards = declaration.arrange(rules.record, *masks(found), parse_card(cut))
    return points, declarable, {card for k, card in enumerate([*CARDS, JOKER]) if int(discards) >> k & 1}


def masks(cards: list[int]) -> tuple[int, int, int, int]:
    """The faces held at least once, twice and three times, and the jokers."""
    count = Counter(cards)
    faces = [sum(1 << card for card in range(52) if count[card] >= copies) for copies in (1, 2, 3)]
    return faces[0], faces[1], faces[2], count[52]


def whole_deck(decks: int) -> list[str]:
    return CARDS * decks + [JOKER] * 8


def drawn(chance: random.Random, decks: int, size: int) -> tuple[list[str], str]:
    """(a random hand, the cut card): of the whole deck, or of few ranks or suits with up to seven wilds."""
    deck = whole_deck(decks)
    cut = chance.choice(deck)
    deck.remove(cut)
    low, suits = chance.randrange(9), chance.sample(SUITS, 2)
    few = chance.choice((RANKS, RANKS[low : low + 5], RANKS[low : low + 3] + "K"))
    if chance.random() < 0.3:
        deck = [card for card in deck if card == JOKER or card[1] in suits]
    chance.shuffle(deck)
    wilds = [card for card in deck if is_wild(card, cut)][: chance.randrange(8)]
    naturals = [card for card in deck if not is_wild(card, cut) and card[0] in few]
    return (wilds + naturals)[:size], cut


def laid(chance: random.Random, decks: int, size: int) -> tuple[list[str], str]:
    """(a hand of melds in which some cards are wild, cut off at ``size``, the cut card): often one that declares."""
    deck = whole_deck(decks)
    while True:
        cut = chance.choice([*CARDS, JOKER])
        wilds = [card for card in CARDS + [JOKER] if is_wild(card, cut)]
        cards: list[str] = []
        while len(cards) < size:
            kind = chance.choice("rrrst" if decks == 3 else "rrs")
            length, suit = chance.choice((3, 3, 4, 5)), chance.choice(SUITS)
            low = chance.randrange(15 - length)
            if kind == "r":
                meld = [rank + suit for rank in (RANKS + "A")[low : low + length]]
            elif kind == "s":
                meld = [RANKS[low] + suit for suit in chance.sample(SUITS, min(length, 4))]
            else:
                meld = [chance.choice(CARDS)] * 3
            pure = not cards or chance.random() < 0.4
            cards += meld if pure else [chance.choice(wilds) if chance.random() < 0.4 else card for card in meld]
        cards = cards[:size]
        if not Counter([*cards, cut]) - Counter(deck):
            return cards, cut


def hands(decks: int, seed: str, sizes: dict[int, int]) -> Iterator[tuple[list[str], str]]:
    """(hand, cut card), so many of each size."""
    chance = random.Random(seed)
    for size, count in sizes.items():
        for number in range(count if JIT else -(-count // 30)):
            yield (drawn, laid)[number % 2](chance, decks, size)


@pytest.mark.parametrize(("decks", "naturals"), HOUSES)
def test_points_and_declarations(decks: int, naturals: int) -> None:
    rules = house(decks, naturals)
    declared = 0
    for cards, cut in hands(decks, f"{decks} {naturals}", {3: 20, 6: 120, 7: 120, 8: 120, 9: 60, 11: 6, 13: 3}):
        hand = Hand(cards, cut, naturals, decks == 3)
        points, declarable, _ = of_kernel(rules, cards, cut)
        assert (points, declarable) == (hand.fewest(), hand.declarable()), (cards, cut)
        declared += declarable
    assert declared > 20 or not JIT  # uncompiled, there are few hands


@pytest.mark.parametrize(("decks", "naturals"), HOUSES)
def test_discards_that_declare(decks: int, naturals: int) -> None:
    rules = house(decks, naturals)
    some = 0
    for cards, cut in hands(decks, f"discard {decks} {naturals}", {7: 100, 8: 80, 10: 12, 14: 1}):
        wanted = set()
        for card in set(cards):
            left = list(cards)
            left.remove(card)
            if Hand(left, cut, naturals, decks == 3).declarable():
                wanted.add(card)
        assert of_kernel(rules, cards, cut)[2] == wanted, (cards, cut)
        some += bool(wanted)
    assert some > (20 if JIT else 0)


@pytest.mark.parametrize("naturals", [1, 2])
def test_triplets_alone_have_room_for_few_wilds(naturals: int) -> None:
    rules = house(3, naturals)
    triplets = ["2s"] * 3 + ["9h"] * 3
    for more, declarable in (
        ("", True),
        ("Jk", False),
        ("Kd Ks Kh", True),
        ("Kd Ks Kh Jk", True),
        ("Kd Ks Kh Jk Jk", False),
        ("Kd Ks Kh Kc Jk", False),
        ("Kd Ks Kh Kc Jk Jk", naturals <= 2),
        ("Kd Ks Jk Jk", True),
        ("Qc Qc Qc Jk", False),
        ("5s 5s 5s", True),
        ("5s 5h Jk", naturals <= 2),
    ):
        cards = triplets + more.split()
        assert Hand(cards, "5c", naturals, True).declarable() == declarable
        points, found, _ = of_kernel(rules, cards, "5c")
        assert (points, found) == (0, declarable), more


def melds_of(rules: Rules, cards: list[str], cut: str) -> list[str]:
    """Checks an arrangement card by card; returns what its melds are."""
    found = rules.arrange(cards, cut)
    triplets, naturals = rules.num_decks == 3, rules.min_naturals
    assert sorted([*found.deadwood, *(card for meld in found.melds for card in meld)]) == sorted(cards)
    assert sum(card_points(card, cut) for card in found.deadwood) == found.points
    whats = [kinds(tuple(sorted(meld)), cut, naturals, triplets) for meld in found.melds]
    assert all(whats)
    assert all(rules.is_meld(meld, cut) for meld in found.melds), found.melds
    assert found.declarable == (not found.deadwood and len(found.melds) > 1)
    if found.melds:
        assert any(set(what) & set("nt") for what in whats)
    if len(found.melds) > 1:
        assert sum(bool(set(what) & set("nrt")) for what in whats) > 1
    return whats


@pytest.mark.parametrize(("decks", "naturals"), HOUSES)
def test_arrangements_are_what_they_say(decks: int, naturals: int) -> None:
    rules = house(decks, naturals)
    for cards, cut in hands(decks, f"arranged {decks} {naturals}", {0: 1, 5: 20, 8: 60, 10: 60, 13: 60}):
        points, declarable, _ = of_kernel(rules, cards, cut)
        found = rules.arrange(cards, cut)
        melds_of(rules, cards, cut)
        assert (found.points, found.declarable) == (points, declarable)


@pytest.mark.parametrize(("decks", "naturals"), HOUSES)
def test_the_cards_that_cost(decks: int, naturals: int) -> None:
    rules = house(decks, naturals)
    for cards, cut in hands(decks, f"costing {decks} {naturals}", {0: 1, 4: 20, 7: 150, 13: 300}):
        points, left = declaration.costing(rules.record, *masks(parse_cards(cards)), parse_card(cut))
        costing = [card for card in cards if card != JOKER and int(left) >> CARDS.index(card) & 1]
        assert points == of_kernel(rules, cards, cut)[0]
        # Of a card held twice one copy may lie in a meld.
        assert sum(card_points(card, cut) for card in set(costing)) <= points
        assert points <= sum(card_points(card, cut) for card in costing)
        assert not any(is_wild(card, cut) for card in costing)
        if len(set(costing)) == len(costing):
            assert sum(card_points(card, cut) for card in costing) == points
            rest = [card for card in cards if card not in costing]
            assert len(cards) > 7 or Hand(rest, cut, naturals, decks == 3).fewest() == 0


def test_arrangements_of_triplets_and_wilds() -> None:
    rules = house(3, 1)
    for cards in ("2s2s2s 9h9h9h KdKsKhJk", "2s2s2s 9h9h9h KdKsKhKcJkJk", "2s2s2s 9h9h9h 5s5sJk", "2s2s2s 7d8d9d JkJk"):
        texts = [cards.replace(" ", "")[at : at + 2] for at in range(0, len(cards.replace(" ", "")), 2)]
        melds_of(rules, texts, "5c")
        assert rules.arrange(texts, "5c").declarable


@pytest.mark.parametrize(("decks", "naturals"), HOUSES)
def test_melds_as_they_are_written(decks: int, naturals: int) -> None:
    rules = house(decks, naturals)
    for cards, cut in hands(decks, f"melds {decks} {naturals}", {3: 400, 4: 150}):
        ways = {way for way in permutations(cards) if rules.is_meld(way, cut)}
        what = kinds(tuple(sorted(cards)), cut, naturals, decks == 3)
        assert bool(ways) == bool(what)
        if set(what) & set("nst"):  # the order counts with a wild in a run, and only there
            assert len(ways) == len(set(permutations(cards)))
        else:
            assert ways == {way for way in permutations(cards) if written_as_run(way, cut, naturals)}


def written_as_run(way: tuple[str, ...], cut: str, naturals: int) -> bool:
    """Whether these cards, as they follow each other, are a run with wilds."""
    for suit in SUITS:
        for low in range(15 - len(way)):
            own = [rank + suit == card for rank, card in zip((RANKS + "A")[low:], way, strict=False)]
            if sum(own) >= naturals and all(
                is_wild(card, cut) or in_place for card, in_place in zip(way, own, strict=True)
            ):
                return True
    return False


@pytest.mark.parametrize(
    ("cards", "cut", "valid"),
    [
        ("Jk 5h Jk", "Tc", True),  # a joker on either side
        ("5c Jk Jk", "5h", True),  # a wild-rank card in its own place is natural
        ("Jk Jk Jk", "5h", False),  # wilds only
        ("5c 5c Jk", "5h", True),  # one of them stands for another suit
        ("Kh Jk 2h", "9c", False),  # no wrap
        ("Qh Kh Ah 2h", "9c", False),
        ("Ah Jk 3h", "9c", True),
        ("Qh Jk Ah", "9c", True),
        ("7h 9h Jk", "2c", False),  # the order counts
        ("9h 8h 7h", "8c", True),  # natural cards in any order, one of the wild rank among them
        ("7s 7h 7d 7c Jk", "2c", False),  # five
        ("7s 7s 7s 7s", "2c", False),  # more than there are
        ("Ks Jk", "2c", False),
    ],
)
def test_a_meld_or_none(cards: str, cut: str, valid: bool) -> None:
    assert Rules.preset("indian", num_decks=3).is_meld(cards, cut) == valid


def test_what_no_hand_of_this_game_is() -> None:
    rules = Rules.preset("indian")
    with pytest.raises(ValueError, match="expected 7s at most twice, got it 3 times"):
        rules.arrange("7s 7s 7s", "2c")
    with pytest.raises(ValueError, match="wild: gin has no wild cards, got '5h'"):
        Rules.preset("gin").arrange("7s 7h 7d", "5h")
    with pytest.raises(ValueError, match=r"expected cards like .*, got 'xx'"):
        rules.hand_points("7s", "xx")
    with pytest.raises(ValueError, match=r"expected a ruleset whose melds stay in the hand \(indian, gin\), got rami"):
        Rules.preset("rami").arrange("7s 7h 7d")
    with pytest.raises(ValueError, match="expected cards of a deck of 104 without jokers, got Jk"):
        Rules.preset("indian", num_jokers=0).hand_points("7s", "Jk")


def test_points_of_a_hand_of_wilds() -> None:
    rules = Rules.preset("indian")
    assert rules.hand_points("As 5s 5h Jk Kd", "5c") == 21
    assert rules.hand_points("As 5s 5h Jk Kd", "Jk") == rules.hand_points("As 5s 5h Jk Kd") == 31
