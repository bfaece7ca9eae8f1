"""What is this GNN's rule? The kinds of subgraph that explain a class, as a gallery; each opens its instances."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from gfx_core.datasets.registry import sources_of
from gfx_core.datasets.source import Numbered
from gfx_core.drawing.pictures import form_picture
from gfx_core.explanation.many import NamedQuestions
from gfx_core.explanation.rules import LIMIT, ClassRules, Rule, Rules, shipped_rules
from gfx_core.jobs import requests
from gfx_core.jobs.job import Request
from gfx_core.text.numbers import about_percent, counted
from pages.ui import jobs
from pages.ui.address import pick_one, whole
from pages.ui.components.svg_views import Card, gallery
from pages.ui.explorer import loaders
from pages.ui.explorer.parameters import DATASET, EXPLORER, GNN, PredictionQuery
from pages.ui.text import plain
from pages.ui.wording import WORDS

RULES = EXPLORER.switch("rules")
"""Whether Data sets shows the GNN's rules instead of one instance."""
PREDICTED = EXPLORER.parameter("predicted", None, whole(0, 9999), under=(DATASET,))
"""The class whose rules are shown, by its number."""
RULE = EXPLORER.parameter("rule", None, whole(0, 9999), under=(DATASET, GNN, PREDICTED))
"""The card that is open; those of wrong predictions are counted on behind the rules."""
_LINKS = 24  # to instances of a rule


def pick_view(view: PredictionQuery) -> None:
    """One instance, or the rules."""
    titles = {False: f"One {plain(view.info.vocabulary.instance)}", True: "What is this GNN’s rule?"}
    pick_one("Show", RULES, titles, own=False, unlabelled=True)


def pick_class(view: PredictionQuery, gnn: str | None) -> tuple[int, str] | None:
    """The class whose rules are shown, by number and name; at first one whose reason is known, if there is one."""
    header = None if gnn is None else loaders.readable_header(view.info.name, gnn)
    if header is None:
        return None
    names = view.info.class_names(header.num_classes)
    number = min(PREDICTED.read((view.info.reasons or (0,))[0]) or 0, len(names) - 1)
    titles = dict(enumerate(map(plain, names)))
    number = pick_one("Predicted class", PREDICTED, titles, shown=number, wrap=True)
    return number, names[number]


@dataclass(frozen=True)
class _Entry:
    """A card: a rule, and those of its instances that the card is about."""

    rule: Rule
    instances: tuple[int, ...]
    facts: tuple[tuple[str, str], ...]


def show_rules(view: PredictionQuery, gnn: str, number: int, name: str) -> None:
    """A sentence on a class, a card for each of its rules, and one for each kind of wrong prediction.

    Args:
        view: The data set.
        gnn: Which of its GNNs.
        number: The class.
        name: What it is called.
    """
    rules = _find(view, gnn, number, name)
    if rules is None:
        return
    of_class = rules[name]
    noun = plain(of_class.noun)
    st.markdown(f"#### {plain(of_class.sentence)}")
    total = counted(of_class.explained, noun)
    entries = [
        _Entry(rule, rule.instances, ((about_percent(of_class.share(rule)), f"{len(rule.instances)} of {total}"),))
        for rule in of_class.rules
    ]
    wrong = [
        _Entry(rule, instances, (("true class", true), ("how many", str(len(instances)))))
        for true, rule, instances in of_class.confusions
    ]
    _cards(entries, 0, view, gnn, of_class)
    if wrong:
        st.subheader(f"Wrong predictions: {len(of_class.mistakes)} of {total}", anchor=False)
        _cards(wrong, len(entries), view, gnn, of_class)
    st.caption(WORDS["datasets"]["rules"].format(**rules.made | {"dataset": view.info.name, "gnn": gnn}))


def _find(view: PredictionQuery, gnn: str, number: int, name: str) -> Rules | None:
    """Those that are shipped, or those that a worker finds."""
    shipped = shipped_rules(view.info.name, gnn)
    if shipped is not None:
        return shipped
    if not sources_of(view.info.name)[Numbered.parameter].ready:
        st.caption(WORDS["datasets"]["not-here"])
        return None
    about = {"questions": NamedQuestions(view.info.name, gnn), "of": number}
    files = requests.files_of(view.info.name, gnn)
    request = Request[Rules]("gfx_core.explanation.rules:find_rules", about, files)
    return jobs.run_job(f"Explaining up to {LIMIT} predictions of {plain(name)}", request, slot="rules")


def _cards(entries: Sequence[_Entry], first: int, view: PredictionQuery, gnn: str, of_class: ClassRules) -> None:
    """Cards that are numbered from the first on; a click opens one, and closes it again."""
    chosen = RULE.read(-1) - first
    cards = []
    for number, entry in enumerate(entries):
        forms = [form for form in entry.rule.forms if set(form.instances) & set(entry.instances)]
        svg = form_picture(forms[0], entry.rule.title).svg() if forms else ""
        cards.append(Card(svg, entry.rule.title, entry.facts, "", "See them", selected=number == chosen))

    def pick(number: int) -> None:
        RULE.write(None if chosen == number else first + number)

    gallery(cards, key="mistake-cards" if first else "rule-cards", on_pick=pick, wide=11.5)
    if 0 <= chosen < len(entries):
        _open(entries[chosen], view, gnn, of_class)


def _open(entry: _Entry, view: PredictionQuery, gnn: str, of_class: ClassRules) -> None:
    """Links that explain the instances of a rule."""
    noun, dataset = plain(of_class.noun), view.info.name
    with st.container(border=True, key="rule-instances"):
        st.markdown(f"**{plain(entry.rule.title)}**: {counted(len(entry.instances), noun)}")
        with st.container(horizontal=True, gap="small", key="rule-links"):
            for index in entry.instances[:_LINKS]:
                link = {DATASET.name: dataset, Numbered.parameter: str(index), GNN.name: gnn}
                label = f"{noun} {index}" + " (wrong)" * (index in of_class.mistakes)
                st.page_link("pages/explain.py", label=label, icon=":material/play_circle:", query_params=link)
        if len(entry.instances) > _LINKS:
            st.caption(f"The first {_LINKS} of {counted(len(entry.instances), noun)}.")
