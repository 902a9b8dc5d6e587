"""Lines of user code, counted in the syntax trees of the files that it is in."""

from __future__ import annotations

import ast
import functools
import inspect
import pathlib

from places import MODELS, PEERS
from variants import Variant

#: Folders whose files are followed where they are imported.
FOLLOWED = (pathlib.Path(__file__).resolve().parent, PEERS)


class Needed(ast.NodeVisitor):
    """Names that code uses, and what it imports; annotations are no code."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.imports: list[tuple[str, str]] = []

    def visit_Name(self, node: ast.Name) -> None:
        self.names.append(node.id)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.imports += [(node.module or "", alias.name) for alias in node.names]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in (*node.decorator_list, *node.args.defaults, *node.body):
            self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)


def beside(module: str) -> pathlib.Path | None:
    """The file of a module in a folder that is followed."""
    files = (folder / f"{module}.py" for folder in FOLLOWED)
    return next((file for file in files if file.exists()), None)


@functools.cache
def borrowed(path: pathlib.Path) -> dict[str, tuple[pathlib.Path, str]]:
    """What the head of a file imports from files that are followed: where it is defined, and as what."""
    found: dict[str, tuple[pathlib.Path, str]] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        file = beside(node.module or "") if isinstance(node, ast.ImportFrom) else None
        if isinstance(node, ast.ImportFrom) and file is not None:
            found.update({alias.asname or alias.name: (file, alias.name) for alias in node.names})
    return found


@functools.cache
def definitions(path: pathlib.Path) -> dict[str, ast.stmt]:
    """What a file defines, by name."""
    found: dict[str, ast.stmt] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            names = [part for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)]
            found.update({name.id: node for name in names})
    return found


def docstrings(node: ast.AST) -> set[int]:
    found: set[int] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef) and ast.get_docstring(part, clean=False) is not None:
            first = part.body[0]
            found.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return found


def lines_of(name: str, path: pathlib.Path) -> int:
    """Lines of a function and of all that it needs, in its file and in those that are followed."""
    waiting = [(path, name)]
    seen: set[tuple[pathlib.Path, str]] = set()
    kept: set[tuple[pathlib.Path, int]] = set()
    while waiting:
        file, wanted = waiting.pop()
        file, wanted = borrowed(file).get(wanted, (file, wanted))
        node = definitions(file).get(wanted)
        if node is None or (file, wanted) in seen:
            continue
        seen.add((file, wanted))
        kept.update((file, line) for line in range(node.lineno, (node.end_lineno or node.lineno) + 1))
        kept.difference_update((file, line) for line in docstrings(node))
        needed = Needed()
        needed.visit(node)
        waiting += [(file, other) for other in needed.names]
        named = [(beside(module), other) for module, other in needed.imports]
        waiting += [(other, word) for other, word in named if other is not None]
    texts = {file: file.read_text(encoding="utf-8").splitlines() for file, _ in kept}
    return sum(is_code(texts[file][line - 1]) for file, line in kept)


def is_code(line: str) -> bool:
    return bool(line.strip()) and not line.strip().startswith("#")


def lines_of_model(path: pathlib.Path) -> int:
    """Lines of a model file without its pictures."""
    count, pictures = 0, False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            pictures = line.startswith("[view]")
        count += is_code(line) and not pictures
    return count


def user_lines(variant: Variant) -> int:
    own = lines_of(variant.function.__name__, pathlib.Path(inspect.getfile(variant.function)).resolve())
    return own + (lines_of_model(MODELS / variant.file) if variant.file else 0)
