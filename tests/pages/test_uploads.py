"""Files of visitors: read once, as long as they stand in the field."""

from streamlit.testing.v1 import AppTest

from tests.pages.page_reading import read
from tests.patience import PATIENCE_S


def _page(several: bool) -> None:
    import streamlit as st

    from gfx_core.errors import UserError
    from pages.ui.uploads import find_uploads, upload_field

    def count(data: bytes, name: str) -> int:
        st.session_state["reads"] = st.session_state.get("reads", 0) + 1
        if data == b"bad":
            raise UserError(f"{name} holds nothing that can be *counted*.")
        return len(data)

    st.write(" ".join(f"{file.name}={file.value}" for file in find_uploads("field")) or "none")
    upload_field("A file", count, type=["txt"], key="field", most_mb=1, accept_multiple_files=several)


def field(several: bool = False) -> AppTest:
    return AppTest.from_function(_page, kwargs={"several": several}, default_timeout=PATIENCE_S).run()


def test_files_are_read_once_and_stay_until_they_are_removed() -> None:
    at = field(several=True)
    assert at.markdown[0].value == "none"
    at.file_uploader[0].set_value([("a.txt", b"1", ""), ("b.txt", b"22", "")]).run()
    at.run()
    assert at.markdown[0].value == "a.txt=1 b.txt=2"
    assert at.session_state["reads"] == 2
    at.file_uploader[0].set_value(None).run()
    assert at.markdown[0].value == "none"


def test_what_cannot_be_read_is_a_sentence_that_stays() -> None:
    at = field()
    at.file_uploader[0].upload("![x](http://evil.example).txt", b"bad").run()
    (error,) = at.run().error
    assert read(error.value) == "![x](http://evil.example).txt holds nothing that can be *counted*."
    assert "](http:/" not in error.value
    at.file_uploader[0].upload("large.txt", bytes(2**20 + 1)).run()
    assert "1 MB" in read(at.error[0].value)
    assert at.session_state["reads"] == 1
    at.file_uploader[0].upload("one.txt", b"12345").run()
    assert not at.error  # a file was taken
