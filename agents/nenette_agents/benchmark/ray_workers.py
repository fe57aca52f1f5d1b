"""The same work on a Ray cluster; the extra `ray` installs what it needs."""

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nenette_agents.benchmark.workers import Call, Done
from nenette_agents.errors import RunError, missing_extra, short, shown
from nenette_agents.training.parallel import ONE_CORE

__all__ = ["RayWorkers"]

_RETRIES = 5
"""How often a call begins again when its node or its process is lost."""

_PATIENCE = 10.0
"""Seconds until whoever is at an address has answered."""


class RayWorkers:
    """The nodes of a cluster; each call takes one core of one of them."""

    def __init__(self, address: str, jobs: int) -> None:
        """The cluster at `address`, as `ray.init` takes it; "local": one on this machine, with so many cores.

        Raises:
            MissingExtraError: Ray is not installed.
        """
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray
        except ModuleNotFoundError as error:
            raise missing_extra("--ray", "ray", error) from error
        self._ray: Any = ray
        self._address, self._jobs = address, jobs

    def work(self, calls: Sequence[Call], tick: Callable[[], None]) -> Iterator[Done]:
        """See `nenette_agents.benchmark.workers.Workers`.

        Raises:
            RunError: there is no cluster at the address.
        """
        ray = self._ray
        mine = not ray.is_initialized()
        if mine:
            self._join()
        try:
            remote = ray.remote(num_cpus=1, max_retries=_RETRIES, runtime_env={"env_vars": ONE_CORE})(_do)
            pending = {remote.remote(call.function, call.job): call for call in calls}
            try:
                while pending:
                    for ready in ray.wait(list(pending), timeout=1.0)[0]:
                        yield self._taken(ready, pending.pop(ready))
                    tick()
            finally:
                for waiting in pending:
                    ray.cancel(waiting, force=True)
        finally:
            if mine:
                ray.shutdown()

    def _join(self) -> None:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR", "include_dashboard": False}
        if self._address == "local":
            options["num_cpus"] = self._jobs
        else:
            del options["include_dashboard"]
            _knock(self._address)
        try:
            self._ray.init(address=self._address, **options)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise RunError(f"--ray {self._address}: there is no cluster to be had: {short(str(error), 200)}") from error

    def _taken(self, ready: Any, call: Call) -> Done:
        try:
            result, lost = self._ray.get(ready)
        except self._ray.exceptions.RayError as error:
            return Done(call, lost=f"it was lost on the cluster: {short(str(error), 300)}")
        return Done(call, result, lost)


def _knock(address: str) -> None:
    """Looks whether anybody answers at an address, for Ray itself asks for minutes and says nothing meanwhile.

    Raises:
        RunError: nobody does, or it is no address.
    """
    if address == "auto":
        return
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not host or not colon or not (port.isdecimal() and int(port) < 1 << 16):
        raise RunError(f"--ray {shown(address)}: HOST:PORT of a cluster, auto or local was expected")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
    except OSError as error:
        raise RunError(
            f"--ray {address}: there is no cluster to be had: nobody answers there ({error.strerror or error}); "
            "`ray start --head` begins one and says its address"
        ) from error


def _do(function: Callable[[Any], Any], job: Any) -> tuple[Any, str | None]:
    try:
        return function(job), None
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
