"""The panels beside the graph: rewards, flows, parents, and how they are linked with it."""

import dataclasses
import re
from decimal import Decimal

import pytest
from playwright.sync_api import expect

from gfx_core.config import FlowSource
from tests.browser.conftest import Play
from tests.browser.player_reading import at, drawn, node, percent, press, written
from tests.toys.player_traces import shipped
from tests.toys.traces import make_trace


def test_the_reward_adds_up_as_it_is_written(play: Play) -> None:
    trace = shipped("tree_cycles-513")
    page = play(trace)
    page.get_by_role("tab", name="Reward").click()
    panel = page.get_by_role("tabpanel", name="Reward")

    def number(text: str) -> Decimal:
        return Decimal(text.replace("−", "-"))

    expect(panel.locator("thead")).to_contain_text(f"β = {trace.steps[0].reward.beta:g}")
    for count, step in enumerate(trace.steps):
        expect(page.locator(".counter")).to_have_text(re.compile(f"^{count} /"))
        costs = panel.locator("tbody .value").all_inner_texts()
        assert len(costs) == len(step.reward.terms)
        log_reward = number(panel.locator(".headline b").inner_text())
        assert sum(map(number, costs)) == number(panel.locator("tfoot .value").inner_text()) == -log_reward
        assert float(log_reward) == pytest.approx(step.reward.log_reward, abs=0.00501)
        for cost, term in zip(costs, step.reward.terms, strict=True):
            assert float(number(cost)) == pytest.approx(step.reward.beta * term.contribution, abs=0.0101)
        press(page, "ArrowRight")


def test_hover_links_graph_and_panels(play: Play) -> None:
    trace = shipped("ba_shapes-423")
    page = play(trace)
    page.get_by_label("Step", exact=True).fill("3")
    step = trace.steps[3]
    first, parent, cut = step.frontier[0].node, step.parents[0].removed, step.cut_vertices[0]
    node(page, first).hover()
    expect(page.locator(f'.policy [data-nodes="{first}"]')).to_have_class(re.compile("lit"))
    expect(page.locator(f'.side-out [data-nodes="{first}"]')).to_have_class(re.compile("lit"))
    expect(page.locator(".tip")).to_contain_text(f"Node {trace.nodes[first].label}")
    page.locator(f'.side-in [data-nodes="{parent}"]').hover()
    expect(node(page, parent)).to_have_class(re.compile("lit"))
    expect(node(page, first)).not_to_have_class(re.compile("lit"))
    page.get_by_role("tab", name="Cut vertices").click()
    page.locator(f'.matrix th[data-row="{cut}"]').hover()
    pieces = step.child_groups[0].groups
    expect(page.locator(".stage .group")).to_have_count(len(pieces))
    expect(page.locator(".stage .badge")).to_have_count(sum(map(len, pieces)))
    expect(page.locator(".cuts .note")).to_contain_text(f"{len(pieces)} pieces are left")
    page.locator(".caption").hover()
    expect(page.locator(".stage .group")).to_have_count(0)
    expect(page.locator(".cuts .theorem")).to_contain_text("Case 1 (eq. 16)")


def test_the_numbers_beside_the_graph(play: Play) -> None:
    trace = shipped("ba_shapes-423")
    page = play(trace)
    assert trace.log_z_exact is not None
    expect(page.locator(".formula")).to_contain_text(f"exact: {written(trace.log_z_exact)}")  # log Z at the source
    page.get_by_label("Step", exact=True).fill("3")
    expect(page.locator(".side-in .bar-row")).to_have_count(len(trace.steps[3].parents))
    expect(page.locator(".side-out .bar-row")).to_have_count(len(trace.steps[3].frontier) + 1)
    step = trace.steps[3]
    assert step.residual is not None
    flows = [written(value) for value in (step.log_in_flow, step.log_out_flow, step.residual)]
    inside = [f"({value})" if value.startswith("−") else value for value in flows]
    expect(page.locator(".formula")).to_contain_text(f"{flows[0]} − {inside[1]} = {flows[2]}")
    likeliest = max(action.probability for action in step.frontier)
    expect(page.locator(".policy")).to_contain_text(percent(likeliest))
    page.get_by_role("tab", name="Reward").click()
    expect(page.locator(".headline")).to_contain_text(written(step.reward.log_reward, 2))
    expect(page.locator(".probabilities")).to_contain_text(percent(step.reward.probability))
    press(page, "End")
    expect(page.get_by_role("tab", name="Result")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".counts .hit b")).to_have_text(str(len(trace.hits)))
    expect(page.locator(".counts .missed b")).to_have_text(str(len(trace.missed)))
    expect(page.locator(".counts .extra b")).to_have_text(str(len(trace.extra)))
    expect(page.locator(".stage .edge.hit")).to_have_count(len(trace.hits))
    expect(page.locator(".stage .edge.extra")).to_have_count(len(trace.extra))
    press(page, "ArrowLeft")
    expect(page.get_by_role("tab", name="Reward")).to_have_attribute("aria-selected", "true")


def test_a_mark_shows_what_the_other_flows_would_do(play: Play) -> None:
    page = play(make_trace())
    panel = page.locator(".panel.policy")
    expect(panel.locator("h3 small")).to_have_text(["what may come next", "thin mark: by exact flows"])
    marks = panel.locator(".mark")
    expect(marks).to_have_count(3)  # of the strongest node, the other one, and STOP
    for mark, share in zip(marks.all(), (0.5, 0.25, 0.25), strict=True):
        at_x, track = mark.bounding_box(), mark.locator("..").bounding_box()
        assert at_x is not None
        assert track is not None
        assert (at_x["x"] + at_x["width"] / 2 - track["x"]) / track["width"] == pytest.approx(share, abs=0.03)
    expect(panel.locator(".bar-row.stop")).to_have_attribute("data-tip", re.compile("by exact flows 25\\s%"))
    page.get_by_label("Step forward").click()  # here nothing is known of them
    expect(panel.locator("h3 small")).to_have_text(["what may come next", ""])
    expect(panel.locator(".mark:visible")).to_have_count(0)
    page = play(dataclasses.replace(make_trace(), flows=FlowSource.EXACT))
    expect(page.locator(".panel.policy .compared")).to_contain_text("by learned flows")
    expect(page.locator("header")).to_contain_text("Exact flows, computed from all 110 connected subgraphs")


def test_parents_can_be_looked_at(play: Play) -> None:
    trace = shipped("ba_shapes-423")
    number = next(number for number, step in enumerate(trace.steps) if len(step.parents) > 1)
    page = play(trace)
    page.get_by_label("Step", exact=True).fill(str(number))
    before = drawn(page)
    page.get_by_role("tab", name="Parents").click()
    expect(page.locator(".thumb")).to_have_count(len(trace.steps[number].parents))
    page.locator(".thumb:not(.back)").first.click()
    expect(page.locator(".stage .node.removed")).to_have_count(1)
    expect(page.locator(".stage .node.member")).to_have_count(len(trace.steps[number].members) - 1)
    page.get_by_role("button", name="release").click()
    page.locator(".caption").hover()
    assert drawn(page) == before
    page.locator(".thumb.back").click()
    at(page, f"{number - 1} / {len(trace.steps) - 1}")
