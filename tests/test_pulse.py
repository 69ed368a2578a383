"""How late the event loop is, as the server tells it."""

from __future__ import annotations

import asyncio
import time

from game.pulse import EVERY, KEPT, Pulse


def test_the_latest_beat_of_the_last_minute_is_told() -> None:
    pulse = Pulse()
    assert pulse.worst == 0.0
    for now, late, worst in (
        (0.0, 0.010, 0.010),
        (1.0, 0.300, 0.300),
        (2.0, 0.200, 0.300),
        (3.0, 0.100, 0.300),
        (1.0 + KEPT, 0.001, 0.300),
        (1.5 + KEPT, 0.001, 0.200),
        (2.5 + KEPT, 0.001, 0.100),
        (3.5 + KEPT, 0.150, 0.150),
    ):
        pulse.beat(now, late)
        assert pulse.worst == worst


def test_a_loop_that_is_held_up_is_late_by_as_long() -> None:
    async def hold_up() -> float:
        pulse = Pulse()
        beating = asyncio.create_task(pulse.run())
        await asyncio.sleep(0)
        time.sleep(EVERY + 0.2)
        await asyncio.sleep(2 * EVERY)
        beating.cancel()
        return pulse.worst

    assert asyncio.run(hold_up()) >= 0.19
