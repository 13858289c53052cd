"""The head of a session: title, date, key numbers, previous and next session, legs."""

import streamlit as st

from coachboard.execution.sessions import duration_s
from coachboard.formulas.plausible import sum_of_known
from coachboard.formulas.session.decoupling import decoupling, efficiency_factor
from coachboard.formulas.session.estimated_power import estimated_power
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.formulas.session.power import normalized_power, power_ratio
from coachboard.formulas.session.selection import moving_speed_mps
from coachboard.formulas.session.session_load import power_load
from coachboard.formulas.session.summary_load import LoadMethod, summary_load
from coachboard.loaders.done_and_planned import has_only_estimated_load, is_of_rpe, load_of
from coachboard.loaders.summary_motion import motion_of
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.planned_and_done import compliance_card
from coachboard.pages.activity.quality import say_unused
from coachboard.pages.activity.recording_quality import usable_summary
from coachboard.pages.activity.selection_summary import HeadlineRatios, adjusted_card, headline_ratios
from coachboard.pages.session_fields import offset_words
from coachboard.ui.frame import formats, navigation, notices
from coachboard.ui.frame.addresses import LIST, activity_params, day_in_calendar, page_url, texts_of
from coachboard.ui.frame.formats import MISSING, Units
from coachboard.ui.frame.own_data import has_feature
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, md_lines, plain
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.key_numbers import Card, draw_numbers, terms_of
from coachboard.ui.widgets.toolbar import Press, draw_bar
from coachboard.wire.activities import Activity, local_day
from coachboard.wire.enums import Sport

_INTENSITY = (
    "How hard the session was, from 0 to 100, as scored by the data service. The data service does not define the score: neither "
    "the sessions of 0 and 100 nor how it is computed. It is not the intensity factor."
)
_FEELINGS = {1: "very weak", 2: "weak", 3: "normal", 4: "strong", 5: "very strong"}
_LOW_FEELINGS = (_FEELINGS[1], _FEELINGS[2])


def draw_headline(page: Page, data: ActivityData) -> None:
    """Title, date, key numbers in the sport's units, the athlete's comment, the service's summary."""
    page.heading.title(md(formats.session_title(data.activity)), anchor=False, width="stretch")
    _draw_neighbours(page, data)
    _draw_numbers(page, data)
    notices.say_problems(*data.results)
    for missing in data.missing:
        notices.say(missing.error, about=missing.what)


@st.fragment
def _draw_numbers(page: Page, data: ActivityData) -> None:
    activity = data.activity
    cards = _cards(page, data, is_estimate=_is_estimate(page, data.activity))
    with st.container(gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(md(_time_and_sport(data)), width="content", help=terms_of(cards) or None)
            _draw_badges(activity)
            _draw_back_links(data)
        draw_numbers(cards, key="activity.numbers")
        say_unused(page, data)
        if activity.description:
            st.caption(f"Description of the session: “{md_lines(activity.description)}”")
        if activity.summary:
            st.caption(
                f":material/auto_awesome: **Summary by the data service:** {md_lines(activity.summary)}"
            )


def draw_legs(page: Page, data: ActivityData) -> None:
    """The legs of a multisport day side by side with transitions; marks this one."""
    if not data.legs:
        return
    st.subheader("Legs", anchor=False)
    with st.container(horizontal=True, gap="small"):
        for leg in data.legs:
            _draw_leg(page, data, leg)
    st.caption(md(legs_total(page, data)))


def _draw_back_links(data: ActivityData) -> None:
    """Links to the list, to the athlete and to the session's day."""
    athlete = {"athlete": data.user_id}
    url = page_url("activity", **athlete, **texts_of(*LIST))
    all_sessions = Press("all", "All sessions", help="Open the list of all sessions, as it was left.", href=url,
                         icon="list", is_quiet=True)  # fmt: skip
    draw_bar([all_sessions], key="activity.all")
    st.page_link(
        navigation.page_path("athlete"), label="Athlete page", icon=":material/person:", query_params=athlete,
        help="Open the athlete page.",
    )  # fmt: skip
    if data.day is not None:
        st.page_link(
            navigation.page_path("calendar"), label="Day in calendar", icon=":material/calendar_month:",
            query_params=athlete | day_in_calendar(data.day.isoformat()),
            help="Open this day in the calendar.",
        )  # fmt: skip


def _draw_neighbours(page: Page, data: ActivityData) -> None:
    links = [
        Press(
            label,
            label,
            help=f"{formats.session_title(other)}, {formats.day(local_day(other), today=page.today)}",
            href=_url(data, other),
        )
        for other, label in ((data.previous, "Previous"), (data.next, "Next"))
        if other is not None
    ]
    if links:
        with page.picks:
            draw_bar(links, key="activity.neighbours")


def _url(data: ActivityData, other: Activity) -> str:
    return page_url("activity", **activity_params(data.user_id, other))


def _time_and_sport(data: ActivityData) -> str:
    activity = data.activity
    sub = formats.label(activity.sub_sport) if activity.sub_sport and activity.sub_sport != "generic" else ""
    local = activity.started_at_local
    when = formats.moment(local or activity.started_at)
    zone = f"{when} ({_offset(activity, is_local=local is not None)})"
    sport = formats.sport(activity.sport) if activity.sport else "Unknown sport"
    plan = plain(data.prescription.title) if data.prescription else ""
    # The lists call a paired session by its plan: show the same name here.
    planned = f"planned as {plan}" if plan and plan != formats.session_title(activity) else ""
    return " · ".join(part for part in (sport, sub, zone, planned) if part)


def _offset(activity: Activity, *, is_local: bool) -> str:
    if not is_local or activity.utc_offset is None:
        return "UTC" if not is_local else "local time, UTC offset unknown"
    return offset_words(activity.utc_offset)


def _draw_badges(activity: Activity) -> None:
    if activity.training_stimulus:
        st.badge(
            md(f"Achieved stimulus: {formats.label(activity.training_stimulus)}"),
            color="gray",
            help="Main training stimulus, classified by the data service.",
        )
    if activity.race_type:
        st.badge(md(f"Race, {activity.race_type}"), icon=":material/flag:", color="primary")


def _cards(page: Page, data: ActivityData, *, is_estimate: bool) -> list[Card]:
    activity, weight_kg, units = usable_summary(data), data.capacities.weight_kg, page.units
    efforts = effort_cards(activity, units, weight_kg=weight_kg)
    cards = [
        *_compliance_cards(data),
        *amount_cards(activity, units),
        *efforts[:1],
        *_adjusted_cards(data, units),
        *efforts[1:],
        *_ratio_cards(data, headline_ratios(data, activity)),
        *score_cards(activity, _load_card(data, is_estimate=is_estimate)),
    ]
    return [card for card in cards if card.value != MISSING]


def _compliance_cards(data: ActivityData) -> list[Card]:
    """Whether the plan was done, which the section "Planned and done" explains below panels, laps and route."""
    match = data.match
    if match is None or match.compliance is None or match.is_inferred:
        return []
    measure = match.compliance.compared
    return [compliance_card(match.compliance, f"By {measure}; its parts are below, under Planned and done.")]


def amount_cards(activity: Activity, units: Units) -> list[Card]:
    moving, total = activity.moving_duration, activity.total_duration
    counted_s = duration_s(activity)
    motion = motion_of(activity)
    from_speed = "derived from speed" if motion.derived == "distance" else ""
    gain, loss = activity.elevation_gain, activity.elevation_loss
    down = f"{formats.elevation(loss, units=units, sport=activity.sport)} loss" if loss is not None else ""
    return [
        Card(
            "Moving time" if moving is not None and counted_s == moving else "Duration",
            formats.duration_hms(counted_s),
            _other_time(activity, counted_s, total),
            is_key=True,
        ),
        Card(
            "Distance",
            formats.distance(motion.distance_m, activity.sport, units=units),
            from_speed,
            is_key=True,
        ),
        Card("Elevation gain", formats.elevation(gain, units=units, sport=activity.sport), down),
    ]


def _other_time(activity: Activity, counted_s: float | None, total: float | None) -> str:
    """The elapsed time if it differs, of a swim the time without rests; without a moving time, what the duration counts."""
    moving = activity.moving_duration
    if activity.sport is Sport.SWIMMING and moving is not None and moving != counted_s:
        return f"{formats.duration_hms(moving)} without rests"
    if total is not None and total != counted_s:
        return f"{formats.duration_hms(total)} elapsed"
    if moving is not None or counted_s is None:
        return ""
    return "without pauses" if activity.effective_duration is not None else "elapsed"


def effort_cards(activity: Activity, units: Units, *, weight_kg: float | None) -> list[Card]:
    sport = activity.sport
    motion = motion_of(activity)
    speed = formats.speed_or_pace(motion.speed_mps, sport, units=units)
    from_distance = "derived from distance" if motion.derived == "speed" else ""
    is_paced = sport in formats.PACED_SPORTS
    highest_bpm = activity.max_heart_rate
    top = "" if highest_bpm is None else f"max {formats.heart_rate(highest_bpm)}"
    normalized, average = activity.normalized_power, activity.average_power
    weighed = normalized if normalized is not None else average
    per_kg = formats.power_per_kg(weighed / weight_kg) if weighed is not None and weight_kg else ""
    help_kg = (
        f"At {formats.weight(weight_kg, units=units)}, the athlete's weight on that day." if per_kg else ""
    )
    most = f"max {formats.power(activity.max_power)}" if activity.max_power is not None else ""
    return [
        Card(
            "Pace" if is_paced else "Speed",
            speed,
            from_distance,
            help=formula_help.text_of(moving_speed_mps, window="this session.")
            if activity.moving_duration
            else None,
            is_key=is_paced,
        ),
        *_power_cards(average, normalized, most=most, per_kg=per_kg, help_kg=help_kg),
        Card("Heart rate", formats.heart_rate(activity.average_heart_rate), top, is_key=True),
        _cadence(activity),
        Card("Work", formats.work(activity.work)),
    ]


def _adjusted_cards(data: ActivityData, units: Units) -> list[Card]:
    """The grade-adjusted pace on foot, if the recording has the whole session."""
    streams, sport = data.streams, data.activity.sport
    if streams is None or ADJUSTED_SPEED not in streams.whole:
        return []
    value = formats.speed_or_pace(streams.whole[ADJUSTED_SPEED], sport, units=units)
    return [adjusted_card(value, sport, window="this session.")]


def _power_cards(
    average: float | None, normalized: float | None, *, most: str, per_kg: str, help_kg: str
) -> list[Card]:
    """Maximum below average power, W/kg below normalized power; without normalized power both below the average."""
    if normalized is None:
        notes = ", ".join(note for note in (per_kg, most) if note)
        return [Card("Power", formats.power(average), notes, help_kg or None, is_key=True)]
    return [
        Card("Power", formats.power(average), most),
        Card(
            "Normalized power",
            formats.power(normalized),
            per_kg,
            "\n\n".join(
                filter(None, (formula_help.text_of(normalized_power, window="this session."), help_kg))
            ),
            is_key=True,
        ),
    ]


def _ratio_cards(data: ActivityData, ratios: HeadlineRatios) -> list[Card]:
    by_power = data.streams is not None and data.streams.get("power") is not None
    drift = ratios.decoupling
    return [
        Card(
            "Intensity factor",
            formats.number(ratios.intensity_factor, 2),
            "of critical power",
            help=formula_help.text_of(power_ratio, window="this session; critical power of that day."),
        ),
        Card(
            "Variability index",
            formats.number(ratios.variability_index, 2),
            help=formula_help.text_of(power_ratio, window="this session; 1.00 = perfectly even."),
        ),
        Card(
            "Efficiency factor",
            formats.number(ratios.efficiency, 2, "W/beat" if by_power else "m/beat"),
            help=formula_help.text_of(efficiency_factor, window="this session, from 20 min."),
        ),
        Card(
            "Decoupling",
            MISSING if drift is None else formats.percent(drift.loss_pct, 1, signed=True),
            # Its help has the limit, for which the card has no room.
            (drift.caution or "").partition(",")[0] if drift else "",
            help=formula_help.text_of(decoupling, window="this session, first half and second half."),
        ),
    ]


def _cadence(activity: Activity) -> Card:
    running = activity.average_running_cadence
    value = running if running is not None else activity.average_cadence
    if activity.sport is not Sport.SWIMMING:
        name = formats.cadence_name(activity.sport)
        return Card(name, formats.cadence(value, activity.sport), help="Mean without stops.")
    counts = "Mean without stops. A watch that counts only the arm that wears it shows half of the strokes of both arms."
    return Card("Stroke rate", formats.cadence(value, activity.sport), "as the device counts", help=counts)


def _load_card(data: ActivityData, *, is_estimate: bool) -> Card:
    """The load and its method: nobody may take an estimate for measured power."""
    load, method = load_of(data.activity, data.profile)
    source, explanation = formats.load_source([method] if method else []), formats.LOAD
    if method is None:
        # Without its source, 81 next to an intensity factor of 0.80 over 1.21 h, which is 77, seemed wrong.
        source = "by the data service"
    if method is not None:
        explanation = formula_help.text_of(
            summary_load, window="this session; thresholds of the athlete's profile today."
        )
    if method is None and is_of_rpe(data.activity):
        source = formats.load_source([LoadMethod.RPE])
    if is_estimate:
        source = "estimated from speed, grade and weight"
        explanation = formula_help.text_of(
            estimated_power, power_load, window="this session; weight and critical power of that day."
        )
    return Card("Load", formats.number(load), source, help=explanation, is_key=True)


def _is_estimate(page: Page, activity: Activity) -> bool:
    """Whether the service estimated the load: Coachboard's own does so, of another one nothing is known."""
    return activity.volume is not None and has_only_estimated_load(activity) and has_feature(page, "metrics")


def score_cards(activity: Activity, load: Card) -> list[Card]:
    feeling = _FEELINGS.get(round(activity.feeling), "") if activity.feeling is not None else ""
    felt = f"{formats.number(activity.feeling)} of 5" if feeling else MISSING
    effort = f"{formats.number(activity.rpe)} of 10" if activity.rpe is not None else MISSING
    intensity = f"{formats.number(activity.intensity)} of 100" if activity.intensity is not None else MISSING
    return [
        load,
        Card("Intensity score", intensity, "by the data service", help=_INTENSITY, is_key=True),
        Card(
            "RPE",
            effort,
            help="Rate of perceived exertion, rated by the athlete: 1 very easy, 10 maximal.",
        ),
        Card("Feeling", felt, feeling, is_low=feeling in _LOW_FEELINGS),
    ]


def _draw_leg(page: Page, data: ActivityData, leg: Activity) -> None:
    sport = formats.sport(leg.sport)
    with st.container(width=150, gap="xsmall"):
        if leg.id == data.activity.id:
            st.markdown(f":material/arrow_right: **{md(sport)}**")
        else:
            draw_bar([Press("leg", sport, href=_url(data, leg), is_quiet=True)], key=f"activity.leg.{leg.id}")
        st.caption(md(_leg_numbers(page, leg)))


def _leg_numbers(page: Page, leg: Activity) -> str:
    moving = f"{formats.duration_hms(leg.moving_duration)} moving" if leg.moving_duration else MISSING
    elapsed = f"{formats.duration_hms(leg.total_duration)} elapsed" if leg.total_duration else MISSING
    numbers = [elapsed, moving]
    if leg.sport != Sport.TRANSITION:
        numbers += [
            formats.distance(motion_of(leg).distance_m, leg.sport, units=page.units),
            formats.speed_or_pace(motion_of(leg).speed_mps, leg.sport, units=page.units),
        ]
    # No line break between number and unit in a narrow caption.
    return " · ".join(text.replace(" ", "\u00a0") for text in numbers if text != MISSING)


def legs_total(page: Page, data: ActivityData) -> str:
    """The totals that calendar and lists show of the session as a whole, and its elapsed time."""
    transitions = sum(leg.sport == Sport.TRANSITION for leg in data.legs)
    count = formats.count(len(data.legs) - transitions, "leg")
    between = f" and {formats.count(transitions, 'transition')}" if transitions else ""
    time_s, elapsed_s, distance_m, load = (
        sum_of_known(values)
        for values in (
            map(duration_s, data.legs),
            (leg.total_duration for leg in data.legs),
            (motion_of(leg).distance_m for leg in data.legs),
            (load_of(leg, data.profile)[0] for leg in data.legs),
        )
    )
    texts = (
        f"{formats.duration_hms(time_s)} moving",
        f"{formats.duration_hms(elapsed_s)} elapsed",
        formats.distance(distance_m, units=page.units),
        f"load {formats.number(load)}",
    )
    return f"{count}{between}: {', '.join(text for text in texts if MISSING not in text)}."
