r"""Rewrites regular expressions between Python's `regex` and Oniguruma, which Hugging Face's tokenizers run.

The two differ in details that change where a text is cut: in Oniguruma, `\w` matches ² but no joiners, `$` matches at
the end of every line, `{1,3}+` is not a possessive quantifier, and ß matches ss where case is ignored. `to_onig` spells
such parts out, so that both find the same matches; `from_onig` does the reverse. A part without a counterpart raises
`Untranslatable`. The character tables may be of different Unicode versions: a character that only one of the two knows
may be cut differently.
"""

from __future__ import annotations

import regex

from bpe_studio.files.formats.huggingface.onig_classes import (
    ONIG_WORD,
    SHARED_PROPERTY,
    WORD_CLASS,
    Untranslatable,
    cased,
    code,
    ranges,
)

MAX_SIZE = 20_000
"""The greatest size of an expression, with its counted repetitions written out."""

_CONTROL_ESCAPES = {"t": 9, "n": 10, "r": 13, "f": 12, "v": 11, "a": 7}
_SET_STOP = frozenset("[]^-&|~\\")


def to_onig(pattern: str) -> str:
    r"""An expression of Python's `regex` as Oniguruma's, with the same matches.

    Raises:
        Untranslatable: a part has no counterpart.

    >>> to_onig(r"[^a-z]$")
    '[^a-z](?=\\n?\\z)'
    """
    return _Rewriter(pattern, to_onig=True).whole()


def from_onig(pattern: str) -> str:
    """An Oniguruma expression as one of Python's `regex`, with the same matches.

    Raises:
        Untranslatable: a part has no counterpart, or the result is not a valid expression.
    """
    rewritten = _Rewriter(pattern, to_onig=False).whole()
    try:
        regex.compile(rewritten)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise Untranslatable(f"an invalid expression ({error})") from None
    return rewritten


class _Rewriter:
    """Rewrites one expression in the other dialect, from left to right."""

    def __init__(self, pattern: str, *, to_onig: bool) -> None:
        self.text = pattern
        self.place = 0
        self.to_onig = to_onig
        self.flags: set[str] = set()
        self.depth = 0
        self.n_varying = 0
        self.size = 0

    def whole(self) -> str:
        if len(self.text) > MAX_SIZE:
            raise Untranslatable(f"more than {MAX_SIZE:,} characters")
        result = self._alternatives()
        if self.place < len(self.text):
            raise Untranslatable("an unmatched )")
        return result

    def _alternatives(self) -> str:
        self.depth += 1
        if self.depth > 50:
            raise Untranslatable("groups more than 50 deep")
        parts: list[str] = []
        while self.place < len(self.text) and self.text[self.place] != ")":
            if self._takes("|"):
                self.n_varying += 1
                parts.append("|")
                continue
            size = self.size
            self.size += 1
            atom = self._atom()
            parts.append(self._repeated(atom, size) if atom else "")
        self.depth -= 1
        return "".join(parts)

    def _takes(self, part: str) -> bool:
        if self.text.startswith(part, self.place):
            self.place += len(part)
            return True
        return False

    def _atom(self) -> str:
        char = self.text[self.place]
        self.place += 1
        match char:
            case "(":
                return self._group()
            case "[":
                return self._set()
            case "\\":
                return self._escape()
            case ".":
                return self._dot()
            case "^" | "$":
                return self._anchor(char)
            case "*" | "+" | "?":
                raise Untranslatable(f"{char} with nothing before it")
        if "x" in self.flags and (char.isspace() or char == "#"):
            if char == "#":
                end = self.text.find("\n", self.place)
                self.place = len(self.text) if end < 0 else end
            return ""
        return self._literal(ord(char))

    def _literal(self, point: int) -> str:
        if "i" in self.flags and self.to_onig and chr(point) in cased():
            inside = ranges(f"(?i:{regex.escape(chr(point))})", cased())
            return code(point) if inside == code(point) else f"[{inside}]"
        char = chr(point)
        if self.to_onig:
            return char if char.isalnum() or char in " '\"_/<>@,:;=!%~`▁" else code(point)
        return str(regex.escape(char, special_only=True))

    def _dot(self) -> str:
        if "s" in self.flags:
            return r"[\x{0}-\x{10ffff}]" if self.to_onig else r"(?s:.)"
        return r"[^\n]"

    def _anchor(self, char: str) -> str:
        every_line = "m" in self.flags or not self.to_onig
        if char == "$":
            return r"(?=\n|\z)" if every_line and self.to_onig else r"(?=\n|\Z)" if every_line else r"(?=\n?\z)"
        if not every_line:
            return r"\A"
        return r"(?:\A|(?<=\n))" if self.to_onig else r"(?:\A|(?<=\n)(?!\Z))"

    def _group(self) -> str:
        kept, n_varying = set(self.flags), self.n_varying
        head = "(?:"
        if self._takes("?#"):
            self.place = self.text.find(")", self.place) + 1 or len(self.text)
            return ""
        for known in ("?=", "?!", "?<=", "?<!", "?>", "?:"):
            if self._takes(known):
                head = f"({known}"
                break
        else:
            named = regex.compile(r"\?P?<[A-Za-z_]\w*>").match(self.text, self.place)
            if named:
                self.place = named.end()
            elif self._takes("?"):
                if not self._flags():
                    return ""
                head = "(?i:" if "i" in self.flags and not self.to_onig else head
        inside = self._alternatives()
        if not self._takes(")"):
            raise Untranslatable("an unclosed (")
        if head.startswith("(?<") and self.n_varying > n_varying:
            raise Untranslatable("a look-behind of varying length")
        self.flags = kept
        return f"{head}{inside})"

    def _flags(self) -> bool:
        """Reads `i`, `s-m:` and the like; whether they belong to a group (and not to all that follows)."""
        is_on = True
        while self.place < len(self.text):
            char = self.text[self.place]
            self.place += 1
            if char == "-":
                is_on = False
            elif char in ":)":
                if char == ")" and not self.to_onig and "i" in self.flags:
                    break
                return char == ":"
            elif char not in ("imsx" if self.to_onig else "imx") or (char == "i" and not self.to_onig and not is_on):
                break
            else:
                name = char if self.to_onig else {"m": "s"}.get(char, char)
                (self.flags.add if is_on else self.flags.discard)(name)
        raise Untranslatable(f"the group (?{self.text[self.place - 1 : self.place + 6]}")

    def _escape(self) -> str:
        char = self._after_backslash()
        point = self._escaped_point(char)
        if point is not None:
            return self._literal(point)
        if char in "sSdDwWpPh":
            inside, is_negated = self._class(char)
            return f"[{'^' * is_negated}{inside}]" if len(inside) > 6 or is_negated else inside
        word = f"[{WORD_CLASS}]"
        known = {
            "A": r"\A",
            "z": r"\z" if self.to_onig else r"\Z",
            "Z": r"\z" if self.to_onig else r"(?=\n?\Z)",
            "b": rf"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))" if self.to_onig else "",
            "B": rf"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))" if self.to_onig else "",
        }
        if not known.get(char):
            raise Untranslatable(f"\\{char}")
        return known[char]

    def _after_backslash(self) -> str:
        if self.place >= len(self.text):
            raise Untranslatable("a \\ at the end")
        self.place += 1
        return self.text[self.place - 1]

    def _escaped_point(self, char: str) -> int | None:
        """The code point that an escape denotes; None if it denotes something else."""
        if char in _CONTROL_ESCAPES:
            return _CONTROL_ESCAPES[char]
        for start, expression in (
            ("x", r"\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2})"),
            ("u", r"([0-9A-Fa-f]{4})"),
            ("U", r"([0-9A-Fa-f]{8})"),
            ("0", r"([0-7]{0,2})"),
        ):
            if char == start:
                found = regex.compile(expression).match(self.text, self.place)
                if not found:
                    raise Untranslatable(f"\\{char}")
                self.place = found.end()
                return self._valid(int(found[1] or found.groups()[-1] or "0", 8 if char == "0" else 16))
        return None if char.isalnum() else ord(char)

    def _valid(self, point: int) -> int:
        if point > 0x10FFFF or 0xD800 <= point < 0xE000:
            raise Untranslatable(f"the character {point:#x}")
        return point

    def _class(self, char: str) -> tuple[str, bool]:
        """A class escape as the inside of a bracket, and whether it is negated."""
        is_negated = char in "SDWP"
        if char in "pP":
            name, flipped = self._property()
            is_negated ^= flipped
            if "i" in self.flags and name in ("Lu", "Ll", "Lt"):
                # What `regex` matches here depends on whether the class is repeated.
                raise Untranslatable(f"\\p{{{name}}} where case is ignored")
            if SHARED_PROPERTY.fullmatch(name):
                return f"\\p{{{name}}}", is_negated
            if not self.to_onig:
                raise Untranslatable(f"\\p{{{name}}}")
            return ranges(f"(?{'i' * ('i' in self.flags)}:\\p{{{name}}})"), is_negated
        if char == "h":
            return (ranges(r"\h"), False) if self.to_onig else ("0-9a-fA-F", False)
        if char in "wW":
            return (WORD_CLASS if self.to_onig else ONIG_WORD), is_negated
        return f"\\{char.lower()}", is_negated

    def _property(self) -> tuple[str, bool]:
        found = regex.compile(r"\{(\^?)([\w =:-]+)\}|([A-Z])").match(self.text, self.place)
        if not found:
            raise Untranslatable("\\p")
        self.place = found.end()
        return found[2] or found[3], bool(found[1])

    def _set(self) -> str:
        start = self.place - 1
        is_negated = self._takes("^")
        parts: list[str] = []
        is_first = True
        while is_first or not self._takes("]"):
            if self.place >= len(self.text):
                raise Untranslatable("an unclosed [")
            parts.append(self._set_item())
            is_first = False
        if "i" in self.flags and self.to_onig:
            return f"[{ranges('(?i:' + self.text[start : self.place] + ')')}]"
        return f"[{'^' * is_negated}{''.join(parts)}]"

    def _set_item(self) -> str:
        if self.text.startswith("[:", self.place):
            raise Untranslatable(self.text[self.place : self.place + 10])
        if not self.to_onig and self._takes("["):
            inner = self._set()
            if inner.startswith("[^"):
                raise Untranslatable("a negated class within a class")
            return inner[1:-1]
        if self.text.startswith("&&", self.place) and not self.to_onig:
            raise Untranslatable("&&")
        low = self._set_point()
        if isinstance(low, str):
            return low
        if self.text.startswith("-", self.place) and self.text[self.place + 1 : self.place + 2] not in ("]", ""):
            self.place += 1
            high = self._set_point()
            if isinstance(high, str) or high < low:
                raise Untranslatable("a range that ends in no character")
            return f"{self._set_code(low)}-{self._set_code(high)}"
        return self._set_code(low)

    def _set_point(self) -> int | str:
        char = self.text[self.place]
        self.place += 1
        if char != "\\":
            return ord(char)
        char = self._after_backslash()
        point = 8 if char == "b" else self._escaped_point(char)
        if point is not None:
            return point
        if char not in "sSdDwWpPh":
            raise Untranslatable(f"\\{char} in a class")
        inside, is_negated = self._class(char)
        if not is_negated:
            return inside
        if inside.startswith("\\p{") and inside.count("\\") == 1:
            return f"\\P{inside[2:]}"
        if len(inside) == 2:
            return inside.upper()
        if self.to_onig:
            return ranges(f"\\{char}" if char != "P" else self.text[self.text.rfind("\\", 0, self.place) : self.place])
        raise Untranslatable(f"\\{char} in a class")

    def _set_code(self, point: int) -> str:
        char = chr(point)
        if self.to_onig:
            return char if char.isalnum() or char in " '_/<>@,:;=!%▁" else f"\\x{{{point:x}}}"
        return f"\\{char}" if char in _SET_STOP else char

    def _repeated(self, atom: str, size_before: int) -> str:
        found = regex.compile(r"(?:[*+?]|\{(\d*)(,?)(\d*)\})").match(self.text, self.place)
        if not found or found[0] in ("{}", "{,}"):
            if (
                self.text.startswith("{", self.place)
                and self.to_onig
                and regex.match(r"\{[^}]*<", self.text[self.place :])
            ):
                raise Untranslatable("an approximate match")
            return atom
        self.place = found.end()
        self.n_varying += 1
        is_counted = found[0].startswith("{")
        if is_counted:
            n_times = max(int(n[:9]) for n in (found[1] or "0", found[3] or "0"))
            self.size = size_before + (self.size - size_before) * max(1, n_times)
            if self.size > MAX_SIZE:  # compiling writes counted repetitions out
                raise Untranslatable("repetitions of repetitions that add up to too much")
        times = f"{{{found[1] or 0}{found[2]}{found[3]}}}" if is_counted else found[0]
        how = next((mark for mark in "+?" if self._takes(mark)), "")
        if is_counted and how == "+":
            return f"(?>{atom}{times})" if self.to_onig else f"(?:{atom}{times})+"
        if is_counted and how == "?" and not found[2]:
            return f"{atom}{times}" if self.to_onig else f"(?:{atom}{times})?"
        return atom + times + how
