"""tests/api/operator/test_rotation.py - the portals' secret is replaced in two steps: portals
accept a new one before any portal uses it. tests/faults/portal/test_apps_die.py has apps
meanwhile."""

import pytest

from kit.portal.rotation import Rotation


@pytest.fixture
def rotation(tmp_path):
    return Rotation(tmp_path)


def test_a_new_secret_is_accepted_before_it_is_used(rotation):
    [old] = rotation.lines()
    first, new = rotation.init("rotate", "portal")
    assert first == old != new and len(new) == 64
    assert rotation.init("activate", "portal") == [new, old]


def test_steps_that_were_interrupted_may_be_repeated(rotation):
    [old] = rotation.lines()
    once = rotation.init("rotate", "portal")
    assert rotation.init("rotate", "portal") == once
    waiting = (rotation.portal / ".next.secret").read_text()
    rotation.init("activate", "portal")
    (rotation.portal / ".next.secret").write_text(waiting)  # as if the machine stopped before its removal
    assert rotation.init("activate", "portal") == [once[1], old]


def test_what_is_not_new_is_not_activated(rotation):
    lines = rotation.lines()
    done = rotation.try_init("activate", "portal")
    assert done.returncode == 1 and "run init rotate portal first" in done.stderr
    assert rotation.lines() == lines
    rotation.init("rotate", "portal")
    lines = rotation.init("activate", "portal")
    assert rotation.try_init("activate", "portal").returncode == 1
    assert rotation.lines() == lines
    done = rotation.try_init("activate", "gateway")
    assert done.returncode == 1 and "usage: init activate portal" in done.stderr


def test_the_three_secrets_before_it_stay(rotation):
    used = rotation.lines()
    for _ in range(5):
        waiting = rotation.init("rotate", "portal")
        assert waiting[0] == used[0] and waiting[2:] == used[1:3]
        used = rotation.init("activate", "portal")
        assert used == [waiting[1], waiting[0], *waiting[2:]]
    assert len(used) == 4


def test_only_the_newest_stays_after_a_theft(rotation):
    """Whether portals use it already or not."""
    _, new = rotation.init("rotate", "portal")
    assert rotation.init("forget", "portal") == [new]
    rotation.init("rotate", "portal")
    newest, _ = rotation.init("activate", "portal")
    assert rotation.init("forget", "portal") == [newest]
    assert rotation.try_init("activate", "portal").returncode == 1


def test_no_other_machine_and_no_other_user_reads_it(rotation):
    rotation.init("rotate", "portal")
    assert {file.name for file in rotation.portal.iterdir()} == {"portal.secret", ".next.secret"}
    assert {file.stat().st_mode & 0o777 for file in rotation.portal.iterdir()} == {0o400}
