"""Objects that a config names by their place: "module:object"."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from nenette_agents.errors import ConfigError, nearest, shown

__all__ = ["object_at"]


def object_at(name: str) -> Any:
    """The object at "module:object". The module is imported, also from the working folder: that runs it.

    Raises:
        ConfigError: there is no such module or object, or the module cannot be imported.
    """
    module, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last: what is installed is found first
    try:
        found: Any = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise ConfigError(f"{shown(name)} needs the module {error.name}, which is not installed") from error
        raise ConfigError(f"{shown(name)}: there is no module {module}, neither installed nor in {here}") from error
    except (ImportError, SyntaxError, TypeError, ValueError) as error:
        raise ConfigError(f"{shown(name)} cannot be imported: {' '.join(str(error).split())}") from error
    if not attribute or not hasattr(found, attribute):
        raise ConfigError(f"{shown(name)}: {module} has no {attribute!r}{nearest(attribute, list(vars(found)))}")
    return getattr(found, attribute)
