"""Loss curves with bands, as SVG."""
import math
from xml.sax.saxutils import escape

from table import mean, standard_error

WIDTH, HEIGHT = 860, 360  # of a panel with its margins
LEFT, RIGHT, TOP, BOTTOM = 70, 130, 36, 46
# Okabe and Ito's colours, which colour-blind readers tell apart, and three shades.
COLORS = ["#000000", "#d55e00", "#56b4e9", "#009e73", "#cc79a7", "#8c510a", "#e69f00", "#7f7f7f", "#984ea3",
          "#0072b2"]


def bin_losses(losses, steps, bins):
    """The mean loss of each of `bins` stretches of the steps 1 to `steps`."""
    edges = [round(i * steps / bins) for i in range(bins + 1)]
    return [mean([losses[s] for s in range(a + 1, b + 1)]) for a, b in zip(edges, edges[1:]) if b > a]


def make_curve(series):
    """[(middle, half width)] of curves of several seeds: mean and standard error at each point."""
    return [(mean(column), standard_error(column) or 0.0) for column in zip(*series)]


def nice_ticks(low, high, count=8):
    """Round numbers from low to high, about `count`."""
    if high <= low:
        high = low + (abs(low) or 1) * 1e-3
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, int(math.floor(high / step + 1e-9)) + 1)]


class Panel:
    """A coordinate system with its axes, below `offset` pixels."""

    def __init__(self, offset, title, x_label, y_label, x_range, y_range):
        self.offset, self.x_range, self.y_range = offset, x_range, y_range
        bottom, right = offset + HEIGHT - BOTTOM, WIDTH - RIGHT
        self.parts = [f'<clipPath id="inside{offset}"><rect x="{LEFT}" y="{offset + TOP}" width="{right - LEFT}" '
                      f'height="{bottom - offset - TOP}"/></clipPath>',
                      f'<text x="{LEFT}" y="{offset + 20}" font-weight="bold">{escape(title)}</text>']
        for tick in nice_ticks(*x_range):
            x = self.x(tick)
            self.parts.append(f'<line x1="{x:.1f}" y1="{offset + TOP}" x2="{x:.1f}" y2="{bottom}" class="grid"/>')
            self.text(x, bottom + 16, f"{tick:g}", "middle")
        for tick in nice_ticks(*y_range):
            y = self.y(tick)
            self.parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" class="grid"/>')
            self.text(LEFT - 6, y + 4, f"{tick:.6g}", "end")
        self.text((LEFT + right) / 2, bottom + 36, x_label, "middle")
        middle = (offset + TOP + bottom) / 2
        self.parts.append(f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">'
                          f'{escape(y_label)}</text>')

    def text(self, x, y, text, anchor):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>')

    def x(self, value):
        low, high = self.x_range
        return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        low, high = self.y_range
        return self.offset + HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def curve(self, xs, curve, color):
        line = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, (y, _) in zip(xs, curve))
        upper = [f"{self.x(x):.1f},{self.y(y + e):.1f}" for x, (y, e) in zip(xs, curve)]
        lower = [f"{self.x(x):.1f},{self.y(y - e):.1f}" for x, (y, e) in zip(xs, curve)]
        clip = f'clip-path="url(#inside{self.offset})"'
        self.parts.append(f'<polygon points="{" ".join(upper + lower[::-1])}" fill="{color}" fill-opacity="0.15" '
                          f'{clip}/>')
        self.parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.5" {clip}/>')

    def legend(self, names):
        for row, (name, color) in enumerate(names):
            y = self.offset + TOP + 8 + 18 * row
            x = WIDTH - RIGHT + 12
            self.parts.append(f'<line x1="{x}" y1="{y}" x2="{x + 20}" y2="{y}" stroke="{color}" stroke-width="3"/>')
            self.text(x + 26, y + 4, name, "start")


def y_range(curves, skip):
    """From the least to the greatest value, bands included, without the first `skip` points."""
    values = [v for curve in curves for y, e in curve[skip:] for v in (y - e, y + e)]
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 1e-3
    return low - margin, high + margin


def draw(runs, steps, tokens_per_step, bins=60):
    """The SVG of {variant: {seed: Metrics}}: training loss, and its difference to the baseline's at equal seeds."""
    bins = min(bins, steps)
    binned = {v: {seed: bin_losses(m.losses, steps, bins) for seed, m in by_seed.items()}
              for v, by_seed in runs.items()}
    count = len(next(iter(next(iter(binned.values())).values())))
    xs = [(i + 0.5) * steps / count * tokens_per_step / 1e6 for i in range(count)]
    x_range = (0, steps * tokens_per_step / 1e6)
    skip = count // 5  # the fall of the first steps would flatten all that comes after
    colors = dict(zip(runs, COLORS))
    curves = {v: make_curve(list(by_seed.values())) for v, by_seed in binned.items()}
    panels = [Panel(0, "Training loss: mean over seeds, band of one standard error", "tokens (millions)",
                    "nats per token", x_range, y_range(curves.values(), skip))]
    for variant, curve in curves.items():
        panels[0].curve(xs, curve, colors[variant])
    panels[0].legend(list(colors.items()))

    base = binned.get("baseline", {})
    differences = {}
    for variant, by_seed in binned.items():
        shared = sorted(by_seed.keys() & base.keys())
        if shared and variant != "baseline":
            differences[variant] = make_curve([[a - b for a, b in zip(by_seed[s], base[s])] for s in shared])
    if differences:
        panels.append(Panel(HEIGHT, "The same minus the baseline's, at equal seeds and batches", "tokens (millions)",
                            "difference in nats per token", x_range, y_range(differences.values(), skip)))
        for variant, curve in differences.items():
            panels[1].curve(xs, curve, colors[variant])
        panels[1].legend([(v, colors[v]) for v in differences])
    height = HEIGHT * len(panels)
    body = "\n".join(part for panel in panels for part in panel.parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">\n'
            "<style>.grid { stroke: #dddddd; stroke-width: 1 }</style>\n"
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n{body}\n</svg>\n')
