"""Draws a table of a results page as an SVG: one group of bars a row, one bar a column of numbers.

python3 bench/result_chart.py docs/results/tan-2007.md "multiples of RNS" docs/images/tan-2007.svg
python3 bench/result_chart.py docs/results/tan-2010.md "at the full scale" docs/images/tan-2010.svg

The table is the first one under the heading that contains the given words. Its first column has the names. Of the
others those are drawn that are named, or else all whose cells are numbers or empty. "0.165 (0.147 to 0.184)" is a
number with its interval.
Standard library alone: the chart of a page can be drawn again by whoever changes a number.
"""
import html
import re
import sys

COLOURS = ["#6d767d", "#0072b2", "#d55e00", "#009e73", "#b8558f"]
NUMBER = re.compile(r"^\D{0,9}?(-?\d*\.?\d+)(?: \((-?[\d.]+) to (-?[\d.]+)\))?$")
LEFT, TOP, HEIGHT, WIDTH = 46, 34, 220, 660


def table(page, words):
    """The head and the rows of the first table under the heading."""
    lines = page.splitlines()
    heads = [n for n, line in enumerate(lines) if line.startswith("#") and words.lower() in line.lower()]
    if not heads:
        sys.exit(f"no heading contains {words!r}")
    start = next((n for n in range(heads[0], len(lines)) if lines[n].startswith("|")), None)
    if start is None:
        sys.exit(f"there is no table under {words!r}")
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().replace("*", "").replace("`", "") for cell in line.strip("|").split("|")])
    return rows[0], rows[2:]


def number(cell):
    """A number with its interval; None for an empty cell; False for anything else."""
    if cell in ("", "–", "not run"):
        return None
    found = NUMBER.match(cell.replace("−", "-"))
    return tuple(float(part) if part else None for part in found.groups()) if found else False


def chart(head, rows, names):
    columns = [n for n in range(1, len(head)) if not names or head[n] in names]
    columns = [n for n in columns if all(number(row[n]) is not False for row in rows)]
    columns = [n for n in columns if any(number(row[n]) for row in rows)]
    if not columns:
        sys.exit("no column has only numbers")
    values = [[number(row[n]) for n in columns] for row in rows]
    top = max(part for row in values for value in row if value for part in value if part is not None)
    step = next(step for step in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20) if top / step <= 6)
    top = step * (int(top / step) + 1)
    y = lambda value: TOP + HEIGHT * (1 - value / top)
    group = (WIDTH - LEFT - 10) / len(rows)
    bar = group * 0.8 / len(columns)
    size = 12 if group > 60 else 10
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {TOP + HEIGHT + 48}" '
        'font-family="system-ui,sans-serif" font-size="12" fill="#4a535a">',
        f'<rect width="{WIDTH}" height="{TOP + HEIGHT + 48}" fill="#fdfcfa"/>',
    ]
    for place, column in enumerate(columns):
        # Letters are about six wide.
        x = LEFT + sum(34 + 6 * len(head[before]) for before in columns[:place])
        out.append(f'<rect x="{x}" y="10" width="11" height="11" fill="{COLOURS[place % 5]}"/>')
        out.append(f'<text x="{x + 16}" y="20">{html.escape(head[column])}</text>')
    for tick in range(int(round(top / step)) + 1):
        at = y(tick * step)
        out.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - 10}" stroke="#dcd9d2"/>')
        out.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{tick * step:g}</text>')
    for number_of_row, (row, cells) in enumerate(zip(rows, values)):
        x = LEFT + number_of_row * group + group * 0.1
        middle = x + group * 0.4
        for line, word in enumerate(row[0].split(",")[0].split()[:3]):
            below = TOP + HEIGHT + 16 + 13 * line
            out.append(f'<text x="{middle:.1f}" y="{below}" font-size="{size}" text-anchor="middle">{html.escape(word)}</text>')
        for place, value in enumerate(cells):
            if not value:
                continue
            left, (mean, low, high) = x + place * bar, value
            out.append(
                f'<rect x="{left:.1f}" y="{y(mean):.1f}" width="{bar * 0.92:.1f}" '
                f'height="{TOP + HEIGHT - y(mean):.1f}" fill="{COLOURS[place % 5]}"/>'
            )
            if low is not None:
                at = left + bar * 0.46
                out.append(f'<path d="M{at:.1f} {y(low):.1f}V{y(high):.1f}" stroke="#1d2226" stroke-width="1.5"/>')
    return "\n".join(out + ["</svg>", ""])


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    page, words, to, *names = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        head, rows = table(file.read(), words)
    with open(to, "w", encoding="utf-8") as file:
        file.write(chart(head, rows, names))


if __name__ == "__main__":
    main()
