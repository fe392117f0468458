"""The folder of the workers' metrics in containers where hardly anything is writable."""

import os
from pathlib import Path

import pytest

from match_handler.service import metrics
from match_handler.service.config import SettingsError
from tests.service.processes import served


def test_folder_is_in_the_first_writable_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared, temporary = tmp_path / "shm", tmp_path / "tmp"
    shared.mkdir()
    monkeypatch.setattr(metrics, "SHARED_FOLDERS", (str(tmp_path / "missing"), str(shared)))
    monkeypatch.setenv("TMPDIR", str(temporary))
    with metrics.metrics_folder() as folder:
        assert Path(folder).parent == shared
        assert os.environ[metrics.FOLDER_VARIABLE] == folder
    assert list(shared.iterdir()) == []
    assert metrics.FOLDER_VARIABLE not in os.environ
    temporary.mkdir()
    with metrics.metrics_folder() as folder:
        assert Path(folder).parent == temporary


def test_without_a_writable_directory_the_settings_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "SHARED_FOLDERS", (str(tmp_path / "a"), str(tmp_path / "b")))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "c"))
    problem = (
        r"^metrics port: several SET_MATCH_WORKERS with SET_MATCH_METRICS_PORT need a writable directory: "
    )
    with pytest.raises(SettingsError, match=problem + "TMPDIR, "), metrics.metrics_folder():
        pass


def test_workers_without_metrics_need_no_directory(tmp_path: Path) -> None:
    with served("--workers", "2", TMPDIR=str(tmp_path)) as serving:
        serving.port(workers=2)
        assert list(tmp_path.iterdir()) == []
    with served("--workers", "2", "--metrics-port", "0", TMPDIR=str(tmp_path)) as serving:
        serving.port(workers=2)
        assert [path.name[:10] for path in tmp_path.iterdir()] == ["set-match-"]


def test_files_of_a_worker_that_never_served_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(metrics.FOLDER_VARIABLE, str(tmp_path))
    for name in ("counter_1.db", "gauge_livesum_1.db", "counter_11.db"):
        (tmp_path / name).touch()
    metrics.remove_worker_metrics(1, served=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counter_1.db", "counter_11.db"]
    metrics.remove_worker_metrics(1, served=False)
    assert [path.name for path in tmp_path.iterdir()] == ["counter_11.db"]
