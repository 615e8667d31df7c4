"""readers.py PROGRAM - every QR code is read back by zbar, from SVG (drawn by rsvg) and from PNG.

PROGRAM is readers.c. All 40 versions at all 4 levels, each filled to its last byte; one byte more
must take the next version, and after version 40 be refused. Prints TAP: one line a code.
"""

import json
import os
import string
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Data codewords of versions 1 to 40 (ISO/IEC 18004 table 7).
CODEWORDS = {
    "L": [19, 34, 55, 80, 108, 136, 156, 194, 232, 274, 324, 370, 428, 461, 523, 589, 647, 721, 795, 861,
          932, 1006, 1094, 1174, 1276, 1370, 1468, 1531, 1631, 1735, 1843, 1955, 2071, 2191, 2306, 2434,
          2566, 2702, 2812, 2956],
    "M": [16, 28, 44, 64, 86, 108, 124, 154, 182, 216, 254, 290, 334, 365, 415, 453, 507, 563, 627, 669,
          714, 782, 860, 914, 1000, 1062, 1128, 1193, 1267, 1373, 1455, 1541, 1631, 1725, 1812, 1914, 1992,
          2102, 2216, 2334],
    "Q": [13, 22, 34, 48, 62, 76, 88, 110, 132, 154, 180, 206, 244, 261, 295, 325, 367, 397, 445, 485, 512,
          568, 614, 664, 718, 754, 808, 871, 911, 985, 1033, 1115, 1171, 1231, 1286, 1354, 1426, 1502, 1582,
          1666],
    "H": [9, 16, 26, 36, 46, 60, 66, 86, 100, 122, 140, 158, 180, 197, 223, 253, 283, 313, 341, 385, 406,
          442, 464, 514, 538, 596, 628, 661, 701, 745, 793, 845, 901, 961, 986, 1054, 1096, 1142, 1222, 1276],
}
LARGEST = {  # of version 40: digits, capital letters and digits
    "L": (7089, 4296), "M": (5596, 3391), "Q": (3993, 2420), "H": (3057, 1852)}

SAMPLES = ["é", "ñandú café", "Grüße aus Köln", "Привет, мир", "こんにちは世界", "漢字", "你好", "안녕하세요",
           "שלום", "مرحبا", "नमस्ते", "สวัสดี", "Γειά", "🎉👩‍👩‍👧", "a\nb\r\nc\td", " blanks ", "\\\"'<&>;:",
           "HTTP://EXAMPLE.COM/A1", "12345", "0", "a", "123abcABC123456789", "\u0001\u007f", "\U0010ffff",
           "WIFI:T:WPA;S:home;P:secret;;", "é" * 1475]


def bytes_of(version, level):
    count_bits = 8 if version <= 9 else 16
    return (CODEWORDS[level][version - 1] * 8 - 4 - count_bits) // 8


def letters(count):
    return (string.ascii_lowercase * (count // 26 + 1))[:count]


def cases():
    """(title, text, error correction or None, wanted version or None or 0 for refused)."""
    for level in "LMQH":
        for version in range(1, 41):
            most = bytes_of(version, level)
            yield f"{version}-{level} full", letters(most), level, version
        yield f"{level} one byte too much", letters(bytes_of(40, level) + 1), level, 0
        digits, capitals = LARGEST[level]
        yield f"{level} most digits", "7" * digits, level, 40
        yield f"{level} one digit too much", "7" * (digits + 1), level, 0
        yield f"{level} most capitals", "A" * capitals, level, 40
        yield f"{level} one capital too much", "A" * (capitals + 1), level, 0
        for version in range(1, 40):
            yield f"{version}-{level} overflows", letters(bytes_of(version, level) + 1), level, version + 1
    yield "falls back to L", letters(2332), None, 36
    yield "nothing fits by default", letters(2954), None, 0
    yield "beyond ASCII two bytes less", "é" * 1476, "L", 40
    yield "beyond ASCII does not fit", "é" * 1476 + "a", "L", 0
    yield "with NUL", "a\0b", None, 1
    for text in SAMPLES:
        yield f"sample {text[:12]!r}", text, None, None


def requests(cases):
    """Two images a case, SVG and PNG, at 2 pixels a module."""
    for _, text, level, version in cases:
        size = 2 * (17 + 4 * (version or 40) + 8)
        for image in ("svg", "png"):
            yield {"text": text, "size": size, "format": image} | ({"ecc": level} if level else {})


def answers(program, folder, wanted):
    # the program reads 'single quotes' as double ones
    lines = "".join(json.dumps(request).replace("'", "\\u0027") + "\n" for request in wanted)
    done = subprocess.run([program, folder], input=lines, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def read_back(image, is_binary):
    """The bytes that zbar reads; without -Sbinary it honours ECI and ends with a line feed."""
    how = ["-Sbinary", "--oneshot"] if is_binary else []
    done = subprocess.run(["zbarimg", "--nodbus", "-q", "--raw", "-Sdisable", "-Sqrcode.enable", *how, image],
                          stdout=subprocess.PIPE, check=False)
    return done.stdout if is_binary else done.stdout[:-1]


def draw(svg):
    png = svg.with_suffix(".png")
    subprocess.run(["rsvg-convert", "-o", png, svg], check=True)
    return png


def problem_of(case, pair, images):
    """What is wrong with the SVG and the PNG of a case; None when nothing is."""
    _, text, level, version = case
    if version == 0:
        refused = all(answer.get("code") == "capacity_exceeded" for answer in pair)
        return None if refused else f"not refused: {pair}"
    for answer, image, drawn in zip(pair, images, (draw, lambda png: png)):
        if version not in (None, answer.get("version")) or level not in (None, answer.get("level")):
            return f"wanted version {version} level {level}, got {answer}"
        got = read_back(drawn(image), "\0" in text)
        if got != text.encode():
            return f"{image.name} was read as {got[:60]!r}"
    return None


def main():
    program = sys.argv[1]
    every = list(cases())
    failed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        got = answers(program, folder, list(requests(every)))
        images = [Path(folder) / str(number) for number in range(len(got))]
        pairs = [(case, got[2 * n:2 * n + 2], images[2 * n:2 * n + 2]) for n, case in enumerate(every)]
        for number, problem in enumerate(pool.map(lambda job: problem_of(*job), pairs), 1):
            title = every[number - 1][0]
            failed += problem is not None
            print(f"not ok {number} {title}: {problem}" if problem else f"ok {number} {title}")
    print(f"1..{len(every)}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
