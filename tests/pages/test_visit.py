"""Who visits, and when a visit is over."""

from gfx_core.crew.crew import Crew
from gfx_core.crew.job import JobState
from gfx_core.crew.limits import Limits
from gfx_core.crew.visitor import Visitor
from pages.ui.visits import GONE_S, Presence, visitor, who
from tests.crew.work_for_tests import NeverLooks

A = Visitor("page of a", "a")


def test_a_visit_is_over_when_its_connection_is_gone_for_a_while() -> None:
    time, connected = [0.0], {A.visit}
    with Crew(Limits({"cpu": 1}), modules=("tests.",)) as crew:
        presence = Presence(crew, connected.__contains__, lambda: time[0])
        job = crew.submit(NeverLooks(), visitor=A)
        for at, here in ((0.0, True), (1.0, False), (GONE_S, False), (GONE_S + 0.5, True), (GONE_S + 2.0, False)):
            time[0] = at
            connected.clear()
            connected |= {A.visit} if here else set()
            presence.look()
            assert not job.status.finished
        time[0] = 2 * GONE_S + 2.0
        presence.look()
        assert job.state is JobState.CANCELLED
        presence.look()
        assert not presence._missed


def test_without_a_server_nobody_visits() -> None:
    assert visitor() == Visitor("", "")


def test_tabs_of_one_browser_are_one_visitor() -> None:
    tab = "2|00000000|" + "6162" * 8 + "|1700000000"
    other_tab = '"2|01010101|' + "6063" * 8 + '|1700000001"'  # the same token under another mask
    assert who(tab, "10.0.0.1") == who(other_tab, "10.0.0.2")
    assert who(tab, "") != who("2|00000000|" + "6163" * 8 + "|1700000000", "")
    for none in ("", "2||6162|1", "2|00000000|6162|1", "no cookie", "2|zz|zz|1"):
        assert who(none, "10.0.0.1") == who("", "10.0.0.1") != who("", "10.0.0.2")
