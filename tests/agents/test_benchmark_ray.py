"""A benchmark on a Ray cluster of several local nodes: the same results as here, also where a node is lost."""

import io
import os
import socket
import sys
import threading
import time
from pathlib import Path

import pytest
from rich.console import Console
from test_benchmark_runner import made, scores, suite_of

from nenette_agents.benchmark.display import Display
from nenette_agents.benchmark.ray_workers import RayWorkers
from nenette_agents.benchmark.runner import run_benchmark
from nenette_agents.errors import MissingExtraError, RunError

HERE = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Ray's own
def test_a_cluster_gives_the_same_results_even_if_a_node_is_killed(tmp_path, monkeypatch):
    pytest.importorskip("ray", reason="the extra ray is not installed here")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")])))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    suite = suite_of("slow", "failing")
    here = scores(made(suite, tmp_path / "here", seeds=range(4)))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        other = cluster.add_node(num_cpus=1)
        begun = threading.Event()

        def kill() -> None:
            begun.wait()
            time.sleep(0.5)  # in the middle of a run
            cluster.remove_node(other, allow_graceful=False)

        killer = threading.Thread(target=kill)
        killer.start()

        class Watched(Display):
            def ended(self, run, cpu_seconds, reason):
                begun.set()
                super().ended(run, cpu_seconds, reason)

        results = run_benchmark(
            suite,
            tmp_path / "there",
            RayWorkers(cluster.address, 0),
            Watched(Console(file=io.StringIO())),
            seeds=range(4),
            jobs=0,
        )
        killer.join()
    finally:
        cluster.shutdown()
    assert scores(results) == here
    assert {run.status for run in results.runs if run.learner == "slow"} == {"finished"}
    assert {run.reason for run in results.runs if run.status == "failed"} == {"RuntimeError: the loss is not finite"}
    assert not list((tmp_path / "there").rglob("scratch"))


def test_without_ray_it_is_told_what_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"--ray needs the extra 'ray'.*pip install '\.\[ray\]'"):
        RayWorkers("local", 1)


def test_a_cluster_that_is_not_there_is_told_in_one_sentence(tmp_path, monkeypatch):
    class Elsewhere:
        def is_initialized(self):
            return False

        def init(self, **options):
            raise ConnectionError(f"no Ray\nat {options['address']}")

    monkeypatch.setitem(sys.modules, "ray", Elsewhere())
    with socket.create_server(("127.0.0.1", 0)) as other:  # somebody is there, who is no Ray
        address = f"127.0.0.1:{other.getsockname()[1]}"
        said = rf"^--ray {address}: there is no cluster to be had: no Ray at [^\n]*$"
        with pytest.raises(RunError, match=said):
            made(suite_of("drawn"), tmp_path, RayWorkers(address, 1))
    with pytest.raises(RunError, match=rf"^--ray {address}: there is no cluster to be had: nobody answers there \("):
        made(suite_of("drawn"), tmp_path, RayWorkers(address, 1))
    with pytest.raises(RunError, match=r"^--ray 'nobody': HOST:PORT of a cluster, auto or local was expected$"):
        made(suite_of("drawn"), tmp_path, RayWorkers("nobody", 1))
