"""same-loss.py TOLERANCE FILE FILE: whether `vernier evaluate` printed the same."""
import sys

tolerance = float(sys.argv[1])
losses = [float(line.split()[1]) for name in sys.argv[2:] for line in open(name) if line.startswith("loss ")]
if len(losses) != len(sys.argv) - 2:
    sys.exit(f"expected a loss in each of {sys.argv[2:]}")
for loss in losses[1:]:
    difference = abs(loss / losses[0] - 1)
    if not difference <= tolerance:
        sys.exit(f"{losses[0]} and {loss} differ by {difference:.1e}, more than {tolerance}")
