"""The commands for metrics: what they print, what they refuse, and that an import uses what was added."""

from click.testing import CliRunner

from coachboard.models.enums import MetricType, MetricUnit
from coachboard.service.metric_commands import metrics
from coachboard.service.store import NewUser, Store


def run(store_url, *words):
    return CliRunner().invoke(metrics, [words[0], "--db", store_url, *words[1:]])


def test_a_metric_is_added_and_listed(store_url):
    store = Store.open(store_url)
    user_id = store.add_user(NewUser(first_name="Ada"))
    added = run(
        store_url, "add", user_id, "critical-power", "250", "--sport", "cycling", "--day", "2026-01-02"
    )
    (kept,) = store.metrics_of(user_id)
    store.close()

    assert added.stdout.strip() == kept.id
    assert (kept.type, kept.value, kept.unit) == (MetricType.CRITICAL_POWER, 250, MetricUnit.W)
    assert run(store_url, "list", user_id).stdout.split("\t")[1:4] == ["2026-01-02", "critical power", "250"]


def test_what_cannot_be_a_metric_is_refused(store_url):
    store = Store.open(store_url)
    user_id = store.add_user(NewUser(first_name="Ada"))
    store.close()

    for words in (
        ("usr_nobody", "weight", "70"),
        (user_id, "height", "180"),
        (user_id, "weight", "-70"),
        (user_id, "weight", "nan"),
        (user_id, "weight", "70", "--day", "soon"),
    ):
        assert run(store_url, "add", *words).exit_code != 0, words
