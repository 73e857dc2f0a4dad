"""The sensor on the drop folders and the daily schedule, asked as the daemon asks them; their runs are not run."""

from datetime import UTC, datetime

import dagster as dg
import pytest

from pipelines import sensors
from pipelines.definitions import defs
from pipelines.requests import CONTENT_TAG

STATUS = dg.DagsterRunStatus


class Watch:
    """The sensor over ticks, with the runs and partitions that its results ask for."""

    def __init__(self, place, instance):
        self.place = place
        self.instance = instance
        self.cursor = None
        self.logged = []

    def asked(self):
        """What the sensor wants, nothing of it done."""
        reference = self.instance.get_ref()
        with dg.build_sensor_context(instance_ref=reference, cursor=self.cursor, definitions=defs) as context:
            return defs.resolve_sensor_def("drop_folders").evaluate_tick(context)

    def tick(self):
        """Slugs that a tick starts runs of."""
        tick = self.asked()
        for added in tick.dynamic_partitions_requests or ():
            self.instance.add_dynamic_partitions(added.partitions_def_name, added.partition_keys)
        self.cursor = tick.cursor
        self.skipped = tick.skip_message
        for request in tick.run_requests:
            self.start(request.tags, request.run_key)
        return [request.partition_key for request in tick.run_requests]

    def start(self, tags, run_key=None, status=STATUS.SUCCESS):
        """Keep a run as if the daemon had run it; a run key that has run is not run again."""
        keyed = {} if run_key is None else {"dagster/run_key": run_key}
        if keyed and self.instance.get_runs(dg.RunsFilter(tags=keyed)):
            raise AssertionError(f"the daemon has run {run_key} already, and would start nothing")
        self.instance.add_run(dg.DagsterRun(job_name="study", tags=tags | keyed, status=status))

    @property
    def registered(self):
        return sorted(self.instance.get_dynamic_partitions("study"))


@pytest.fixture(scope="module")
def instance(tmp_path_factory):
    """One that is kept on disk: a context knows partitions through its reference alone."""
    with dg.DagsterInstance.local_temp(str(tmp_path_factory.mktemp("dagster"))) as instance:
        yield instance


@pytest.fixture
def watch(place_of, instance, monkeypatch):
    place = place_of("watched")
    monkeypatch.setenv("JURYLINE_WORKSPACE", str(place.workspace.root))
    monkeypatch.setattr(sensors, "QUIET", -1.0)  # what tests write has settled
    yield Watch(place, instance)
    instance.wipe()
    for slug in instance.get_dynamic_partitions("study"):
        instance.delete_dynamic_partition("study", slug)


def test_a_new_study_becomes_a_partition_and_a_run(watch):
    watch.place.study("stories")

    assert watch.tick() == ["stories"]
    assert watch.registered == ["stories"]


def test_a_study_without_exports_is_registered_and_not_run(watch):
    watch.place.study("waiting", export=None)

    assert watch.tick() == []
    assert watch.registered == ["waiting"]


def test_equal_content_is_run_once(watch):
    watch.place.study("stories")
    watch.tick()

    assert watch.tick() == []
    assert watch.skipped == "No export or specification changed."


def test_a_new_export_is_run(watch, votes):
    study = watch.place.study("stories")
    watch.tick()
    (study / "exports" / "votes-2.csv").write_text(votes(("dora", "h4", "right")))

    assert watch.tick() == ["stories"]
    assert watch.tick() == []


def test_going_back_to_earlier_content_is_run_again(watch):
    # The run key of the first run has been used, and would never start another.
    study = watch.place.study("stories")
    watch.tick()
    specification = (study / "study.yaml").read_text()
    (study / "study.yaml").write_text(specification + "title: Another\n")
    watch.tick()
    (study / "study.yaml").write_text(specification)

    assert watch.tick() == ["stories"]


def test_a_study_whose_runs_were_deleted_is_found_again(watch):
    watch.place.study("stories")
    watch.tick()
    for run in watch.instance.get_runs():
        watch.instance.delete_run(run.run_id)

    assert watch.tick() == ["stories"]


def test_a_run_of_the_same_content_begun_otherwise_counts(watch):
    watch.place.study("stories")
    watch.tick()
    tags = watch.instance.get_runs(limit=1)[0].tags
    watch.start({name: tags[name] for name in (CONTENT_TAG, "dagster/partition")})

    assert watch.tick() == []


def test_failed_content_waits_for_a_change_or_the_day(watch):
    study = watch.place.study("stories")
    watch.tick()
    watch.instance.report_run_failed(watch.instance.get_runs(limit=1)[0])
    again = watch.tick()
    (study / "exports" / "votes-1.csv").unlink()
    (study / "exports" / "votes-2.csv").write_text("mended")

    assert again == []
    assert watch.tick() == ["stories"]


def test_a_tick_that_was_cut_off_starts_no_run_twice(watch):
    watch.place.study("stories")
    keys = [request.run_key for tick in (watch.asked(), watch.asked()) for request in tick.run_requests]

    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_a_broken_study_is_told_of_and_stops_no_other(watch, capsys):
    watch.place.study("broken", specification="juryline: 1\nstudy: broken\nsystms: []\n")
    watch.place.study("stories")

    started = watch.tick()
    told = capsys.readouterr().err

    assert started == ["stories"]
    assert "broken is not run: study.yaml has" in told
    assert "unknown key 'systms'" in told


def test_a_folder_that_no_study_can_be_named_after_stops_no_other(watch):
    watch.place.study("Not a slug...")
    watch.place.study("stories")

    assert watch.tick() == ["stories"]
    assert watch.registered == ["stories"]


def test_a_tick_starts_few_runs_and_the_next_goes_on(watch, monkeypatch):
    monkeypatch.setattr(sensors, "RUNS_A_TICK", 2)
    for slug in ("a", "b", "c", "d", "e"):
        watch.place.study(slug)

    ticks = [watch.tick() for _ in range(3)]

    assert ticks == [["a", "b"], ["c", "d"], ["e"]]
    assert watch.cursor == "e"


def test_a_study_that_changes_all_the_time_starves_no_other(watch, monkeypatch):
    monkeypatch.setattr(sensors, "RUNS_A_TICK", 1)
    restless = watch.place.study("a")
    watch.place.study("b")
    started = watch.tick()
    (restless / "exports" / "votes-1.csv").write_text("changed")

    assert started == ["a"]
    assert watch.tick() == ["b"]


def test_an_export_that_is_still_written_to_is_left_for_the_next_tick(watch, monkeypatch):
    watch.place.study("stories")
    monkeypatch.setattr(sensors, "QUIET", 3600.0)
    written_to = watch.tick()
    monkeypatch.setattr(sensors, "QUIET", -1.0)

    assert written_to == []
    assert watch.tick() == ["stories"]


def test_every_registered_study_is_run_once_a_day(watch):
    for slug in ("b", "a"):
        watch.place.study(slug)
    watch.place.study("empty", export=None)
    watch.tick()
    watch.place.study("not-registered")

    requests = daily(watch, day=2)

    assert [request.partition_key for request in requests] == ["a", "b"]
    assert [request.run_key for request in requests] == ["a/2026-03-02", "b/2026-03-02"]
    assert daily(watch, day=3)[0].run_key == "a/2026-03-03"


def test_a_daily_run_leaves_the_sensor_nothing_to_do(watch):
    watch.place.study("stories")
    watch.tick()
    request = daily(watch, day=2)[0]
    watch.start(request.tags, request.run_key)

    assert watch.tick() == []


def test_a_broken_study_stops_no_other_of_the_day(watch):
    broken = watch.place.study("broken")
    watch.place.study("stories")
    watch.tick()
    (broken / "study.yaml").write_text("juryline: [")

    assert [request.partition_key for request in daily(watch, day=2)] == ["stories"]


def daily(watch, day):
    at = datetime(2026, 3, day, 5, tzinfo=UTC)
    context = dg.build_schedule_context(
        watch.instance, scheduled_execution_time=at, repository_def=defs.get_repository_def()
    )
    return defs.resolve_schedule_def("daily").evaluate_tick(context).run_requests
