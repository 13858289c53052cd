"""Sessions to compute, one of each kind that the tests look at."""

from dataclasses import replace

from coachboard_demo.outing import swum
from coachboard_demo.session import Body, DonePart, SimulatedSession, Swum
from coachboard_demo.squad import ANNECY, EVERYTHING, GIRONA

BODY = Body(power_w=270.0, w_prime_j=20_000, speed_mps=4.2, hr_max=188, hr_rest=48, mass_kg=70.0)
INTERVALS = (
    DonePart(900, 0.55, 0.0, "warm up"),
    *(DonePart(240, 1.1, 0.0, "active"), DonePart(180, 0.5, 0.0, "intra-recovery")) * 5,
    *(DonePart(600, 0.66), DonePart(480, 0.6), DonePart(720, 0.7)) * 2,
    DonePart(600, 0.5, 0.0, "cool down"),
)

RIDE = SimulatedSession(
    seed=123,
    practice="road",
    started_s=1_770_000_000,
    body=BODY,
    place=GIRONA,
    air_c=24.0,
    done=INTERVALS,
    route_m=60_000,
    sensors=EVERYTHING,
    stops=((200, 9),),
    pauses=((400, 120), (900, 45)),
)
SESSIONS = {
    "road": RIDE,
    "bunch": replace(RIDE, practice="bunch", seed=5, place=ANNECY, route_m=75_000),
    "mountain bike": replace(RIDE, practice="mountain bike", seed=6, route_m=40_000),
    "trainer": replace(RIDE, practice="trainer", seed=7, stops=(), pauses=()),
    "run": replace(RIDE, practice="run", seed=8, route_m=19_000, done=(DonePart(900, 0.7), DonePart(2400, 0.82))),
    "trail": replace(RIDE, practice="trail", seed=9, route_m=12_000, place=ANNECY, done=(DonePart(5400, 0.72),)),
    "track": replace(
        RIDE, practice="track", seed=10, route_m=400.0, stops=(), pauses=(),
        done=(DonePart(900, 0.7), *(DonePart(200, 1.04), DonePart(120, 0.4)) * 6),
    ),
    "skating": replace(RIDE, practice="skating", seed=11, route_m=25_000, done=(DonePart(5400, 0.75),)),
    "rowing machine": replace(RIDE, practice="rowing machine", seed=12, stops=(), pauses=()),
    "strength": replace(
        RIDE, practice="strength", seed=13, stops=(), pauses=(), done=(DonePart(60, 0.6), DonePart(120, 0.15)) * 10
    ),
    "pool": swum(replace(
        RIDE, practice="pool", seed=14, stops=(), pauses=(), body=replace(BODY, speed_mps=1.3),
        swum=(*(Swum(4, 1.0, 15, "freestyle"),) * 12, Swum(8, 0.8, 0, "backstroke")),
    )),
}  # fmt: skip
