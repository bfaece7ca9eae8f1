"""The recipes that change a file of ours, followed to the letter, all of them at once.

A process of its own runs this: whoever has imported one of these files already would not see the change.
"""

import contextlib
import io
import re
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType

import pytest

from tests.recipes import added_line, recipe


def code_of(name: str) -> str:
    """What a recipe has one write."""
    (code,) = re.findall(r"```py\n(.*?)```", recipe(name), re.DOTALL)
    return str(code)


def changed(name: str, *additions: tuple[str, str]) -> ModuleType:
    """A module whose text has something more before some of its lines, imported under its own name."""
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    text = Path(spec.origin).read_text(encoding="utf-8")
    for before, added in additions:
        assert text.count(before) == 1, before
        text = text.replace(before, added + before)
    module = sys.modules[name] = module_from_spec(spec)
    exec(compile(text, spec.origin, "exec"), vars(module))
    package, _, last = name.rpartition(".")
    setattr(import_module(package), last, module)
    return module


def add_all() -> None:
    """A knob, a loss, an option of a question and a lesson."""
    loss = added_line(recipe("A loss").replace("to `Loss`, in", "to"), "gfx_core/gfn/settings.py")
    assert "`GFNConfig` in `gfx_core/gfn/settings.py`" in recipe("A knob")
    changed(
        "gfx_core.gfn.settings",
        ("    epochs: Annotated[", code_of("A knob")),
        ("    DETAILED_BALANCE = ", f"    {loss}\n"),
    )
    exec(code_of("A loss"), vars(import_module("gfx_core.gfn.objectives")))
    changed("gfx_core.explanation.question", ("    seed: Annotated[", code_of("An option of a question")))

    said = recipe("A lesson")
    assert "`pages/ui/lessons/lesson_10.py`" in said
    title = added_line(said.replace("to `SHORT_TITLES` in", "to"), "pages/ui/lessons/frame.py")
    changed("pages.ui.lessons.frame", (')\n"""The lessons in the row', f", {title}"))
    lesson = sys.modules["pages.ui.lessons.lesson_10"] = ModuleType("pages.ui.lessons.lesson_10")
    exec(code_of("A lesson"), vars(lesson))


def knob() -> None:
    """Links, the page, the command line and recordings know it."""
    from gfx_core import UserError
    from gfx_core.__main__ import main
    from gfx_core.gfn import knobs
    from gfx_core.gfn.settings import GFNConfig
    from gfx_core.training import recording
    from gfx_core.training.lesson_graphs import LessonGraph
    from gfx_core.training.training import defaults_for, restarts, training_names
    from pages.ui.address import SMALL
    from pages.ui.train.link import FIELDS
    from tests.pages.page_reading import opened, url

    warm, usual = knobs.changed(GFNConfig(), {"warmth": 3}), GFNConfig()
    assert (warm.warmth, usual.warmth) == (3.0, 1.5)
    assert GFNConfig.from_dict(warm.as_dict()) == warm
    with pytest.raises(UserError, match="Warmth must be a number from 0 to 9"):
        GFNConfig(warmth=10)

    toy = defaults_for(LessonGraph("toy"))
    assert training_names([toy, toy.changed({"warmth": 2})]) == ("Warmth 1.5", "Warmth 2")
    assert not restarts(toy, toy.changed({"warmth": 2}))

    parameter = FIELDS[1]["warmth"]
    assert (parameter.name, parameter.parse("3"), parameter.spell(2.5)) == ("warm1", 3.0, "2.5")
    assert "warm2" in SMALL

    at = opened("train", story="none", graph="toy", warm1="2")
    slider = at.select_slider(key="warm1")
    assert (slider.label, slider.value) == ("Warmth", 2.0)
    assert "Acts at once" in slider.help
    assert "How warm it is." in slider.help
    slider.set_value(3.0).run()
    assert url(at, "warm1") == "3"

    for command in (["train", "policy"], ["train", "record"]):
        said = helped(command)
        assert "--warmth VALUE" in said
        assert "How warm it is." in said
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown):
        assert main(["train", "record", "epsilon", "--warmth", "11"]) == 2
    assert "Warmth must be" in shown.getvalue()
    with tempfile.TemporaryDirectory() as folder:
        assert main(["train", "record", "epsilon", "--epochs", "3", "--warmth", "2.5", "--out", folder]) == 0
        made = recording.read(Path(folder) / "epsilon.json")
    assert [lane.config["warmth"] for lane in made.lanes] == [2.5, 2.5]
    assert made.lanes[0].training.config.warmth == 2.5


def loss() -> None:
    """Tables, networks, Train and recordings know it."""
    from gfx_core.__main__ import main
    from gfx_core.gfn.settings import Loss
    from gfx_core.training import recording
    from gfx_core.training.lesson_graphs import LessonGraph
    from gfx_core.training.session import Session
    from gfx_core.training.training import defaults_for, training_names
    from pages.ui.train.link import FIELDS

    toy = defaults_for(LessonGraph("toy"))
    for flow_model in ("table", "network"):
        training = toy.changed({"loss": "huber", "flow_model": flow_model, "epochs": 60, "lr": 0.1})
        session = Session(training.question, training.config)
        before = session.frame()["total_variation"]
        session.advance(60)
        assert session.frame()["total_variation"] < before
    assert training_names([toy, toy.changed({"loss": "huber"})])[1] == "flow matching, Huber"
    assert FIELDS[1]["loss"].parse("huber") is Loss.HUBER
    with tempfile.TemporaryDirectory() as folder:
        assert main(["train", "record", "epsilon", "--epochs", "3", "--loss", "huber", "--out", folder]) == 0
        made = recording.read(Path(folder) / "epsilon.json")
    assert made.lanes[0].training.config.loss is Loss.HUBER


def option() -> None:
    """Links, commands and workers know it."""
    from gfx_core import GFlowExplainer, UserError, explain, load_dataset, load_model
    from gfx_core.__main__ import main
    from gfx_core.explanation.question import Question
    from gfx_core.jobs import messages
    from gfx_core.jobs.requests import Explain
    from pages.ui.explorer.parameters import OPTIONS

    cold = Question("tree_cycles", "612")
    warm = Question("tree_cycles", "612", warmth=2)
    assert (warm.warmth, cold.warmth) == (2.0, 1.5)
    assert (warm.is_plain, cold.is_plain) == (False, True)
    assert warm.policy != cold.policy  # nobody takes one for the other
    with pytest.raises(UserError, match="The warmth must be a number from 0 to 9"):
        Question("tree_cycles", "612", warmth=10)

    parameter = OPTIONS["warmth"]
    assert (parameter.name, parameter.parse("3"), parameter.spell(2.5)) == ("warmth", 3.0, "2.5")
    said, shown = helped(["explain"]), io.StringIO()
    assert "--warmth WARMTH" in said
    assert "how warm it is" in said
    with contextlib.redirect_stderr(shown):
        assert main(["explain", "--dataset", "tree_cycles", "--index", "612", "--warmth", "11"]) == 2
    assert "The warmth must be" in shown.getvalue()

    model, data = load_model("tree_cycles"), load_dataset("tree_cycles")
    assert GFlowExplainer(warmth=4).question(model, data, 600).warmth == 4.0
    with pytest.raises(UserError, match="The warmth must be"):
        explain(model, data, 600, warmth="hot")
    assert messages.decode_request(messages.encode_request(Explain(warm))) == Explain(warm)


def lesson() -> None:
    """The list of lessons, links and progress know it."""
    from tests.pages.page_reading import opened

    at = opened("learn", lesson="10")
    assert at.title[0].value == "10 · Water again"
    assert any("leaves again" in each.value for each in at.markdown)
    assert any("10 · " in name for name in at.menu_button(key="lessons").options)


def helped(command: list[str]) -> str:
    """What ``--help`` says."""
    from gfx_core.__main__ import main

    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.suppress(SystemExit):
        main([*command, "--help"])
    return shown.getvalue()


if __name__ == "__main__":
    add_all()
    for found in (knob, loss, option, lesson):
        found()
