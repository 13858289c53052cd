"""Groups of athletes: those of the service, which the coaches of a workspace share, else the reader's own tags."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.loaders.preferences import clean_tags
from coachboard.ui.frame import choices, notices, state
from coachboard.ui.frame.own_data import say_rejected
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import plain
from coachboard.wire.comments import AthleteGroups


def shared(page: Page) -> tuple[AthleteGroups, ...]:
    """The groups of the service by workspace and athlete; none without the feature, or where `failure` has the reason."""
    rows = _read(page)
    return () if isinstance(rows, ServiceError) else rows


def failure(page: Page) -> ServiceError | None:
    """Why the groups of a service that has them could not be loaded; the reader's own tags do not replace them."""
    rows = _read(page)
    return rows if isinstance(rows, ServiceError) else None


def say_failure(page: Page) -> None:
    """Say that the groups could not be loaded, where fields offer groups: without the reason they seem deleted."""
    if (error := failure(page)) is not None:
        notices.say(error, about="Groups of athletes")


def _read(page: Page) -> tuple[AthleteGroups, ...] | ServiceError:
    planning = page.client.planning
    if not planning.has("groups"):
        return ()
    with suppress(ServiceError):
        return planning.groups()
    try:
        return planning.groups()  # of before the failure, without another request
    except ServiceError as error:
        return error


def by_athlete(page: Page) -> Mapping[str, tuple[str, ...]]:
    """The names of the groups of each athlete."""
    rows = shared(page)
    if not rows:
        if failure(page) is not None:
            return {}
        return page.preferences.tags
    named: dict[str, tuple[str, ...]] = {}
    for row in rows:
        named[row.user_id] = tuple(dict.fromkeys((*named.get(row.user_id, ()), *row.names)))
    return named


def names(page: Page) -> list[str]:
    """The names of all groups, in order."""
    return sorted({name for of_athlete in by_athlete(page).values() for name in of_athlete}, key=str.casefold)


def members(page: Page) -> dict[str, tuple[str, ...]]:
    """The ids of the reader's athletes in each group, by the name of the group, in order."""
    named = by_athlete(page)
    return {
        name: tuple(athlete.id for athlete in page.athletes if name in named.get(athlete.id, ()))
        for name in names(page)
    }


def several(page: Page) -> dict[str, tuple[str, ...]]:
    """The choices of a field for several athletes beside their names: all, the favourites and each group, with the ids."""
    everyone = tuple(athlete.id for athlete in page.athletes)
    favourites = tuple(each for each in page.preferences.favourites if each in everyone)
    titled = {"All athletes": everyone, "Favourites": favourites}
    titled |= {f"Group: {name}": ids for name, ids in members(page).items()}
    return {title: ids for title, ids in titled.items() if ids and len(everyone) > 1}


def words(names_: Iterable[str]) -> str:
    """The names of an athlete's groups, for lists of athletes: `Juniors, Track`."""
    return ", ".join(map(plain, names_))


def listed(page: Page, user_id: str, name: str) -> str:
    """An athlete in a list whose search looks at groups, too: `Ana Berg · Juniors`."""
    own = by_athlete(page).get(user_id, ())
    return " · ".join(filter(None, (plain(name, longest=60), words(own))))


def changes(rows: Sequence[AthleteGroups], user_id: str, chosen: Iterable[str]) -> list[AthleteGroups]:
    """The rows of an athlete that change when these groups are chosen.

    A new name belongs to the first workspace that has a group of that name, else to the athlete's first one.
    """
    own, names_ = [row for row in rows if row.user_id == user_id], list(dict.fromkeys(chosen))
    wanted = {row.workspace_id: [name for name in names_ if name in row.names] for row in own}
    held = {name for row in own for name in row.names}
    used = {(row.workspace_id, name) for row in rows for name in row.names}
    for name in names_:
        if name not in held and wanted:
            homes = [workspace for workspace in wanted if (workspace, name) in used]
            wanted[(homes or list(wanted))[0]].append(name)
    return [
        row.model_copy(update={"names": tuple(wanted[row.workspace_id])})
        for row in own
        if set(wanted[row.workspace_id]) != set(row.names)
    ]


def choose(page: Page, user_id: str, chosen: Iterable[str], key: str) -> None:
    """Put an athlete into these groups; of a service without groups these are the reader's own tags."""
    names_ = clean_tags(chosen)
    rows = _read(page)
    if isinstance(rows, ServiceError):
        state.forget(key)
        say_rejected(rows, "The groups were not saved")
        return
    if not rows:
        choices.keep(page, lambda kept: replace(kept, tags=_with(kept.tags, user_id, names_)), key)
        return
    try:
        for row in changes(rows, user_id, names_):
            page.client.planning.set_groups(row.workspace_id, row.user_id, row.names)
    except ServiceError as error:
        state.forget(key)
        say_rejected(error, "The groups were not saved")


def _with(
    tags: Mapping[str, tuple[str, ...]], user_id: str, names_: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    others = {athlete_id: of_athlete for athlete_id, of_athlete in tags.items() if athlete_id != user_id}
    return others | ({user_id: names_} if names_ else {})


def draw_take_over(page: Page) -> None:
    """Offer to make groups of the reader's own tags, if there are any and the service has groups."""
    tags = page.preferences.tags
    if tags and shared(page):
        st.caption("You have tags from before, which only you see.")
        st.button(
            "Make groups of your tags",
            key="groups.take_over",
            icon=":material/group_add:",
            help="The coaches of the workspace then see and change them as groups.",
            on_click=_take_over,
            args=(page,),
        )


def _take_over(page: Page) -> None:
    taken: set[str] = set()
    try:
        for user_id, tags in page.preferences.tags.items():
            rows = page.client.planning.groups()
            held = [name for row in rows if row.user_id == user_id for name in row.names]
            for row in changes(rows, user_id, clean_tags((*held, *tags))):
                page.client.planning.set_groups(row.workspace_id, row.user_id, row.names)
            taken.add(user_id)
    except ServiceError as error:
        notices.say(error, about="Some of your tags")
    choices.keep(
        page,
        lambda kept: replace(
            kept, tags={name: tags for name, tags in kept.tags.items() if name not in taken}
        ),
    )
