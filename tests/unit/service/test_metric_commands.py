"""The commands for metrics: their output, refused values, and an import with the added values."""

from click.testing import CliRunner

from coachboard.service.importers.commands import import_recordings
from coachboard.service.metric_commands import metrics
from coachboard.service.store import NewUser, Store
from coachboard.wire.metrics import MetricType, MetricUnit
from unit.service.importers.fit_files import fit_file, records, session


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


def test_a_value_that_cannot_be_a_metric_is_refused(store_url):
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


def test_ftp_is_answered_with_critical_power(store_url):
    said = run(store_url, "add", "Ada", "ftp", "250").output

    assert "use critical-power" in said


def test_an_implausible_value_is_refused_in_one_sentence(store_url):
    store = Store.open(store_url)
    store.add_user(NewUser(first_name="Ada"))
    store.close()

    said = run(store_url, "add", "Ada", "w-prime", "20").output
    assert said == (
        "Error: A w prime of 20 J is not plausible: enter 1000 to 100000 J. Enter W\N{PRIME} in joules.\n"
    )


def test_a_value_is_edited_and_deleted(store_url):
    store = Store.open(store_url)
    user_id = store.add_user(NewUser(first_name="Ada"))
    id_ = run(store_url, "add", "ada", "weight", "70").stdout.strip()
    run(store_url, "edit", id_, "71", "--day", "2026-01-02")
    (edited,) = store.metrics_of(user_id)
    run(store_url, "delete", id_)

    assert (edited.value, str(edited.date)) == (71, "2026-01-02")
    assert store.metrics_of(user_id) == []
    store.close()


def test_a_new_threshold_recomputes_the_sessions(store_url, tmp_path):
    store = Store.open(store_url)
    user_id = store.add_user(NewUser(first_name="Ada"))
    (tmp_path / "ride.fit").write_bytes(
        fit_file(session(total_elapsed_time=600.0), *records(600, power=lambda place: 190 + place % 20))
    )
    CliRunner().invoke(import_recordings, [str(tmp_path / "ride.fit"), "--db", store_url])
    before = store.activities_of(user_id, None, None)[0].volume
    added = run(store_url, "add", "Ada", "critical-power", "250", "--sport", "cycling", "--day", "2026-01-02")
    after = store.activities_of(user_id, None, None)[0].volume
    store.close()

    assert before is None
    assert after > 0
    assert "Recomputed 1 session." in added.stderr


def test_the_types_are_listed_with_their_ranges():
    lines = CliRunner().invoke(metrics, ["types"]).stdout.splitlines()

    assert "weight\tkg\t20\t300" in lines
