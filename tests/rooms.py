"""The rooms of each crate, bottom up, and the cycles between them: there must be none.

A room is a module at the root of a crate, with all that is in it. It imports another if one of its lines names `crate::OTHER` (or what
the root re-exports from it); comments and test modules do not count. Run as `python3 tests/rooms.py`: it prints every crate's rooms,
each above what it imports, and fails if that order does not exist. With --edges, it also prints who imports whom, and where.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

CRATES = Path(__file__).resolve().parent.parent / "crates"
NAME = r"[A-Za-z_][A-Za-z0-9_]*"
Imports = dict[str, dict[str, list[str]]]


def code_of(path: Path) -> str:
    """The source without comments, strings and test modules, lines kept."""
    quiet = re.compile(r'''r#".*?"#|"(?:\\.|[^"\\])*"|'(?:\\.[^']*|[^'\\])'|//[^\n]*|/\*.*?\*/''', flags=re.S)
    text = quiet.sub(lambda found: " " + "\n" * found.group().count("\n"), path.read_text())
    # Modules of tests in files of their own are declared anywhere; one in the file is the last thing in it.
    text = re.sub(r"#\[cfg\((?:test|doctest)\)\]\s*(?:pub(?:\([a-z]+\))? )?mod \w+;", "", text)
    return re.split(r"#\[cfg\((?:all\()?(?:test|doctest)\b", text)[0]


def names_after(text: str, start: int) -> list[str]:
    """What follows `crate::` at `start`: one name, or the first names of each entry between braces."""
    if text[start] != "{":
        found = re.match(NAME, text[start:])
        return [found.group()] if found else []
    depth, names, fresh = 0, [], False
    for token in re.finditer(rf"{NAME}|[{{}},]", text[start:]):
        word = token.group()
        if word == "{":
            depth, fresh = depth + 1, depth == 0
        elif word == "}":
            depth -= 1
            if depth == 0:
                break
        elif word == ",":
            fresh = depth == 1
        elif fresh:
            names.append(word)
            fresh = False
    return names


def re_exports(root: str, rooms: set[str]) -> dict[str, str]:
    """Which room a name at the root of the crate comes from."""
    home = {}
    for use in re.finditer(rf"\bpub(?:\([a-z]+\))? use (?:crate::|self::)?({NAME})::([^;]+);", root):
        if use.group(1) in rooms:
            for name in re.findall(NAME, use.group(2)):
                home[name] = use.group(1)
    return home


def imports_of(crate: Path) -> tuple[set[str], Imports]:
    """The rooms of a crate, and for each the rooms it imports with the places where."""
    source = crate / "src"
    root_file = next(path for path in (source / "lib.rs", source / "main.rs") if path.exists())
    root = code_of(root_file)
    rooms = set(re.findall(rf"^\s*(?:pub(?:\([a-z]+\))? )?mod ({NAME});", root, flags=re.M))
    home = re_exports(root, rooms)
    imports: Imports = defaultdict(lambda: defaultdict(list))
    for path in sorted(source.rglob("*.rs")):
        parts = path.relative_to(source).parts
        room = parts[0].removesuffix(".rs")
        if room not in rooms or parts[-1] == "tests.rs":
            continue
        text = code_of(path)
        # In the file of a module d levels below the root, d times `super::` is `crate::`.
        depth = len(parts) - (parts[-1] == "mod.rs")
        text = re.sub(rf"(?<![\w:])(?:super::){{{depth}}}(?!super)", "crate::", text)
        for found in re.finditer(r"\bcrate::\s*(?=[{A-Za-z_])", text):
            line = text.count("\n", 0, found.start()) + 1
            for name in names_after(text, found.end()):
                other = name if name in rooms else home.get(name)
                if other is not None and other != room:
                    imports[room][other].append(f"{'/'.join(parts)}:{line}")
    return rooms, imports


def levels(rooms: set[str], imports: Imports) -> tuple[list[list[str]], set[str]]:
    """The rooms by how high they stand, lowest first, and those that stand on themselves."""
    placed: set[str] = set()
    floors: list[list[str]] = []
    while left := rooms - placed:
        floor = sorted(room for room in left if not (set(imports.get(room, {})) - placed))
        if not floor:
            return floors, left
        floors.append(floor)
        placed.update(floor)
    return floors, set()


def cycle_in(left: set[str], imports: Imports) -> list[str]:
    """One cycle among rooms each of which imports another of them."""
    path = [min(left)]
    while True:
        following = min(other for other in imports[path[-1]] if other in left)
        if following in path:
            return [*path[path.index(following) :], following]
        path.append(following)


def main() -> int:
    """Prints the rooms of every crate; 1 if some import each other."""
    failed = False
    for crate in sorted(path.parent for path in CRATES.glob("*/Cargo.toml")):
        rooms, imports = imports_of(crate)
        floors, left = levels(rooms, imports)
        print(f"{crate.name}: {len(rooms)} rooms" + ("" if left else f" on {len(floors)} floors"))
        for height, floor in reversed(list(enumerate(floors))):
            print(f"  {height}  {' '.join(floor)}")
        if "--edges" in sys.argv:
            for room in sorted(imports):
                for other, places in sorted(imports[room].items()):
                    print(f"    {room} -> {other}: {len(places)} ({', '.join(places[:4])})")
        if left:
            failed = True
            cycle = cycle_in(left, imports)
            print(f"  rooms that import each other: {' -> '.join(cycle)}", file=sys.stderr)
            for room, other in zip(cycle, cycle[1:]):
                print(f"    {room} imports {other} in {', '.join(imports[room][other][:6])}", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
