"""Mutations of files: bits, chunks, lines and values that parsers treat specially."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    Mutation = Callable[[Random, bytes], bytes]

MAX_MUTATIONS = 4
MAX_REPEATS = 40
# Values that parsers treat specially, and text that must not reach a page or a terminal as it is.
TOKENS: tuple[bytes, ...] = (
    *(b"", b"0", b"1", b"-1", b"0.5", b"1e400", b"-0.0", b"nan", b"NaN", b"inf", b"-Infinity"),
    *(b"null", b"None", b"NA", b"true", b"False", b"9223372036854775808", b"1_000", b"0x10"),
    *(b"9" * 400, b"0." + b"3" * 400, b"1,5", b"50%", b"007", b"1.0", b" yes", b"YES", b"yes"),
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x1b[31m", b"\x9b", b"\r", b"\n"),
    *(
        "\u202e".encode(),
        "\u2028".encode(),
        "é".encode(),
        "e\u0301".encode(),
        "\U0001f600".encode(),
    ),
    *(b'"', b"''", b'""', b"'", b"\\", b",", b";", b"\t", b"[", b"]", b"{", b"}", b"=", b"#", b"."),
    *(b"<script>", b"=cmd()", b"{{ 7*7 }}", b"{% raw %}", b"../..", b"%00", b"a" * 3000),
    *(b"[" * 300, b'{"a":' * 300, b"2026-02-30", b"12:61:00", b"[[1, 2], [3, 4]]", b"[]", b"{}"),
)


def mutate(rng: Random, content: bytes, words: Sequence[bytes] = ()) -> bytes:
    """Return the content after one to four mutations; `words` are values of its format."""
    tokens = (*TOKENS, *words)
    mutations: tuple[Mutation, ...] = (
        _flip_bit,
        _delete_chunk,
        _repeat_chunk,
        _move_chunk,
        _truncate,
        _repeat_line,
        _delete_line,
        _swap_fields,
        lambda rng, content: _insert(rng, content, tokens),
        lambda rng, content: _replace_word(rng, content, tokens),
        lambda rng, content: _replace_word(rng, content, tokens),
        lambda rng, content: _replace_word(rng, content, tokens),
    )
    for _ in range(rng.randint(1, MAX_MUTATIONS)):
        content = rng.choice(mutations)(rng, content)
    return content


def _span(rng: Random, content: bytes, longest: int = 64) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.randint(1, longest))


def _flip_bit(rng: Random, content: bytes) -> bytes:
    if not content:
        return content
    changed = bytearray(content)
    changed[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _delete_chunk(rng: Random, content: bytes) -> bytes:
    start, end = _span(rng, content)
    return content[:start] + content[end:]


def _repeat_chunk(rng: Random, content: bytes) -> bytes:
    start, end = _span(rng, content)
    return content[:end] + content[start:end] * rng.randint(1, MAX_REPEATS) + content[end:]


def _move_chunk(rng: Random, content: bytes) -> bytes:
    start, end = _span(rng, content)
    rest = content[:start] + content[end:]
    place = rng.randrange(len(rest) + 1)
    return rest[:place] + content[start:end] + rest[place:]


def _truncate(rng: Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _repeat_line(rng: Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    index = rng.randrange(len(lines))
    return b"\n".join([*lines[:index], *[lines[index]] * rng.randint(2, 4), *lines[index + 1 :]])


def _delete_line(rng: Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


def _swap_fields(rng: Random, content: bytes) -> bytes:
    """Swap two values, so that the file is well-formed and its content is another one."""
    (first, first_end), (second, second_end) = sorted(_word(rng, content) for _ in range(2))
    if first_end > second:
        return content
    return (
        content[:first]
        + content[second:second_end]
        + content[first_end:second]
        + content[first:first_end]
        + content[second_end:]
    )


def _insert(rng: Random, content: bytes, tokens: Sequence[bytes]) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(tokens) + content[place:]


def _replace_word(rng: Random, content: bytes, tokens: Sequence[bytes]) -> bytes:
    start, end = _word(rng, content)
    return content[:start] + rng.choice(tokens) + content[end:]


def _word(rng: Random, content: bytes) -> tuple[int, int]:
    """Return the span of the letters and digits around a random place."""
    start = end = rng.randrange(len(content) + 1)
    while start > 0 and _is_word_byte(content[start - 1]):
        start -= 1
    while end < len(content) and _is_word_byte(content[end]):
        end += 1
    return start, end


def _is_word_byte(byte: int) -> bool:
    return chr(byte).isalnum() or byte in b"._-"
