"""`import nenette`: what it shows, and `python -m nenette`."""

import subprocess
import sys
from importlib import metadata

import pytest

import nenette


def python(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


def test_the_package_shows_what_it_has_and_nothing_else():
    shown = {name for name in dir(nenette) if not name.startswith("__")}
    assert set(nenette.__all__) <= set(dir(nenette))
    assert "load_opponent" in shown
    assert not {"Any", "TYPE_CHECKING", "typing", "import_module", "register_environments"} & shown
    for name in nenette.__all__:
        assert getattr(nenette, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = nenette.nothing


def test_the_version_is_the_distribution_s():
    assert nenette.__version__ == metadata.version("nenette")


@pytest.mark.parametrize("absent", [[], ["torch", "stable_baselines3", "sb3_contrib", "matplotlib", "tensorboard"]])
def test_the_package_runs_as_the_command(absent):
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({absent!r})); sys.argv = ['nenette', '--version']\n"
        "import runpy; runpy.run_module('nenette', run_name='__main__', alter_sys=True)"
    )
    done = python("-c", code)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"nenette {nenette.__version__}\n", "")


def test_the_command_without_its_package_says_what_to_install():
    code = (
        "import sys, importlib.util as util; find = util.find_spec\n"
        "util.find_spec = lambda name, *_: None if name == 'nenette_agents' else find(name)\n"
        "import runpy; runpy.run_module('nenette', run_name='__main__', alter_sys=True)"
    )
    done = python("-c", code)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "nenette: the command line is in nenette_agents, which is not installed beside nenette: in a clone of the "
        "project, pip install .\n"
    )
