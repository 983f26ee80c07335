#!/usr/bin/env python3
"""Prints the polynomials of lib/CPU/ExpandMath*.cpp.

Remez exchange with a weight; coefficients are rounded to f32 one after the
other, from the lowest order, and the rest is fitted again each time. Needs
mpmath and some minutes. Usage: tools/dev/minimax.py
"""
from mpmath import atanh, erf, erfc, exp, linspace, log, lu_solve, matrix, mp, mpf, pi, sqrt, tanh
import struct

mp.dps = 40


def to_f32(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def solve(target, basis, weight, points):
    """Coefficients and levelled error with alternating error at `points`."""
    n = len(basis)
    a = matrix(n + 1, n + 1)
    b = matrix(n + 1, 1)
    for i, x in enumerate(points):
        for k in range(n):
            a[i, k] = basis[k](x)
        a[i, n] = (-1) ** i / weight(x)
        b[i] = target(x)
    solution = lu_solve(a, b)
    return [solution[k] for k in range(n)], solution[n]


def remez(target, basis, weight, low, high, iterations=12):
    n = len(basis)
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(pi * (i + mpf("0.013")) / n)
              for i in range(n + 1)]
    grid = linspace(low, high, 1500)
    for _ in range(iterations):
        coefficients, _ = solve(target, basis, weight, points)
        error = lambda x: weight(x) * (target(x) -
                                       sum(c * f(x) for c, f in zip(coefficients, basis)))
        values = [error(x) for x in grid]
        # The extremum of each stretch of one sign.
        extrema = []
        for x, v in zip(grid, values):
            if extrema and (extrema[-1][1] > 0) == (v > 0):
                if abs(v) > abs(extrema[-1][1]):
                    extrema[-1] = (x, v)
            else:
                extrema.append((x, v))
        while len(extrema) > n + 1:
            extrema.pop(0 if abs(extrema[0][1]) < abs(extrema[-1][1]) else -1)
        if len(extrema) < n + 1:
            break
        points = [x for x, _ in extrema]
    return coefficients, max(abs(v) for v in values)


def fit(name, target, powers, weight, low, high):
    """target ~ sum c_k x^powers[k], with coefficients in f32."""
    fixed = {}
    for power in powers:
        rest = [p for p in powers if p not in fixed]
        basis = [lambda x, p=p: x ** p for p in rest]
        remaining = lambda x: target(x) - sum(c * x ** p for p, c in fixed.items())
        coefficients, error = remez(remaining, basis, weight, mpf(low), mpf(high))
        fixed[power] = to_f32(coefficients[0])
    grid = linspace(mpf(low), mpf(high), 3000)
    error = max(abs(weight(x) * (target(x) - sum(c * x ** p for p, c in fixed.items())))
                for x in grid)
    print(f"{name}: weighted error {mp.nstr(error, 3)}")
    print("   ", ", ".join(float(fixed[p]).hex() for p in powers))


def main():
    # exp(r) = 1 + r + r^2 q(r), |r| <= ln(2) / 2 and some rounding.
    half = log(2) / 2 * mpf("1.0002")
    fit("exp q(r)", lambda r: (exp(r) - 1 - r) / r ** 2 if r else mpf(1) / 2, range(0, 5),
        lambda r: r ** 2 / exp(r), -half, half)
    # log(1 + f) = 2 atanh(s) = 2 s + s z q(z) with s = f / (2 + f) and z = s^2,
    # 1 + f from sqrt(1/2) to sqrt(2).
    fit("log q(z)", lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z if z else mpf(2) / 3,
        range(0, 4), lambda z: z * sqrt(z) / (2 * atanh(sqrt(z))) if z else mpf(0), 0,
        mpf("0.0296"))
    # tanh(x) = x + x^3 q(x^2), |x| <= 0.6; q in powers of s = x^2.
    fit("tanh q(s)",
        lambda s: (tanh(sqrt(s)) / sqrt(s) - 1) / s if s else -mpf(1) / 3, range(0, 5),
        lambda s: s * sqrt(s) / tanh(sqrt(s)) if s else mpf(0), 0, mpf("0.36"))
    # erf(x) = x + x q(x^2), |x| <= 1; q in powers of s = x^2.
    fit("erf q(s)", lambda s: erf(sqrt(s)) / sqrt(s) - 1 if s else 2 / sqrt(pi) - 1,
        range(0, 7), lambda s: sqrt(s) / erf(sqrt(s)) if s else sqrt(pi) / 2, 0, 1)
    # erf(x) = 1 - exp(-x q(x)), 1 <= x <= 3.95; errors of q count by erfc(x).
    fit("erf tail q(x)", lambda x: -log(erfc(x)) / x, range(0, 7),
        lambda x: x * erfc(x) / erf(x), 1, mpf("3.95"))


if __name__ == "__main__":
    main()
