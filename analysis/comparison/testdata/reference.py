# SPDX-License-Identifier: GPL-2.0-only
"""Writes expected.json: the cases of the comparison's tests by scipy.

Made by: python3 reference.py > reference.json (scipy 1.10.1, numpy 1.24.2, as
Debian 12 has them). The samples are rules, so that the test makes them itself:
sample(n, step, modulus, low, tail) is (i*step mod modulus) + low, and tail more
for each i divisible by 97.

mann_whitney: scipy.stats.mannwhitneyu, asymptotic, with continuity correction.
quantiles: numpy.quantile, method inverted_cdf.
bootstrap: the distribution of the difference of two resampled quantiles,
without resampling: the r-th of n drawn with replacement is no more than the
k-th of the sample with probability scipy.stats.binom.sf(r-1, n, k/n). low and
high are its quantiles 0.025 and 0.975; the others bound those that 2000
resamples can give (four standard errors on either side).
"""
import json
import math

import numpy
import scipy
from scipy import stats


def sample(n, step, modulus, low, tail):
    return [i * step % modulus + low + (tail if i % 97 == 0 else 0) for i in range(n)]


CASES = {
    "same rule": ((1000, 37, 1009, 5000, 3000), (900, 41, 1013, 5000, 3000)),
    "small shift": ((500, 17, 499, 6000, 0), (500, 19, 503, 6040, 0)),
    "few values, many ties": ((200, 3, 5, 1, 0), (300, 3, 7, 1, 0)),
    "equal bulk, other tail": ((2000, 53, 2003, 5000, 100), (2000, 59, 2011, 5000, 90000)),
    "one far above": ((400, 7, 401, 5000, 500), (300, 11, 307, 9000, 500)),
    "small": ((12, 7, 53, 100, 0), (9, 11, 53, 120, 0)),
    "b below a": ((700, 13, 701, 7000, 2000), (800, 29, 809, 6500, 40000)),
}


def rank(q, n):
    return max(1, math.ceil(q * n))


def resampled(v, q):
    """Distinct values and the probability of each to be the quantile q."""
    v, n = sorted(v), len(v)
    below = [0.0] + [float(stats.binom.sf(rank(q, n) - 1, n, k / n)) for k in range(1, n + 1)]
    mass = {}
    for k in range(n):
        mass[v[k]] = mass.get(v[k], 0.0) + below[k + 1] - below[k]
    return numpy.array(list(mass)), numpy.array(list(mass.values()))


def bootstrap(a, b, q):
    (x, px), (y, py) = resampled(a, q), resampled(b, q)
    d = numpy.subtract.outer(y, x).ravel()
    p = numpy.multiply.outer(py, px).ravel()
    order = numpy.argsort(d, kind="stable")
    d, c = d[order], numpy.cumsum(p[order])
    off = 4 * math.sqrt(0.025 * 0.975 / 2000)

    def at(t):
        return int(d[min(numpy.searchsorted(c, t), len(d) - 1)])

    return {
        "low": at(0.025), "low_from": at(0.025 - off), "low_to": at(0.025 + off),
        "high": at(0.975), "high_from": at(0.975 - off), "high_to": at(0.975 + off),
    }


out = []
for name, (ra, rb) in CASES.items():
    a, b = sample(*ra), sample(*rb)
    w = stats.mannwhitneyu(a, b, use_continuity=True, method="asymptotic")
    case = {"name": name, "a": ra, "b": rb, "u": float(w.statistic), "p": float(w.pvalue), "figures": []}
    for q in (0.5, 0.99, 0.999, 1.0):
        qa = int(numpy.quantile(a, q, method="inverted_cdf"))
        qb = int(numpy.quantile(b, q, method="inverted_cdf"))
        case["figures"].append({"q": q, "a": qa, "b": qb, **bootstrap(a, b, q)})
    out.append(case)
print(json.dumps({"scipy": scipy.__version__, "numpy": numpy.__version__, "cases": out}, indent=1))
