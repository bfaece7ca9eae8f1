"""What tests read of a player, and traces that show it at work."""

import dataclasses
import struct

from playwright.sync_api import Locator, Page, expect

from gfx_core.gfn.reward_terms import REWARD_TERMS
from gfx_core.gfn.settings import RewardConfig
from gfx_core.text.numbers import counted
from gfx_core.trace.schema import Step, TermValue, TermWords, Trace


def picture(page: Page) -> Locator:
    return page.locator(".stage svg.graph")


def drawn(page: Page) -> str:
    """The picture, with everything that is set on it."""
    return picture(page).evaluate("(svg) => new XMLSerializer().serializeToString(svg)")


def node(page: Page, index: int) -> Locator:
    return page.locator(f'.stage [data-node="{index}"]')


def at(page: Page, text: str) -> None:
    """Wait for the step counter."""
    expect(page.locator(".counter")).to_have_text(text)


def written(value: float, digits: int = 3) -> str:
    """A number as the player writes it."""
    return f"{value:.{digits}f}".replace("-", "−")


def percent(share: float) -> str:
    """A share as the player writes it."""
    digits = 2 if share < 0.00995 else 1 if share < 0.0995 or share > 0.99 else 0
    return f"{100 * share:.{digits}f} %"


def ending(trace: Trace) -> str:
    """What is said of the found subgraph: without a truth only how large it is."""
    found, motif = len(trace.hits), len(trace.hits) + len(trace.missed)
    if motif:
        return f"{found} of {counted(motif, 'motif edge')} found, {len(trace.extra)} extra"
    return f"{counted(len(trace.final.edges), 'edge')} found"


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def priced(trace: Trace, reward: RewardConfig) -> Trace:
    """A trace as it would be under another reward: what was measured stays, prices and costs change."""

    def under(step: Step) -> Step:
        prices = {term.name: reward.price(term.name) for term in step.reward.terms}
        values = {term.name: float(step.size) if term.name == "nodes" else term.value for term in step.reward.terms}
        terms = tuple(TermValue(name, value, prices[name], prices[name] * value) for name, value in values.items())
        cost = reward.beta * sum(term.contribution for term in terms)
        log_reward = struct.unpack("f", struct.pack("f", -cost))[0]  # computed with 32-bit numbers
        rewarded = dataclasses.replace(step.reward, log_reward=log_reward, beta=reward.beta, terms=terms)
        return dataclasses.replace(step, reward=rewarded)

    steps = tuple(map(under, trace.steps))
    final = dataclasses.replace(trace.final, log_reward=steps[-1].reward.log_reward)
    return dataclasses.replace(trace, steps=steps, final=final)


def with_nodes(trace: Trace) -> Trace:
    """A trace whose reward may charge for nodes, as a new one has it and an older one has not."""
    if any(words.name == "nodes" for words in trace.reward_terms):
        return trace
    nodes = REWARD_TERMS["nodes"]
    words = (*trace.reward_terms, TermWords("nodes", nodes.symbol, nodes.title))

    def more(step: Step) -> Step:
        terms = (*step.reward.terms, TermValue("nodes", float(step.size), 0.0, 0.0))
        return dataclasses.replace(step, reward=dataclasses.replace(step.reward, terms=terms))

    return dataclasses.replace(trace, reward_terms=words, steps=tuple(map(more, trace.steps)))
