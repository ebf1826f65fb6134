"""The tokens of some lines under several tokenizers as a web page in one file, with a bar for each
count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from bpe_studio.files.exports.colours import GROUND_COLOURS


@dataclass(frozen=True)
class LineCounts:
    """A tokenizer.

    Attributes:
        name: its name.
        counts: the number of tokens of each line.
    """

    name: str
    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """Tokens of all lines."""
        return sum(self.counts)

    def ratio(self, line: int) -> float | None:
        """The tokens of a line for each token of the first line; `None` for the first line."""
        first = self.counts[0]
        return self.counts[line] / first if line and first else None

    def count_text(self, line: int) -> str:
        """A count, with its ratio to the first line.

        >>> LineCounts("mine", (20, 31)).count_text(1)
        '31 ×1.55'
        """
        ratio = self.ratio(line)
        count = f"{self.counts[line]:,}"
        return count if ratio is None else f"{count} ×{ratio:.2f}"


def counts_page(statement: str, lines: Sequence[str], rows: Sequence[LineCounts]) -> str:
    """The page; it loads nothing, and follows the light or dark theme of the reader's system.

    Args:
        statement: the sentence above the table.
        lines: the lines.
        rows: the tokenizers, each with a count for each line.
    """
    heads = "".join(f'<th dir="auto">{escape(line)}</th>' for line in lines)
    most = max((max(row.counts, default=0) for row in rows), default=0)
    body = "".join(_row(row, most) for row in rows)
    light = _variables(GROUND_COLOURS["light"])
    dark = _variables(GROUND_COLOURS["dark"])
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(statement)}</title>
<style>
:root {{ color-scheme: light dark; {light} }}
@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}
body {{ font: 16px/1.5 system-ui, sans-serif; background: var(--sheet); color: var(--ink); margin: 2rem; }}
h1 {{ font-size: 1.4rem; }}
table {{ border-collapse: collapse; width: 100%; }}
th {{ font-weight: 600; vertical-align: bottom; text-align: start; border-bottom: 1px solid var(--line); }}
th, td {{ padding: .4rem 1rem .4rem 0; }}
td {{ font-variant-numeric: tabular-nums; white-space: nowrap; }}
td i {{ display: block; height: .45rem; background: var(--accent); border-radius: 2px; }}
</style></head><body><main>
<h1>{escape(statement)}</h1>
<table><thead><tr><th>Tokenizer</th>{heads}</tr></thead><tbody>{body}</tbody></table>
<p>×: tokens for each token of the first line.</p>
</main></body></html>
"""  # noqa: E501


def _row(row: LineCounts, most: int) -> str:
    cells = [f'<th scope="row">{escape(row.name)}</th>']
    for k, count in enumerate(row.counts):
        share = 100 * count / max(1, most)
        cells.append(f'<td>{row.count_text(k)}<i style="width:{share:.1f}%"></i></td>')
    return f"<tr>{''.join(cells)}</tr>"


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())
