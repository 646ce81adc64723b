"""The range of numbers over which the engines are tested against each other, edges included.

A mean, a value, a floor or a parameter is exactly 0, or at least SMALLEST. Below it products and
quotients of such numbers would underflow or overflow.
"""

from numbers import Real

SMALLEST = 1e-12
# Means, values and floors end at 1; a parameter of a policy that has no other bound ends here.
LARGEST = 1e12


def supported(number: float) -> bool:
    return number == 0 or SMALLEST <= abs(number) <= LARGEST


def proper(number: object) -> bool:
    """A supported number that is not a bool."""
    is_number = isinstance(number, Real) and not isinstance(number, bool)
    return is_number and supported(number)  # type: ignore[arg-type]
