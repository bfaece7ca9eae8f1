"""What is this GNN's rule? The kinds of subgraph that explain a class, as a gallery; each opens its instances."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from gfx_core.datasets.registry import sources_of
from gfx_core.datasets.source import Numbered
from gfx_core.drawing.pictures import form_picture
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.explanation.rules import LIMIT, NOTHING, ClassRules, Form, Rule, Rules, shipped_rules
from gfx_core.jobs.requests import FindRules
from gfx_core.text.numbers import about_percent, counted
from pages.ui import jobs
from pages.ui.address import pick_one, whole
from pages.ui.components.svg_views import Card, gallery
from pages.ui.explorer import loaders
from pages.ui.explorer.parameters import DATASET, EXPLORER, GNN, PredictionQuery
from pages.ui.text import plain

RULES = EXPLORER.switch("rules")
"""Whether Data sets shows the GNN's rules instead of one instance."""
PREDICTED = EXPLORER.parameter("predicted", None, whole(0, 9999), under=(DATASET,))
"""The class whose rules are shown, by its number."""
RULE = EXPLORER.parameter("rule", None, whole(0, 9999), under=(DATASET, GNN, PREDICTED))
"""The card that is open; those of wrong predictions are counted on behind the rules."""
_CARDS, _LINKS = 10, 24  # rules, and links to instances, that are shown at first


def pick_view(view: PredictionQuery) -> None:
    """One instance, or the rules."""
    titles = {False: f"One {plain(view.info.vocabulary.instance)}", True: "What is this GNN’s rule?"}
    pick_one("Show", RULES, titles, own=False, unlabelled=True)


def pick_class(view: PredictionQuery, gnn: str | None) -> int:
    """The class whose rules are looked for; at first one whose reason is known, where there is one."""
    header = None if gnn is None else loaders.readable_header(view.info.name, gnn)
    if header is None:
        return 0
    titles = {number: plain(name) for number, name in enumerate(view.info.class_names(header.num_classes))}
    wanted = PREDICTED.read((view.info.reasons or (0,))[0])
    return pick_one("Predicted class", PREDICTED, titles, shown=min(wanted or 0, len(titles) - 1), wrap=True) or 0


def show_rules(view: PredictionQuery, gnn: str | None, number: int) -> None:
    """The rules of a class, or how far it is that they are found."""
    info = view.info
    if gnn is None:
        st.info(f"The GNN for {plain(info.title)} is {loaders.training_hint(info)}", icon=":material/model_training:")
        return
    try:
        name = info.class_names(loaders.header(info.name, gnn).num_classes)[number]
        rules = _find(info.name, gnn, number, name)
    except UserError as error:
        st.error(plain(error), icon=":material/broken_image:")
        return
    if rules is not None:
        _show(rules[name], rules, info.name, gnn)


def _find(dataset: str, gnn: str, number: int, name: str) -> Rules | None:
    """Those that are shipped, or those that a worker finds."""
    shipped = shipped_rules(dataset, gnn)
    if shipped is not None:
        return shipped
    if not _ready(dataset):
        st.caption("The data set is not on this computer yet: choose one of its instances first, and load it there.")
        return None
    request = FindRules(Question(dataset, "0", Numbered.parameter, gnn), number)
    return jobs.run_job(f"Explaining up to {LIMIT} predictions of {plain(name)}", request, slot="rules")


def _ready(dataset: str) -> bool:
    return sources_of(dataset)[Numbered.parameter].ready


@dataclass(frozen=True)
class _Entry:
    """A card and what it opens."""

    card: Card
    forms: tuple[Form, ...]
    instances: tuple[int, ...]


def _show(found: ClassRules, rules: Rules, dataset: str, gnn: str) -> None:
    """The sentence, a card for each rule, and one for each kind of wrong prediction."""
    st.markdown(f"#### {plain(found.sentence)}")
    if found.failed:
        st.caption(f"{counted(found.failed, plain(found.noun))} could not be explained.")
    entries = [_rule_entry(rule, found) for rule in found.rules]
    wrong = [
        _entry(rule, where, (("true class", true), ("predicted", found.name), ("how many", str(len(where)))), "")
        for true, rule, where in found.confusions
    ]
    _cards(entries, 0, "rule-cards")
    chosen = RULE.read()
    if chosen is not None and chosen < len(entries):
        _open(entries[chosen], dataset, gnn, found)
    if wrong:
        total = counted(len(found.mistakes), plain(found.noun))
        st.subheader(f"Wrong predictions: {total} of {found.explained:,}", anchor=False)
        _cards(wrong, len(entries), "mistake-cards")
        if chosen is not None and 0 <= chosen - len(entries) < len(wrong):
            _open(wrong[chosen - len(entries)], dataset, gnn, found)
    made = rules.made
    st.caption(
        f"We explain up to {made['limit']} predictions of a class and count the explanations by what they are, not by "
        f"which nodes they contain. Computed on {made['date']} in {made['seconds']:.0f} s, by "
        f"`python -m gfx_core rules --dataset {dataset} --gnn {gnn}`"
    )


def _rule_entry(rule: Rule, found: ClassRules) -> _Entry:
    wrong = sum(index in found.mistakes for index in rule.instances)
    facts = ((about_percent(found.share(rule)), f"{len(rule.instances)} of {counted(found.explained, found.noun)}"),)
    notes = [counted(len(rule.forms), "form")] * (len(rule.forms) > 1) + [f"{wrong} wrong"] * bool(wrong)
    return _entry(rule, rule.instances, facts, ", ".join(notes))


def _entry(rule: Rule, instances: tuple[int, ...], facts: tuple[tuple[str, str], ...], note: str) -> _Entry:
    """Only those forms that some of the instances have, drawn by the most frequent one."""
    forms = tuple(form for form in rule.forms if set(form.instances) & set(instances))
    svg = form_picture(forms[0], rule.title).svg() if forms else ""
    return _Entry(Card(svg, rule.title, facts, note, "See them"), forms, instances)


def _cards(entries: Sequence[_Entry], first: int, key: str) -> None:
    """Cards are numbered from the first on; a click opens one, and closes it again. Rare ones wait to be asked for."""
    chosen, numbers = RULE.read(), list(range(len(entries)))
    if len(entries) > _CARDS and not st.toggle(f"Show all {len(entries)}", key=f"{key}-all"):
        numbers = [number for number in numbers if number < _CARDS - 1 or entries[number].card.title == NOTHING]

    def pick(place: int) -> None:
        number = first + numbers[place]
        RULE.write(None if chosen == number else number)

    cards = [replace(entries[number].card, selected=number + first == chosen) for number in numbers]
    gallery(cards, key=key, on_pick=pick, wide=11.5)


def _open(entry: _Entry, dataset: str, gnn: str, found: ClassRules) -> None:
    """The forms of a rule, and links that explain its instances."""
    noun = plain(found.noun)
    with st.container(border=True, key="rule-instances"):
        st.markdown(f"**{plain(entry.card.title)}**: {counted(len(entry.instances), noun)}")
        if len(entry.forms) > 1:
            forms = [
                Card(form_picture(form, entry.card.title).svg(), counted(len(form.instances), found.noun))
                for form in entry.forms[:_CARDS]
            ]
            gallery(forms, key="rule-forms", wide=7)
        if not _ready(dataset):
            st.caption(f"The {noun}s are not on this computer yet. Load the data set to open them.")
            return
        every = len(entry.instances) <= _LINKS or st.toggle(f"Show all {len(entry.instances)}", key="rule-all")
        shown = entry.instances if every else entry.instances[:_LINKS]
        with st.container(horizontal=True, gap="small", key="rule-links"):
            for index in shown:
                link = {DATASET.name: dataset, Numbered.parameter: str(index), GNN.name: gnn}
                label = f"{noun} {index}" + (" (wrong)" if index in found.mistakes else "")
                st.page_link("pages/explain.py", label=label, icon=":material/play_circle:", query_params=link)
