"""What the page sounds like, measured: each sound is rendered in the browser without a device and looked at here."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import pytest
from browsing import COMPILED, LANDSCAPE, ROOT, Person, Server
from numpy.typing import NDArray
from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # the server may have to compile first

RATE: Final = 44_100
LONGEST: Final = 1.5
"""Seconds."""

Samples = NDArray[np.float64]

TONES: Final = {
    "turn": [587, 880],
    "refused": [208, 185],
    "won": [523, 659, 784, 1047],
    "lost": [392, 330],
    "tick": [740],
}
"""Frequencies (Hz) that are heard one after the other."""
PAPER: Final = ("draw", "place", "meld")
"""Sounds of cards on cloth."""

RENDER: Final = """async ([names, rate]) => {
  // A device that renders into memory instead of a speaker, and is as a running one to who asks.
  let made = null;
  window.AudioContext = function () {
    made = new OfflineAudioContext(1, 2 * rate, rate);
    Object.defineProperty(made, "state", { get: () => "running" });
    return made;
  };
  const sound = await import(`/page/js/sound.js?${names}`); // one of its own, which no press has woken
  sound.wake();
  for (const name of names) sound.play(name);
  const rendered = await made.startRendering();
  return [...rendered.getChannelData(0)];
}"""

SPY: Final = """() => {
  window.contexts = [];
  window.started = 0;
  const Made = window.AudioContext;
  window.AudioContext = class extends Made {
    constructor(...all) { super(...all); window.contexts.push(this); }
  };
  for (const source of [OscillatorNode, AudioBufferSourceNode, AudioScheduledSourceNode]) {
    const start = source.prototype.start;
    if (Object.hasOwn(source.prototype, "start"))
      source.prototype.start = function (...all) { window.started++; return start.apply(this, all); };
  }
}"""


@pytest.fixture(scope="module")
def heard(browser: Browser, server: Server) -> dict[str, Samples]:
    """Two seconds of every sound, and of all of them at once under ``*``."""
    someone = Person(browser, server, LANDSCAPE).go("/#/rules")
    names = someone.page.evaluate("() => import('/page/js/sound.js').then(({ NAMES }) => NAMES)")
    found = {name: np.array(someone.page.evaluate(RENDER, [[name], RATE])) for name in names}
    found["*"] = np.array(someone.page.evaluate(RENDER, [names, RATE]))
    someone.close()
    return found


def spectrum(samples: Samples) -> tuple[Samples, Samples]:
    """Frequencies in Hz, and the power at each. A piece that is cut out of a sound is faded at both ends."""
    fade = 1.0 if len(samples) == 2 * RATE else np.hanning(len(samples))
    power = np.abs(np.fft.rfft(samples * fade)) ** 2
    return np.fft.rfftfreq(len(samples), 1 / RATE), power


def level(samples: Samples, frequency: float) -> float:
    """The power around a frequency, a quarter-tone to either side."""
    frequencies, power = spectrum(samples)
    return float(power[(frequencies > frequency / 1.03) & (frequencies < frequency * 1.03)].sum())


def test_every_sound_has_its_event_and_every_event_its_sound(heard: dict[str, Samples]) -> None:
    text = "".join(path.read_text("utf-8") for path in (ROOT / "game" / "page" / "js").glob("*.js"))
    asked = set(re.findall(r'sound\.play\("(\w+)"\)', text))
    mapped = re.search(r"const name = (\{ draw: .*?\})\[event\.kind\]", text)
    assert mapped is not None
    asked |= set(re.findall(r': "(\w+)"', mapped[1]))
    asked |= set(re.findall(r'sound\.play\(\w+ \? "(\w+)" : "(\w+)"\)', text)[0])
    assert asked == set(heard) - {"*"} == {*TONES, *PAPER}


@pytest.mark.parametrize("name", [*TONES, *PAPER, "*"])
def test_a_sound_is_heard_is_not_clipped_and_is_short(heard: dict[str, Samples], name: str) -> None:
    samples = heard[name]
    loud = np.abs(samples)
    assert loud.max() <= (1.0 if name == "*" else 0.5)
    assert loud.max() >= 0.05
    start = samples[: RATE // 20]
    assert np.sqrt(np.mean(start**2)) >= 0.01  # it begins at once
    assert np.flatnonzero(loud > 0.001)[-1] < LONGEST * RATE
    assert loud[:20].max() < 0.5 * loud.max()  # it swells: a step would be a click


@pytest.mark.parametrize("name", TONES)
def test_tones_are_those_of_wood_and_no_buzz(heard: dict[str, Samples], name: str) -> None:
    samples = heard[name]
    frequencies, power = spectrum(samples)
    for tone in TONES[name]:
        assert level(samples, tone) > 0.04 * power.sum()
    # A square wave has a ninth of its power in the third harmonic, and as much as is left in those above.
    first = TONES[name][0]
    alone = samples[: int(RATE * 0.09)]
    for harmonic in (3, 5, 7):
        assert level(alone, first * harmonic) < 0.01 * level(alone, first)
    assert power[frequencies > 5000].sum() < 0.01 * power.sum()
    assert np.abs(np.diff(samples)).max() < 0.3 * np.abs(samples).max()
    # What is bright at the stroke is soon gone.
    stroke, after = samples[: RATE // 50], samples[RATE // 20 : RATE // 20 + RATE // 50]
    assert level(after, first * 4) < 0.5 * level(stroke, first * 4)


def test_winning_rises_and_losing_falls(heard: dict[str, Samples]) -> None:
    def ends(samples: Samples) -> tuple[float, float]:
        length = int(np.flatnonzero(np.abs(samples) > 0.002)[-1])
        found = []
        for part in (samples[: RATE // 10], samples[length // 2 : length]):
            frequencies, power = spectrum(part)
            found.append(float(frequencies[power.argmax()]))
        return found[0], found[1]

    first, last = ends(heard["won"])
    assert last > 1.9 * first  # an octave
    first, last = ends(heard["lost"])
    assert last < 0.9 * first


@pytest.mark.parametrize("name", PAPER)
def test_cards_sound_like_paper(heard: dict[str, Samples], name: str) -> None:
    """Noise of a broad band in the middle: neither a rumble nor a hiss, and no tone stands out."""
    samples = heard[name][: RATE // 5]
    frequencies, power = spectrum(samples)
    middle = float((frequencies * power).sum() / power.sum())
    assert 300 < middle < 4000
    assert power[frequencies > 5000].sum() < 0.25 * power.sum()
    band = power[(frequencies > 400) & (frequencies < 4000)]
    assert band.max() < 0.2 * band.sum()


def at_a_table(browser: Browser, server: Server, sound: bool) -> Person:
    """Somebody at a table, the page just loaded again: nothing in it has been pressed."""
    server.deal(53)
    mina = Person(browser, server, LANDSCAPE).go("/?ruleset=straight&computers=easy")
    mina.press("button.big")
    mina.my_turn()
    mina.page.evaluate(
        "(sound) => localStorage.rummy = JSON.stringify({ ...JSON.parse(localStorage.rummy), sound })", sound
    )
    mina.context.add_init_script(f"({SPY})()")
    mina.page.reload()
    mina.page.wait_for_selector(".hand .card", timeout=COMPILED)
    mina.my_turn()
    return mina


def spied(person: Person) -> dict[str, Any]:
    return person.page.evaluate("() => ({ contexts: contexts.map((one) => one.state), started })")  # type: ignore[no-any-return]


def test_nothing_sounds_before_a_press_and_an_interrupted_device_comes_back(browser: Browser, server: Server) -> None:
    mina = at_a_table(browser, server, sound=True)
    play = "() => import('/page/js/sound.js').then(({ play }) => play('turn'))"
    mina.page.evaluate(play)
    assert spied(mina) == {"contexts": [], "started": 0}
    mina.press(".prompt")
    mina.until("contexts.length === 1 && contexts[0].state === 'running'")
    mina.draw()
    mina.until("started > 0")

    # As a call on the phone does it: the first sound is lost, then it is back.
    mina.page.evaluate("() => contexts[0].suspend()")
    before = spied(mina)["started"]
    mina.page.evaluate(play)
    assert spied(mina)["started"] == before
    mina.until("contexts[0].state === 'running'")
    mina.page.evaluate(play)
    assert spied(mina)["started"] > before

    # Suspended and only touched: that alone wakes it too.
    mina.page.evaluate("() => contexts[0].suspend()")
    mina.press(".prompt")
    mina.until("contexts[0].state === 'running'")

    # A closed one never comes back: the next press makes another. Nothing fails in between.
    mina.page.evaluate("() => contexts[0].close()")
    before = spied(mina)["started"]
    mina.page.evaluate(play)
    assert spied(mina) == {"contexts": ["closed"], "started": before}
    mina.page.keyboard.press("s")
    mina.until("contexts.length === 2 && contexts[1].state === 'running'")
    mina.page.evaluate(play)
    assert spied(mina)["started"] > before

    # Off: the device rests. On again by the same key: it sounds.
    mina.page.keyboard.press("m")
    mina.until("contexts[1].state === 'suspended'")
    before = spied(mina)["started"]
    mina.page.evaluate(play)
    mina.page.keyboard.press("s")
    assert spied(mina) == {"contexts": ["closed", "suspended"], "started": before}
    mina.page.keyboard.press("m")
    mina.until("contexts[1].state === 'running'")
    mina.page.evaluate(play)
    assert spied(mina)["started"] > before
    mina.close()


def test_with_the_sound_off_nothing_is_started(browser: Browser, server: Server) -> None:
    mina = at_a_table(browser, server, sound=False)
    mina.turn()
    mina.my_turn()
    mina.page.evaluate("() => import('/page/js/sound.js').then(({ NAMES, play }) => NAMES.forEach(play))")
    assert spied(mina) == {"contexts": [], "started": 0}
    mina.close()
