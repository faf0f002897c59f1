"""Small changes of a program, each of which some test should notice."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COUNTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
}
_NAMED = {"any": "all", "all": "any", "min": "max", "max": "min", "sorted": "list"}
_WORD = re.compile(r"[\w./:@=*-]+")
_METADATA = {"source", "seen", "ref", "why", "words", "remedy", "reason", "doc", "known", "help", "metavar", "strict"}
"""Keyword arguments that tell where a fact is from, or tell a person why, or that two lists are alike long: what they
say has no other behaviour."""
_TOLD = {
    "Source": 0, "apis": 0, "_library": 0, "_helm": 0, "required": 1, "disjoint": 1, "Limit": 1, "each": 2, "form": 2,
    "holds": 2, "one_of": 2, "once": 2, "at_most": 2, "between": 3, "length": 3, "block": 3,
}  # fmt: skip
"""In constraints, the functions whose arguments from there on tell where a fact is from, or are inputs that keep to one
or break it: a test runs all of these, and another example is no other constraint."""
_TEXTS = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)


@dataclass(frozen=True)
class Mutant:
    """One change at one place."""

    path: str
    """From the root of the project."""
    line: int
    within: str
    """The function or class around it, with dots; empty at the top of a file."""
    called: bool
    """Whether it runs when something is called, and not when its file is imported."""
    lines: tuple[int, int]
    """First and last line of the statement, of a compound one its head."""
    kind: str
    before: str
    after: str
    span: tuple[int, int]
    """Bytes of the file that `after` takes the place of."""

    @property
    def key(self) -> str:
        """What names it while lines above it come and go."""
        return f"{self.path} {self.within or '-'}: {_short(self.before)} -> {_short(self.after)}"

    def applied(self, source: bytes) -> bytes:
        """The file with the change."""
        return source[: self.span[0]] + self.after.encode() + source[self.span[1] :]


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """Every mutant of a file, in the order of its text."""
    tree = ast.parse(source)
    found = _Finder(path, source, _at_import(tree))
    found.visit(tree)
    return sorted(found.mutants, key=lambda each: (each.span, each.after))


def _at_import(tree: ast.Module) -> set[str]:
    """The functions of a file that its tables are made with: they run while it is imported."""
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    found: set[str] = set()
    ahead: list[ast.AST] = [each for each in tree.body if not isinstance(each, ast.FunctionDef)]
    while ahead:
        node = ahead.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions.keys() - found:
            found.add(node.func.id)
            ahead += functions[node.func.id].body
        ahead += ast.iter_child_nodes(node)
    return found


def _short(text: str) -> str:
    return " ".join(text.split())


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST, str]]:
    """Kind, what is replaced, and by what; its place alone is what a node does not tell."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=right) if type(op) in _COMPARED:
            yield "comparison", node, ast.unparse(ast.Compare(left, [_COMPARED[type(op)]()], right))
        case ast.BoolOp(op=op, values=values):
            yield (
                "and, or",
                node,
                f"({ast.unparse(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))})",
            )
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", node, f"({ast.unparse(operand)})"
        case ast.If(test=ast.Name() | ast.Attribute() | ast.Call() as test):
            yield "not", test, f"not {ast.unparse(test)}"
        case ast.IfExp(test=test, body=body, orelse=other):
            yield "choice", node, f"({ast.unparse(ast.IfExp(test, other, body))})"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _COUNTED:
            if not isinstance(left, _TEXTS) and not isinstance(right, ast.JoinedStr | ast.List | ast.ListComp):
                yield "arithmetic", node, f"({ast.unparse(ast.BinOp(left, _COUNTED[type(op)](), right))})"
        case ast.Constant(value=bool() as value):
            yield "switch", node, str(not value)
        case ast.Constant(value=int() as value):
            yield "number", node, str(value + 1)
            yield "number", node, f"({value - 1})" if value < 1 else str(value - 1)
        case ast.Constant(value=str() as value) if _WORD.fullmatch(value):
            yield "word", node, repr(f"{value}x")
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return", value, "None"
        case ast.Expr(value=ast.Call() as call):
            yield "statement", call, "None"
        case ast.Call(func=ast.Name(id=name)) if name in _NAMED:
            yield "chosen", node.func, _NAMED[name]
        case ast.comprehension(ifs=[test]):
            yield "filter", test, "True"
        case ast.Break():
            yield "loop", node, "continue"
        case ast.Continue():
            yield "loop", node, "break"


class _Finder(ast.NodeVisitor):
    """Walks a file, with the names and the statement around each node."""

    def __init__(self, path: str, source: bytes, at_import: set[str]):
        self.mutants: list[Mutant] = []
        self._path, self._source, self._at_import = path, source, at_import
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._within: list[str] = []
        self._lines = (1, 1)
        self._called = False

    def visit(self, node: ast.AST) -> None:
        """Note what can be changed here, then below."""
        if isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Pass) or _says_nothing(node):
            return
        if "/constraints/" in self._path and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            node.args = node.args[: _TOLD.get(node.func.id)]
        if isinstance(node, ast.stmt):
            self._lines = (node.lineno, _head_end(node))
        for kind, at, after in changes(node):
            self._note(kind, at, after)
        if isinstance(node, ast.Call):
            self._dropped(node)
        named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if named:
            self._within.append(node.name)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_params", "decorator_list"):
                continue
            before = self._lines, self._called
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and name == "body":
                self._called = ".".join(self._within) not in self._at_import
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    self.visit(each)
                    self._lines = before[0]
            self._called = before[1]
        if named:
            self._within.pop()

    def _dropped(self, call: ast.Call) -> None:
        """Each keyword argument left out, with the comma before or behind it; metadata neither, nor what is in it."""
        for keyword in call.keywords:
            start, end = self._span(keyword)
            rest = re.match(rb"\s*,\s*", self._source[end:])
            lead = re.search(rb",\s*$", self._source[:start])
            if keyword.arg in _METADATA or keyword.arg is None:
                continue
            if rest:
                end += rest.end()
            elif lead:
                start = lead.start()
            self._add("argument", (start, end), "", keyword.value.lineno)
        call.keywords = [each for each in call.keywords if each.arg not in _METADATA]

    def _note(self, kind: str, at: ast.AST, after: str) -> None:
        self._add(kind, self._span(at), after, getattr(at, "lineno", self._lines[0]))

    def _add(self, kind: str, span: tuple[int, int], after: str, line: int) -> None:
        before = self._source[span[0] : span[1]].decode()
        within = ".".join(self._within)
        self.mutants.append(Mutant(self._path, line, within, self._called, self._lines, kind, before, after, span))

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword)
        assert node.end_lineno is not None and node.end_col_offset is not None
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[node.end_lineno - 1] + node.end_col_offset,
        )


def _says_nothing(node: ast.AST) -> bool:
    """Docstrings, and what only type checkers run."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return True
    return isinstance(node, ast.Assign) and "__all__" in ast.unparse(node.targets[0])


def _head_end(node: ast.stmt) -> int:
    """The last line of a statement, or of what stands before its block."""
    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        return max(node.lineno, body[0].lineno - 1)
    return node.end_lineno or node.lineno
