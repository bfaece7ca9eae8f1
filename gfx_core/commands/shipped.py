"""``train record`` and ``traces``: make what is shipped for pages to show at once."""

import argparse

from gfx_core.commands.options import Commands, add_out, on_device
from gfx_core.device import choose_device


def add_record(commands: Commands) -> None:
    """The command and its options."""
    record = commands.add_parser("record", help="record the trainings that the Train page shows at once")
    record.add_argument("stories", nargs="*", metavar="STORY", help="default: all that are shipped")
    add_out(record, "assets/trainings")
    record.set_defaults(run=_train_record)


def add_traces(commands: Commands) -> None:
    """The command and its options."""
    traces = commands.add_parser("traces", parents=[on_device()], help="record the shipped traces of telling instances")
    add_out(traces, "assets/traces")
    traces.set_defaults(run=_traces)


def _train_record(options: argparse.Namespace) -> None:
    from gfx_core.training.record import record_shipped

    for path in record_shipped(options.stories, options.out):
        print(f"→ {path} ({path.stat().st_size / 1000:.0f} kB)")


def _traces(options: argparse.Namespace) -> None:
    from gfx_core.explainers.shipped_traces import record_shipped

    for path in record_shipped(options.out, choose_device(options.device)):
        print(f"→ {path}")
