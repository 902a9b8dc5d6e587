"""The reference ``docs/python-api.md`` is what the package says of itself."""

from __future__ import annotations

import re
import subprocess
import sys

from conftest import PROJECT

import alembert as al

GENERATOR = PROJECT / "python" / "tools" / "generate_reference.py"
PAGE = PROJECT / "docs" / "python-api.md"


def test_the_page_is_the_one_that_the_package_makes() -> None:
    found = subprocess.run([sys.executable, str(GENERATOR), "--check"], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def test_every_public_name_has_an_entry() -> None:
    headings = set(re.findall(r"^### (\w+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert headings == set(al.__all__) - {"__version__"}


def test_links_lead_to_headings() -> None:
    text = PAGE.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    headings = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    assert len(headings) == len(titles), "two headings have the same link"
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= headings


def test_every_method_of_the_builder_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    methods = [name for name in dir(al.Mechanism) if not name.startswith("_") and callable(getattr(al.Mechanism, name))]
    missing = [name for name in methods if f"`{name}(" not in text and f"Mechanism.{name}" not in text]
    assert not missing
