"""Every launcher's ranks find one run id, and two runs find two."""

from __future__ import annotations

import random

import pytest

from ddpwatch_lightning.identity import VARIABLE, announce, new_claim, run_id


def found(environ: dict[str, str], **changes: object) -> str:
    options: dict[str, object] = {"name": None, "single_node": True, "family": (10,), "ordinal": 0}
    return run_id(environ, **{**options, **changes})  # type: ignore[arg-type]


MASTER = {"MASTER_ADDR": "node1", "MASTER_PORT": "29500"}
ELASTIC = {"TORCHELASTIC_RUN_ID": "job7", "TORCHELASTIC_RESTART_COUNT": "0"}
SLURM = {"SLURM_JOB_ID": "41", "SLURM_STEP_ID": "2"}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({**MASTER, **SLURM, **ELASTIC}, "job7"),
        ({**MASTER, **ELASTIC, "TORCHELASTIC_RESTART_COUNT": "3"}, "job7-r3"),
        ({**MASTER, **SLURM, "TORCHELASTIC_RUN_ID": "none"}, "slurm-41.2"),
        ({**MASTER, VARIABLE: "mine"}, "mine"),
    ],
)
def test_the_first_source_that_knows_decides(environ: dict[str, str], expected: str) -> None:
    assert found(environ) == expected


def test_an_explicit_name_is_above_all() -> None:
    assert found({**MASTER, **SLURM, **ELASTIC, VARIABLE: "mine"}, name="given") == "given"


def test_an_id_of_any_length_fits_the_wire() -> None:
    assert len(found({"TORCHELASTIC_RUN_ID": "x" * 10_000}, ordinal=3)) < 512


def test_an_allocation_without_a_step_is_no_identity() -> None:
    environ = {"SLURM_JOB_ID": "41", VARIABLE: "mine"}
    assert found(environ) == "mine"


def test_ranks_with_one_master_agree_and_others_differ() -> None:
    assert found(dict(MASTER)) == found({**MASTER, "RANK": "3"})
    assert found(dict(MASTER)) != found({**MASTER, "MASTER_PORT": "29501"})


def test_a_restart_behind_one_master_is_another_run() -> None:
    assert found(dict(MASTER)) != found({**MASTER, "TORCHELASTIC_RESTART_COUNT": "1"})


def test_a_lone_process_is_a_run_of_its_own_each_time() -> None:
    assert found({}) != found({})


def test_each_trainer_of_a_process_is_a_run_of_its_own() -> None:
    assert found({VARIABLE: "mine"}, ordinal=2) == "mine.2"


def test_children_of_the_first_process_inherit_its_word() -> None:
    environ: dict[str, str] = {}
    announce(environ, pid=10)
    child = {**environ, "LOCAL_RANK": "1", **MASTER}
    announce(child, pid=11)
    assert found(child) == found(environ)


def test_another_callback_in_the_first_process_changes_nothing() -> None:
    environ: dict[str, str] = {}
    announce(environ, pid=10)
    before = dict(environ)
    announce(environ, pid=10)
    assert environ == before


def test_a_script_started_by_a_watched_process_is_a_run_of_its_own() -> None:
    environ: dict[str, str] = {}
    announce(environ, pid=10)
    other = dict(environ)
    announce(other, pid=11)
    assert found(other, family=(11, 10)) != found(environ)


def test_ranks_of_a_launcher_that_a_watched_process_started_do_not_take_its_word() -> None:
    environ: dict[str, str] = {}
    announce(environ, pid=10)
    rank = {**environ, **MASTER, "RANK": "0", "LOCAL_RANK": "0"}
    assert found(rank, family=(12, 11)) == found(dict(MASTER))


def test_the_users_own_word_is_never_replaced() -> None:
    environ = {VARIABLE: "mine"}
    announce(environ, pid=10)
    assert environ == {VARIABLE: "mine"}


@pytest.mark.parametrize("variable", ["RANK", "LOCAL_RANK"])
def test_a_rank_of_an_external_launcher_announces_nothing(variable: str) -> None:
    environ = {variable: "0"}
    announce(environ, pid=10)
    assert VARIABLE not in environ


def test_words_made_on_several_nodes_are_not_believed() -> None:
    first: dict[str, str] = {}
    second: dict[str, str] = {}
    announce(first, pid=10)
    announce(second, pid=10)
    nodes = [{**first, **MASTER}, {**second, **MASTER}]
    assert len({found(node, single_node=False) for node in nodes}) == 1


def test_claims_differ_under_one_seed_and_leave_it_alone() -> None:
    random.seed(1)
    first = new_claim()
    after = random.random()
    random.seed(1)
    assert new_claim() != first
    assert random.random() == after
