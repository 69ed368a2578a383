"""The page's files without a browser: both languages say the same things, and nothing is loaded from elsewhere."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any, Final

import pytest

PAGE: Final = Path(__file__).resolve().parents[1] / "game" / "page"
SCRIPTS: Final = sorted((PAGE / "js").glob("*.js"))
LANGUAGES: Final = ("en", "ko")
PLACE: Final = re.compile(r"\{(\w+)\}")


def words(name: str) -> dict[str, Any]:
    pairs = json.loads((PAGE / "words" / f"{name}.json").read_text("utf-8"), object_pairs_hook=lambda found: found)
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), "a key is there twice"
    return json.loads((PAGE / "words" / f"{name}.json").read_text("utf-8"))


def asked_for() -> tuple[set[str], list[re.Pattern[str]]]:
    """Keys that the scripts ask for, and patterns of keys that they put together."""
    text = "\n".join(path.read_text("utf-8") for path in SCRIPTS)
    # A literal may be a key wherever it stands: in t(…), or in a choice between keys within it.
    literal = set(re.findall(r'"([a-z][a-z0-9_]*)"', text))
    parts = re.findall(r"\bt\(`([a-z_]+_)\$\{[^`]*\}(\w*)`", text)
    return literal, [re.compile(re.escape(start) + r"\w+" + re.escape(end) + "$") for start, end in parts]


def test_both_languages_have_the_same_keys_and_places_to_fill() -> None:
    english, korean = (words(name) for name in LANGUAGES)
    assert english.keys() == korean.keys()
    for key, text in english.items():
        assert text, key
        assert korean[key], key
        if not key.endswith("_one"):
            assert set(PLACE.findall(text)) == set(PLACE.findall(korean[key])), key


def test_korean_words_are_korean() -> None:
    kept = {"rank_2", "rank_3", "rank_4", "rank_5", "rank_6", "rank_7", "rank_8", "rank_9", "rank_T"}
    places_only = {key for key, text in words("ko").items() if not PLACE.sub("", text).strip(" ,.:·/()")}
    for key, text in words("ko").items():
        assert re.search("[가-힣]", text) or key in kept | places_only, key


def test_every_key_that_is_asked_for_is_there_and_every_key_is_used() -> None:
    text = "\n".join(path.read_text("utf-8") for path in SCRIPTS)
    there = set(words("en"))
    plain = set(re.findall(r'\bt\("([a-z_0-9]+)"', text))
    assert plain <= there, plain - there
    literal, built = asked_for()
    unused = {
        key
        for key in there
        if key.removesuffix("_one") not in literal and not any(pattern.match(key) for pattern in built)
    }
    assert not unused, unused


def test_rules_have_the_same_pages_sections_and_tables_in_both_languages() -> None:
    english, korean = (words(f"rules.{name}") for name in LANGUAGES)
    assert list(english) == list(korean) == ["straight", "rami", "indian", "gin"]
    for ruleset, page in english.items():
        shapes = [
            [(sorted(part), [len(row) for row in part.get("table", {}).get("rows", [])]) for part in one["sections"]]
            for one in (page, korean[ruleset])
        ]
        assert shapes[0] == shapes[1], ruleset
        # Each says how it differs from gin (gin: from straight).
        assert "ifference" in page["sections"][-1]["title"] + page["sections"][-2]["title"]


@pytest.mark.parametrize("ruleset", ["straight", "rami", "indian", "gin"])
def test_tables_of_the_rules_have_as_many_cells_as_heads(ruleset: str) -> None:
    for name in LANGUAGES:
        for part in words(f"rules.{name}")[ruleset]["sections"]:
            if "table" in part:
                assert {len(row) for row in part["table"]["rows"]} == {len(part["table"]["head"])}, part["title"]


def test_nothing_is_loaded_from_elsewhere() -> None:
    for path in PAGE.rglob("*"):
        if path.suffix in {".js", ".css", ".html", ".json", ".svg", ".webmanifest"}:
            addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"'`]*", path.read_text("utf-8")))
            assert addresses <= {"http://www.w3.org/2000/svg"}, (path.name, addresses)


def test_the_page_keeps_to_its_own_strict_policy() -> None:
    html = (PAGE / "index.html").read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>|<style|\sstyle=|\son\w+=", html)
    for path in SCRIPTS:
        text = path.read_text("utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            path
        )
        assert not re.search(r"setAttribute\(\"style\"|[{ ]style:", text), path


def test_the_manifest_makes_the_page_installable() -> None:
    manifest = json.loads((PAGE / "manifest.webmanifest").read_text("utf-8"))
    assert manifest["display"] == "standalone"
    assert manifest["start_url"] == "/"
    sizes = set()
    for picture in manifest["icons"]:
        file = PAGE / picture["src"].removeprefix("/page/")
        assert file.is_file(), file
        if file.suffix == ".png":
            data = file.read_bytes()
            assert data.startswith(b"\x89PNG")
            assert picture["sizes"] == "x".join(map(str, struct.unpack(">II", data[16:24])))
            sizes.add(picture["sizes"])
    assert {"192x192", "512x512"} <= sizes


def test_the_page_asks_for_all_its_scripts_at_once() -> None:
    """A script whose name is known only once another is there comes a whole way to the server and back later."""
    html = (PAGE / "index.html").read_text("utf-8")
    asked = re.findall(r'<link rel="modulepreload" href="/page/js/([\w.]+)">', html)
    assert asked == [path.name for path in SCRIPTS]
