"""Files that are brought along: read once, given back at once, and limited."""

import re
from pathlib import Path

import pytest
from starlette.exceptions import HTTPException
from streamlit import config
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

from gfx_core.config import ASSETS
from gfx_core.gfn.paths import policy_path
from pages.ui import uploads
from pages.ui.explain import exports as explain_exports
from pages.ui.train import exports as train_exports
from tests.pages.page_reading import ROOT, Open, read


def page() -> None:
    import streamlit as st

    from gfx_core.errors import UserError
    from pages.ui.uploads import bring, brought

    def count(data: bytes, name: str) -> int:
        st.session_state["reads"] = st.session_state.get("reads", 0) + 1
        if data == b"bad":
            raise UserError(f"{name} holds nothing that can be *counted*.")
        return len(data)

    found = brought("field")
    st.write(f"{found.name}: {found.value}" if found else "no file")
    bring("A file", count, types=["txt"], key="field", most_mb=1, help_text="any")


@pytest.fixture
def opened() -> AppTest:
    return AppTest.from_function(page).run(timeout=20)


def test_it_is_read_once_and_stays_until_it_is_removed(opened: AppTest) -> None:
    assert opened.markdown[0].value == "no file"
    opened.file_uploader[0].upload("one.txt", b"12345").run()
    assert opened.markdown[0].value == "one.txt: 5"
    for _ in range(2):
        opened.run()
    assert opened.markdown[0].value == "one.txt: 5"
    assert opened.session_state["reads"] == 1
    opened.file_uploader[0].set_value(None).run()
    assert opened.markdown[0].value == "no file"


def test_its_bytes_are_given_back(opened: AppTest) -> None:
    opened.file_uploader[0].upload("one.txt", b"x" * 1000).run()
    held = opened.session_state["field"]
    assert not getattr(held, "getvalue", bytes)()


def test_what_cannot_be_read_is_a_sentence_that_stays(opened: AppTest) -> None:
    opened.file_uploader[0].upload("![x](http://evil.example).txt", b"bad").run()
    opened.run()
    (told,) = opened.error
    assert read(told.value) == "![x](http://evil.example).txt holds nothing that can be *counted*."
    assert "](http:/" not in told.value
    opened.file_uploader[0].upload("large.txt", bytes(2**20 + 1)).run()
    assert "larger than 1 MB" in read(opened.error[0].value)
    assert opened.session_state["reads"] == 1


def record(name: str, size: int) -> UploadedFileRec:
    return UploadedFileRec(name, name, "text/plain", bytes(size))


def test_a_visit_may_have_so_much_and_all_of_them_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_BYTES", 100)
    monkeypatch.setattr(uploads, "MOST_BYTES_OF_ALL", 250)
    manager = MemoryUploadedFileManager("/upload")
    add = uploads.guarded(manager)
    with pytest.raises(HTTPException, match="413"):
        add("a", record("large", 101))
    for number in range(uploads.MOST_FILES):
        add("a", record(str(number), 10))
    with pytest.raises(HTTPException, match="413"):
        add("a", record("one too many", 1))
    manager.remove_file("a", "0")
    add("a", record("another", 1))
    for visit in "bc":
        add(visit, record("large", 100))
    with pytest.raises(HTTPException, match="413"):
        add("d", record("too much for all", 30))
    manager.remove_session_files("b")
    add("d", record("now there is room", 30))


def test_every_field_of_every_page_is_of_this_kind() -> None:
    code = {path: path.read_text(encoding="utf-8") for path in (ROOT / "pages").rglob("*.py")}
    using = [
        path.name for path, text in code.items() if re.search(r"file_uploader\(|camera_input\(|chat_input\(", text)
    ]
    assert using == ["uploads.py"]
    limit = config.get_config_options(force_reparse=True)["server.maxUploadSize"].value
    assert limit == max(explain_exports.MAX_UPLOAD_MB, train_exports.MAX_UPLOAD_MB) <= uploads.MOST_BYTES // 2**20


def test_a_trace_is_brought_to_explain(open_page: Open) -> None:
    at = open_page("explain", dataset="tree_cycles", index="612", tab="files")
    at.file_uploader(key="upload").upload("mine.json", (ASSETS / "traces" / "tree_grid-514.json").read_bytes()).run()
    assert not at.exception
    assert "This trace was loaded from a file" in at.info[0].value
    at.file_uploader(key="upload").set_value(None).run()
    assert not at.info


def test_a_policy_is_brought_to_train(open_page: Open, data_folder: Path) -> None:
    at = open_page("train")
    at.file_uploader(key="train-upload").upload("mine.safetensors", b"nothing").run()
    assert "This file is not a whole safetensors file" in read(at.error[0].value)
    whole = policy_path("tree_cycles").read_bytes()
    at.file_uploader(key="train-upload").upload("mine.safetensors", whole).run()
    assert not at.exception
    assert at.button(key="use-uploaded")
    assert len(list(data_folder.glob("policies/*"))) == 1
