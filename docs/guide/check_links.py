"""Every link of the built guide leads to a file that is there, and every anchor to a place in it. Other sites are not asked."""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links of a page, and what can be linked to in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        for name in ("id", "name"):
            if told.get(name):
                self.places.add(told[name])
        for name in ("href", "src"):
            if told.get(name):
                self.links.append(told[name])


def main(root):
    root = pathlib.Path(root).resolve()
    has_rust = (root / "rust").is_dir()
    # Rustdoc checks its own links, and reports hold theirs in themselves.
    pages = {path: Page(path) for path in root.rglob("*.html") if not {"rust", "reports", "_static"} & set(path.relative_to(root).parts[:1])}
    broken, n_links = [], 0
    for path, page in pages.items():
        for link in page.links:
            found = urllib.parse.urlsplit(link)
            if found.scheme or found.netloc:
                continue
            n_links += 1
            target = (path.parent / urllib.parse.unquote(found.path)).resolve() if found.path else path
            if "rust" in target.parts and not has_rust:
                continue
            if not target.exists():
                broken.append(f"{path.relative_to(root)}: {link}")
            elif found.fragment and target in pages and urllib.parse.unquote(found.fragment) not in pages[target].places:
                broken.append(f"{path.relative_to(root)}: {link}: no such place")
    for one in broken:
        print(f"broken link: {one}", file=sys.stderr)
    print(f"{n_links} links of {len(pages)} pages, {len(broken)} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
