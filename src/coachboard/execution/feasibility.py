"""Feasibility of a planned workout: W' balance over its steps, and the step at which it reaches zero."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coachboard.execution.structure import FlatStep, step_duration_s
from coachboard.execution.work_steps import is_work
from coachboard.formulas.session.w_balance import w_balance


@dataclass(frozen=True, slots=True)
class Feasibility:
    """The lowest W' balance of a plan and the step where it occurs or first falls to zero."""

    lowest_j: float
    lowest_share: float  # of W'
    step: FlatStep
    is_feasible: bool
    repetitions: int = 0  # work steps of the plan
    fitting: int = 0  # work steps that end while W' is left

    @property
    def repetition(self) -> tuple[int, int] | None:
        """The place of the step among the repetitions; None if it is not one of a single series."""
        match self.step.repeats:
            case ((turn, of),) if of == self.repetitions and is_work(self.step):
                return turn, of
        return None


REST_SHARE = 0.5
"""Share of critical power of a step without a power target: easy spinning; a choice of this project."""


def feasibility(
    steps: Sequence[FlatStep],
    *,
    critical_power_w: float,
    w_prime_j: float,
    free_duration_s: float | None = None,
) -> Feasibility | None:
    """Whether holding the middle of each target would empty W'.

    Parameters
    ----------
    steps : sequence of FlatStep
        The unrolled workout, targets in W.
    critical_power_w : float
        Critical power. [W]
    w_prime_j : float
        Work capacity above it. [J]
    free_duration_s : float, optional
        Assumed for steps of open end. [s]

    Returns
    -------
    Feasibility or None
        None where no step names a power, or there is no step.

    Notes
    -----
    The differential W' balance at 1 Hz (Skiba 2015). A step without a power target counts as
    50 % of critical power. A plan is feasible while the balance stays above zero. A repetition (a step that is
    scored as work) fits if it ends before the balance is zero.

    *Worked example*: critical power 250 W, W' 20 kJ; 120 s at 400 W use (400 - 250) W x 120 s = 18 kJ; 2 kJ are left.

    *Missing data*: a step without a power target counts as 50 % of critical power; no answer if no step has one.

    References
    ----------
    Skiba et al. (2015), Med Sci Sports Exerc 47:2433, doi:10.1249/MSS.0000000000000226.

    Examples
    --------
    >>> from coachboard.execution.structure import Target
    >>> from coachboard.wire.enums import StepLabel
    >>> step = FlatStep(0, (), StepLabel.ACTIVE, None, None, 120.0, None, Target(400, 400), None, None, None)
    >>> found = feasibility([step], critical_power_w=250, w_prime_j=20_000)
    >>> found.is_feasible, round(found.lowest_j / 1000, 1)
    (True, 2.0)
    """
    powers = [step.power_w.middle if step.power_w else None for step in steps]
    if not any(power is not None for power in powers):
        return None
    seconds = [max(round(step_duration_s(step, free_duration_s=free_duration_s)), 1) for step in steps]
    held = [critical_power_w * REST_SHARE if power is None else power for power in powers]
    balance = w_balance(
        np.repeat(np.asarray(held, dtype=np.float64), seconds),
        critical_power_w=critical_power_w,
        w_prime_j=w_prime_j,
    )
    empty = np.flatnonzero(balance <= 0)
    lowest_at_s = int(empty[0]) if len(empty) else int(np.argmin(balance))
    lowest_step = steps[int(np.searchsorted(np.cumsum(seconds), lowest_at_s, side="right"))]
    lowest = float(balance.min())
    ends = np.cumsum(seconds)
    work_ends = [int(end) for end, step in zip(ends, steps, strict=True) if is_work(step)]
    return Feasibility(
        lowest_j=lowest,
        lowest_share=lowest / w_prime_j,
        step=lowest_step,
        is_feasible=not len(empty),
        repetitions=len(work_ends),
        fitting=sum(end <= lowest_at_s for end in work_ends) if len(empty) else len(work_ends),
    )
