"""Pages and pictures, as files and in notebooks."""

from __future__ import annotations

import html
import os
import pathlib


class Page:
    """A page that needs no network: one HTML file. Notebooks show it in a frame of its own, exported ones too."""

    def __init__(self, content: bytes, height: int = 640) -> None:
        #: The bytes of the file.
        self.content = content
        #: Pixels of the frame in notebooks.
        self.height = height

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file."""
        pathlib.Path(path).write_bytes(self.content)

    def _repr_html_(self) -> str:
        # The frame may run the page's own script and nothing else: it sees neither the notebook nor its cookies.
        inside = html.escape(self.content.decode("utf-8"), quote=True)
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{inside}" title="report" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Page of {len(self.content)} bytes>"


class Picture:
    """A picture, ``"svg"`` or ``"png"``; one that moves, or one that does not."""

    def __init__(self, content: bytes, kind: str) -> None:
        #: The bytes of the file.
        self.content = content
        #: Which of the two.
        self.kind = kind

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file."""
        pathlib.Path(path).write_bytes(self.content)

    def _repr_svg_(self) -> str | None:
        return self.content.decode("utf-8") if self.kind == "svg" else None

    def _repr_png_(self) -> bytes | None:
        return self.content if self.kind == "png" else None

    def __repr__(self) -> str:
        return f"<Picture ({self.kind}) of {len(self.content)} bytes>"
