"""What the player writes of each frame of a trace, and of the truth."""

from gfx_core.text.captions import player_words
from tests.toys.traces import make_trace, with_two_reasons


def test_each_trajectory_has_a_caption_for_each_frame() -> None:
    trace = with_two_reasons()
    assert trace.answer is not None
    first, *_, other = player_words(trace)["stories"]
    assert [len(first["captions"]), len(other["captions"])] == [4, len(trace.answer.reasons[1].steps)]
    assert first["captions"][0][0].startswith("The set starts as 511")
    assert first["captions"][1][0].startswith("Added C512, which had ")
    assert "The set has 3 nodes: held together by C512." in first["captions"][2][0]
    assert first["captions"][3][1] == "Now it must stop."
    assert "That is part 2." in other["end"]
    assert other["apart"] == ""
    assert "The outline is part 2 of 2." in other["cover"]


def test_hits_and_rings_are_counted() -> None:
    words = player_words(make_trace())
    assert sorted(map(sorted, words["rings"][0])) == [[0, 1, 2, 3]]
    story = words["stories"][0]
    assert ["True edges found", "4 of 4, 0 extra", "", "truth"] in [[*fact] for fact in story["facts"]]
    assert "4 of 4 motif edges found, 0 extra" in story["end"]
