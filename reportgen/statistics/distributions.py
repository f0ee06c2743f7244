"""Values and chances of the normal distribution, without the time that importing SciPy takes."""

from __future__ import annotations

import math
from functools import reduce

# The rational approximations of ndtri in Moshier's Cephes library, which SciPy uses as well.
_CENTRAL_COEFFICIENTS = (
    (
        *(-59.9633501014107895267, 98.0010754185999661536, -56.6762857469070293439),
        *(13.9312609387279679503, -1.23916583867381258016),
    ),
    (
        *(1.0, 1.95448858338141759834, 4.67627912898881538453, 86.3602421390890590575),
        *(-225.462687854119370527, 200.260212380060660359, -82.0372256168333339912),
        *(15.9056225126211695515, -1.18331621121330003142),
    ),
)
_TAIL_COEFFICIENTS = (
    (
        *(4.05544892305962419923, 31.5251094599893866154, 57.1628192246421288162),
        *(44.0805073893200834700, 14.6849561928858024014, 2.18663306850790267539),
        *(-0.140256079171354495875, -0.0350424626827848203418, -8.57456785154685413611e-4),
    ),
    (
        *(1.0, 15.7799883256466749731, 45.3907635128879210584, 41.3172038254672030440),
        *(15.0425385692907503408, 2.50464946208309415979, -0.142182922854787788574),
        *(-0.0380806407691578277194, -9.33259480895457427372e-4),
    ),
)
_FAR_TAIL_COEFFICIENTS = (
    (
        *(3.23774891776946035970, 6.91522889068984211695, 3.93881025292474443415),
        *(1.33303460815807542389, 0.201485389549179081538, 0.0123716634817820021358),
        *(3.01581553508235416007e-4, 2.65806974686737550832e-6, 6.23974539184983293730e-9),
    ),
    (
        *(1.0, 6.02427039364742014255, 3.67983563856160859403, 1.37702099489081330271),
        *(0.216236993594496635890, 0.0134204006088543189037, 3.28014464682127739104e-4),
        *(2.89247864745380683936e-6, 6.79019408009981274425e-9),
    ),
)
_TAIL_PROBABILITY = 0.13533528323661269189  # e⁻²: where the approximation changes
_FAR_TAIL_START = 8.0
_SQRT_TWO_PI = 2.50662827463100050242


def critical_z(level: float) -> float:
    """Return z, which a normal value stays within (−z to z) with the probability `level`."""
    return norm_ppf((1 + level) / 2)


def norm_ppf(probability: float) -> float:
    """Return the value that a standard normal variable is below with the probability `share`."""
    if probability in {0.0, 1.0}:
        return math.copysign(math.inf, probability - 0.5)
    upper = probability > 1 - _TAIL_PROBABILITY
    below = 1 - probability if upper else probability
    if below > _TAIL_PROBABILITY:
        y = below - 0.5
        return _SQRT_TWO_PI * (y + y * _rational_polynomial(_CENTRAL_COEFFICIENTS, y * y))
    x = math.sqrt(-2 * math.log(below))
    value = (
        x
        - math.log(x) / x
        - _rational_polynomial(
            _TAIL_COEFFICIENTS if x < _FAR_TAIL_START else _FAR_TAIL_COEFFICIENTS, 1 / x
        )
    )
    return value if upper else -value


def chi2_sf(statistic: float) -> float:
    """Return the chance that chi-square with one degree of freedom is larger."""
    return math.erfc(math.sqrt(statistic / 2))


def chi2_isf(alpha: float) -> float:
    """Return what chi-square with one degree of freedom exceeds with the chance `alpha`."""
    return norm_ppf(alpha / 2) ** 2


def _rational_polynomial(
    polynomials: tuple[tuple[float, ...], tuple[float, ...]], x: float
) -> float:
    """Return x times one polynomial by another, both of x."""
    above, below = (reduce(lambda sum_, next_: sum_ * x + next_, each) for each in polynomials)
    return x * above / below
