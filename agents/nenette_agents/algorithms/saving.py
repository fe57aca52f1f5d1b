"""Learners as files without pickles: a zip of `learner.json` and `tensors.safetensors`.

stable-baselines3's own zips hold pickles, and whoever reads such a file runs what is in it. These hold numbers and
words: reading one runs nothing. What they have no words for (a function as a schedule, a class of one's own) they leave
out, and `load` asks for it by name.
"""

import inspect
import json
import pathlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, BinaryIO, Self

import numpy as np
import torch
from gymnasium import spaces
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from safetensors.torch import save as write_tensors
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.type_aliases import TrainFreq
from stable_baselines3.common.utils import ConstantSchedule, FloatSchedule, LinearSchedule, check_for_correct_spaces

from nenette.untrusted import NotReadableError, open_regular, parse_json
from nenette.writing import replacing

__all__ = ["SafelySaved", "class_saved", "read_zip", "write_zip"]

_FORMAT = "nenette-learner"
_VERSION = 1
_JSON, _TENSORS = "learner.json", "tensors.safetensors"
_MAX_JSON = 1 << 24
_LARGEST = 1 << 36
"""Bytes of a file that is read: a replay buffer may be as large as memory."""
_COUNTS = ("num_timesteps", "_n_updates", "_episode_num", "_total_timesteps", "_num_timesteps_at_start")
_NUMBERS = ("_current_progress_remaining", "exploration_rate")
_NOT_SETTINGS = {
    *("self", "settings", "policy", "env", "device", "_init_setup_model"),
    *("replay_buffer_class", "replay_buffer_kwargs", "rollout_buffer_class", "rollout_buffer_kwargs"),
}
_ATTRIBUTES = {"stats_window_size": "_stats_window_size"}
"""Where a setting is not kept under its own name."""


class _NoWordsError(Exception):
    """JSON has no words for a value."""


class SafelySaved(BaseAlgorithm):
    """What saves and loads a learner of stable-baselines3 without pickles."""

    def save(self, path: str | pathlib.Path | BinaryIO) -> None:  # type: ignore[override]
        """Writes weights, optimiser, settings and counts, but no replay buffer and no environments, to a zip.

        Args:
            path: a file, to whose name `.zip` is added where it has no ending; or one that is open.

        Raises:
            OSError: the file cannot be written.
        """
        policy: Any = self.policy
        optimiser = policy.optimizer.state_dict()
        tensors = {f"policy.{name}": tensor for name, tensor in policy.state_dict().items()}
        numbers: dict[str, Any] = {}
        for place, state in optimiser["state"].items():
            for name, value in state.items():
                part = tensors if isinstance(value, torch.Tensor) else numbers
                part[f"optimizer.{place}.{name}"] = value
        settings, missing = self._settings()
        about = {
            "class": type(self).__name__,
            "settings": settings,
            "missing": missing,
            "observation_space": _space(self.observation_space, "observation_space", tensors),
            "action_space": _space(self.action_space, "action_space", tensors),
            "counts": {name: int(getattr(self, name)) for name in _COUNTS if hasattr(self, name)},
            "numbers": {name: float(getattr(self, name)) for name in _NUMBERS if hasattr(self, name)},
            "optimizer": numbers,
            "learning_rates": [float(group["lr"]) for group in optimiser["param_groups"]],
            "more": self._more_state(),
        }
        write_zip(path, about, tensors)

    @classmethod
    def load(  # type: ignore[override]
        cls,
        path: str | pathlib.Path | BinaryIO,
        env: Any = None,
        device: torch.device | str = "auto",
        **settings: Any,
    ) -> Self:
        """The learner in a file that `save` wrote.

        Args:
            path: the file, with or without `.zip`; or one that is open.
            env: what it is to learn in; None: it can only predict.
            device: where its networks go.
            settings: in place of those in the file; needed where the file has none.

        Raises:
            OSError: the file cannot be read.
            ValueError: it was not written by `save` of this class, a setting is missing, or `env` is another kind of
                environment.
        """
        about, tensors = read_zip(path)
        if about.get("class") != cls.__name__:
            raise ValueError(f"{_named(path)} holds a {about.get('class')}, and a {cls.__name__} is expected")
        missing = [name for name in about["missing"] if name not in settings]
        if missing:
            raise ValueError(
                f"{_named(path)} has no words for {', '.join(missing)}: give what it was, "
                f"as in {cls.__name__}.load(path, {missing[0]}=...)"
            )
        known = {name: _decoded(value) for name, value in about["settings"].items()}
        seen = _space_of(about["observation_space"], tensors)
        acted = _space_of(about["action_space"], tensors)
        given = {"policy": "MlpPolicy", **known, **settings}
        model = cls(env=None, device=device, _init_setup_model=False, **given)  # type: ignore[call-arg]
        if env is not None:
            env = cls._wrap_env(env, 0)
            check_for_correct_spaces(env, seen, acted)
        model.env = env
        model.observation_space, model.action_space = seen, acted
        model.n_envs = 1 if env is None else env.num_envs
        model._setup_model()
        try:
            model._take(about, tensors)
        except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
            raise ValueError(f"{_named(path)} does not fit a {cls.__name__}: {str(error).splitlines()[0]}") from error
        return model

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes what was pickled; some that hand things to other processes, such as Ray, leave arrays read-only."""
        self.__dict__.update(state)
        for name in ("replay_buffer", "rollout_buffer"):
            if getattr(self, name, None) is not None:
                _make_writable(getattr(self, name))

    def _take(self, about: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
        policy: Any = self.policy
        weights = {name.removeprefix("policy."): one for name, one in tensors.items() if name.startswith("policy.")}
        policy.load_state_dict(weights)
        optimizer_state = policy.optimizer.state_dict()
        optimizer_state["state"] = {}
        for name, value in {**tensors, **about["optimizer"]}.items():
            if name.startswith("optimizer."):
                _, place, key = name.split(".", 2)
                optimizer_state["state"].setdefault(int(place), {})[key] = value
        for group, rate in zip(optimizer_state["param_groups"], about["learning_rates"], strict=True):
            group["lr"] = rate
        policy.optimizer.load_state_dict(optimizer_state)
        for name in _COUNTS:
            if name in about["counts"]:
                setattr(self, name, int(about["counts"][name]))
        for name in _NUMBERS:
            if name in about["numbers"]:
                setattr(self, name, float(about["numbers"][name]))
        self._take_more_state(about["more"])

    def _settings(self) -> tuple[dict[str, Any], list[str]]:
        """The constructor's arguments as JSON has words for them, and the names of the others."""
        settings: dict[str, Any] = {}
        missing = [] if type(self.policy) is self.policy_aliases["MlpPolicy"] else ["policy"]
        names: set[str] = set()
        for kind in type(self).__mro__:
            names |= _arguments(kind)
            if not kind.__module__.startswith("nenette"):
                break  # stable-baselines3's algorithm; its bases' other arguments are not its own
        for name in sorted(names - _NOT_SETTINGS):
            try:
                settings[name] = _encoded(self._setting(name))
            except _NoWordsError:
                missing.append(name)
        return settings, missing

    def _setting(self, name: str) -> Any:
        return getattr(self, _ATTRIBUTES.get(name, name))

    def _more_state(self) -> dict[str, Any]:
        """What else the learner needs to go on, as JSON values."""
        return {}

    def _take_more_state(self, state: dict[str, Any]) -> None:
        """Restores what `_more_state` gave."""


def _make_writable(thing: Any) -> None:
    """Copies the arrays of `thing`, and of what it is made of, that cannot be written to."""
    parts: dict[str, Any] = thing if isinstance(thing, dict) else vars(thing)
    for name, value in parts.items():
        if isinstance(value, np.ndarray) and not value.flags.writeable:
            parts[name] = value.copy()
        elif isinstance(value, dict) or type(value).__module__.startswith("nenette_agents"):
            _make_writable(value)


def write_zip(path: str | pathlib.Path | BinaryIO, about: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
    """Writes JSON values and tensors to a zip.

    Raises:
        OSError: the file cannot be written.
    """
    # Each with memory of its own: the learner's weights are parts of one vector.
    own = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}
    text = json.dumps({"format": _FORMAT, "version": _VERSION, **about})
    if isinstance(path, str | pathlib.Path):
        path = pathlib.Path(path)
        path = path if path.suffix else path.with_suffix(".zip")
        path.parent.mkdir(parents=True, exist_ok=True)
    place = replacing(path) if isinstance(path, pathlib.Path) else nullcontext(path)
    with place as opened, zipfile.ZipFile(opened, "w", zipfile.ZIP_STORED) as file:
        file.writestr(_JSON, text)
        file.writestr(_TENSORS, write_tensors(own))


def read_zip(path: str | pathlib.Path | BinaryIO) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """What `write_zip` wrote; nothing in it is run.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is another file.
    """
    if isinstance(path, str | pathlib.Path):
        path = pathlib.Path(path)
        if not path.exists() and not path.suffix:
            path = path.with_suffix(".zip")
    try:
        with _opened(path) as opened, zipfile.ZipFile(opened) as file:
            names = {entry.filename for entry in file.infolist()}
            if "data" in names and _JSON not in names:
                raise ValueError(
                    f"{_named(path)} is stable-baselines3's own zip, which holds pickles and is not read here; "
                    "if you trust it: model.set_parameters(path)"
                )
            for name in (_JSON, _TENSORS):
                if name not in names or file.getinfo(name).compress_type != zipfile.ZIP_STORED:
                    raise ValueError(f"{_named(path)} was not written by save(): it has no {name}")
            if file.getinfo(_JSON).file_size > _MAX_JSON:
                raise ValueError(f"{_named(path)} was not written by save(): its {_JSON} is too large")
            try:
                about = parse_json(file.read(_JSON))
            except ValueError as error:
                raise NotReadableError(f"was not written by save(): {_JSON} {error}") from error
            tensors = read_tensors(file.read(_TENSORS))
    except NotReadableError as error:
        raise ValueError(f"{_named(path)} {error}") from error
    except (zipfile.BadZipFile, SafetensorError, EOFError) as error:
        raise ValueError(f"{_named(path)} was not written by save(), or is damaged: {error}") from error
    if not isinstance(about, dict) or about.get("format") != _FORMAT or about.get("version") != _VERSION:
        raise ValueError(f"{_named(path)} was not written by save() of this version ({_FORMAT} {_VERSION})")
    return about, tensors


def class_saved(path: pathlib.Path) -> str | None:
    """The name of the class whose `save` wrote the file; None if none of these did. Nothing in the file is run.

    Raises:
        ValueError: it was written so, and is damaged.
    """
    try:
        with _opened(path) as opened, zipfile.ZipFile(opened) as file:
            ours = _JSON in file.namelist()
    except (OSError, NotReadableError, zipfile.BadZipFile, EOFError):
        return None
    return str(read_zip(path)[0].get("class")) if ours else None


@contextmanager
def _opened(path: str | pathlib.Path | BinaryIO) -> Iterator[BinaryIO]:
    if isinstance(path, str | pathlib.Path):
        with open_regular(path, _LARGEST) as (file, _):
            yield file
    else:
        yield path


def _named(path: object) -> str:
    return str(path) if isinstance(path, str | pathlib.Path) else "the file"


def _arguments(kind: type) -> set[str]:
    made = kind.__dict__.get("__init__")
    return set() if made is None else set(inspect.signature(made).parameters)


def _encoded(value: Any) -> Any:
    """`value` as JSON values.

    Raises:
        _NoWordsError: there are no words for it.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.integer | np.floating):
        return value.item()
    if isinstance(value, TrainFreq):
        return {"$tuple": [value.frequency, value.unit.value]}
    if isinstance(value, tuple):
        return {"$tuple": [_encoded(one) for one in value]}
    if isinstance(value, list):
        return [_encoded(one) for one in value]
    if isinstance(value, dict) and all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {key: _encoded(one) for key, one in value.items()}
    if isinstance(value, FloatSchedule):
        return _encoded(value.value_schedule)
    if isinstance(value, ConstantSchedule):
        return value.val
    if isinstance(value, LinearSchedule):
        return {"$linear": [value.start, value.end, value.end_fraction]}
    for place in ("nn", "optim"):
        name = getattr(value, "__name__", "")
        if isinstance(value, type) and getattr(getattr(torch, place), name, None) is value:
            return {"$torch": [place, name]}
    raise _NoWordsError


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "$tuple" in value:
        return tuple(_decoded(one) for one in value["$tuple"])
    if "$linear" in value:
        return LinearSchedule(*map(float, value["$linear"]))
    if "$torch" in value:
        place, name = value["$torch"]
        found = getattr(getattr(torch, place), name, None) if place in ("nn", "optim") else None
        if not isinstance(found, type):
            raise ValueError(f"this version of torch has no torch.{place}.{name}")
        return found
    return {key: _decoded(one) for key, one in value.items()}


def _space(space: spaces.Space[Any], name: str, tensors: dict[str, torch.Tensor]) -> dict[str, Any]:
    if isinstance(space, spaces.Discrete):
        return {"kind": "Discrete", "n": int(space.n), "start": int(space.start)}
    if isinstance(space, spaces.MultiBinary):
        return {"kind": "MultiBinary", "n": [int(n) for n in space.shape]}
    if isinstance(space, spaces.MultiDiscrete):
        return {"kind": "MultiDiscrete", "nvec": space.nvec.tolist()}
    assert isinstance(space, spaces.Box)
    for bound in ("low", "high"):
        tensors[f"{name}.{bound}"] = torch.as_tensor(getattr(space, bound))
    return {"kind": "Box", "name": name, "dtype": str(space.dtype)}


def _space_of(described: dict[str, Any], tensors: dict[str, torch.Tensor]) -> spaces.Space[Any]:
    if described["kind"] == "Box":
        low, high = (tensors[f"{described['name']}.{bound}"].numpy() for bound in ("low", "high"))
        return spaces.Box(low, high, dtype=np.dtype(described["dtype"]).type)
    if described["kind"] == "MultiDiscrete":
        return spaces.MultiDiscrete(described["nvec"])
    if described["kind"] == "MultiBinary":
        return spaces.MultiBinary(described["n"])
    return spaces.Discrete(described["n"], start=described["start"])
