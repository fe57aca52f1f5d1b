"""Whatever is wrong with a config gets one sentence: where, which key, what it is and what it should be."""

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from nenette_agents.config.files import parse
from nenette_agents.config.loading import load_config
from nenette_agents.config.model import Config
from nenette_agents.errors import ConfigError

GAME = "one of demi-iles-solo, demi-iles, 421, or module:object of a game of your own,"
GOOD = "game: 421\nalgorithm: ppo\nopponents: [random]\n"


@pytest.fixture
def complaint(tmp_path):
    def about(text: str, *overrides: str) -> str:
        path = tmp_path / "c.yaml"
        path.write_text(text)
        with pytest.raises(ConfigError) as caught:
            load_config(path, list(overrides))
        return str(caught.value).replace(str(path), "c.yaml")

    return about


def test_numbers_of_steps_may_be_written_with_an_exponent(tmp_path, complaint):
    path = tmp_path / "c.yaml"
    path.write_text(f"{GOOD}total_timesteps: 1e6\nppo: {{n_steps: 1.28e2}}\nself_play: {{renew_every: 2.0e+4}}\n")
    config = load_config(path, ["evaluation.every=2e5"])
    found = [config.total_timesteps, config.ppo.n_steps, config.self_play.renew_every, config.evaluation.every]
    assert found == [1_000_000, 128, 20_000, 200_000]
    assert {type(one) for one in found} == {int}
    for refused in ("1.5", "1e-3", ".inf", "true", "1e11", "'1e6'"):
        assert "total_timesteps is " in complaint(GOOD, f"total_timesteps={refused}")


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        (
            "ppo.learning_rate=fast",
            "--set ppo.learning_rate=fast: ppo.learning_rate is 'fast'; a number of at least 0 and at most 1, or a "
            "schedule such as lin_1e-3, which goes to 0, or {initial: 1e-3, final: 1e-5}, was expected",
        ),
        ("ppo.gamma=1.5", "--set ppo.gamma=1.5: ppo.gamma is 1.5; a number of at least 0 and at most 1 was expected"),
        ("ppo.gamma=.nan", "--set ppo.gamma=.nan: ppo.gamma is nan; a number of at least 0 and at most 1 was expected"),
        ("seed=-1", "--set seed=-1: seed is -1; an integer of at least 0 and below 4294967296 was expected"),
        ("seed=true", "--set seed=true: seed is True; an integer of at least 0 and below 4294967296 was expected"),
        ("seed=1.0", "--set seed=1.0: seed is 1.0; an integer of at least 0 and below 4294967296 was expected"),
        (
            "network.net_arch=[1,a]",
            "--set network.net_arch=[1,a]: network.net_arch.1 is 'a'; "
            "an integer of at least 1 and at most 4096 was expected",
        ),
        (
            "network.activation_fn=tan",
            "--set network.activation_fn=tan: network.activation_fn is 'tan'; "
            "one of tanh, relu was expected; did you mean 'tanh'?",
        ),
        (
            "ppo.vf_net_arch=[8,0]",
            "--set ppo.vf_net_arch=[8,0]: ppo.vf_net_arch.1 is 0; "
            "an integer of at least 1 and at most 4096 was expected",
        ),
        (
            "ppo.vf_net_arch=8",
            "--set ppo.vf_net_arch=8: ppo.vf_net_arch is 8; "
            "a list (at most 8), each an integer of at least 1 and at most 4096, or null was expected",
        ),
        (
            "network=3",
            "--set network=3: network is 3; "
            "a mapping with some of net_arch, activation_fn, crossed, looks_at was expected",
        ),
        (
            "game=demi",
            f"--set game=demi: game is 'demi'; {GAME} was expected; did you mean 'demi-iles'?",
        ),
        (
            "opponents=3",
            "--set opponents=3: opponents is 3; "
            "a name, a list of names, or a mapping of names to their shares was expected",
        ),
        ("opponents={random: 0}", "--set opponents={random: 0}: opponents.random is 0; a number above 0 was expected"),
        ("rules.fiches=0", "--set rules.fiches=0: rules: fiches is an integer from 1 to 100, not 0"),
        ("rules=1", "--set rules=1: rules is 1; a mapping of keys to values was expected"),
        (
            "ppo.batch_size=9999",
            "--set ppo.batch_size=9999: ppo.batch_size is 9999; "
            "at most 2048 was expected: n_steps (128) times n_envs (16)",
        ),
        (
            "ppo.batch_size=100",
            "--set ppo.batch_size=100: ppo.batch_size is 100; a divisor of 2048, n_steps times n_envs, was expected",
        ),
        (
            "dqn.gamma=1",
            "--set dqn.gamma=1: dqn has settings, but algorithm is 'ppo'; its settings are expected under ppo",
        ),
        (
            "network.looks_at=[own_fichs]",
            "--set network.looks_at=[own_fichs]: network.looks_at is ['own_fichs']; "
            "no field of 421 is called 'own_fichs'; did you mean 'own_fiches'?",
        ),
        (
            "network={crossed: own_fiches, looks_at: ['*']}",
            "--set network={crossed: own_fiches, looks_at: ['*']}: network.looks_at is ['*']; "
            "null was expected, for network.crossed takes all fields",
        ),
        (
            "network.crossed=own fichs",
            "--set network.crossed=own fichs: network.crossed is 'own_fichs'; "
            "one of own_fiches_de_manche, opponent_fiches_de_manche, own_fiches, opponent_fiches, fiches_in_the_bank, "
            "throws_allowed_less_one, throws_made was expected; did you mean 'own_fiches'?",
        ),
        (
            "total_timesteps=9",
            "--set total_timesteps=9: total_timesteps is 9; at least one rollout of 2048 steps was expected",
        ),
        ("seed", "--set 'seed': key=value was expected, for example --set ppo.gamma=0.99"),
        ("a..b=1", "--set 'a..b=1': key=value was expected, for example --set ppo.gamma=0.99"),
        ("game.x=1", "--set game.x=1: game is 421, and so has no keys of its own"),
        (
            "evaluation.against=self",
            "--set evaluation.against=self: evaluation.against is 'self'; a name other than self was expected",
        ),
        (
            "evaluation.against=runs/none",
            "--set evaluation.against=runs/none: evaluation.against is 'runs/none'; "
            "an opponent was expected, but there is no policy at runs/none: no such file or folder",
        ),
    ],
)
def test_an_impossible_override_is_reported_with_its_key_and_value(complaint, override, sentence):
    assert complaint(GOOD, override) == sentence


def test_an_unknown_key_gets_the_nearest_one_of_its_section(complaint):
    sentence = complaint(GOOD + "ppo: {learnin_rate: 1}\n")
    assert sentence.startswith("c.yaml: ppo.learnin_rate (1) is no key of a config; learning_rate, ")
    assert sentence.endswith("max_grad_norm, vf_net_arch were expected; did you mean 'ppo.learning_rate'?")
    assert complaint(GOOD + "sed: 1\n").endswith("did you mean 'seed'?")


def test_an_unknown_opponent_gets_the_nearest_one(complaint):
    sentence = complaint(GOOD, "opponents=[random, rndom]")
    assert sentence.startswith("--set opponents=[random, rndom]: opponents is 'rndom'; one of self, past, random")
    assert sentence.endswith("or a run, by folder or by name, was expected; did you mean 'random'?")


def test_an_unknown_rule_gets_the_nearest_one(complaint):
    sentence = complaint(GOOD + "rules: {fichs: 3}\n")
    assert sentence.startswith("c.yaml: rules: 421 has no rule 'fichs'")
    assert sentence.endswith("did you mean 'fiches'?")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "c.yaml: this file is empty; a mapping with at least game and algorithm was expected"),
        ("# nothing\n", "c.yaml: this file is empty; a mapping with at least game and algorithm was expected"),
        ("- a\n", "c.yaml: a mapping of keys to values was expected, and this is a list"),
        ("words", "c.yaml: a mapping of keys to values was expected, and this is a single value"),
        (
            "algorithm: ppo",
            f"c.yaml: game is missing; {GAME} was expected",
        ),
        (
            "1: 2",
            f"c.yaml: game is missing; {GAME} was expected",
        ),
        (GOOD + "1: 2", "c.yaml: the key 1 is no text, and a name was expected"),
        (
            "seed: 1\nseed: 2",
            "c.yaml: this is not YAML that can be read: the key 'seed' is given twice (line 2, column 1)",
        ),
        (
            "a: &x 1\nb: *x",
            "c.yaml: this is not YAML that can be read: aliases (*name) are not read (line 2, column 4)",
        ),
        (
            "a: !!python/name:os.system",
            "c.yaml: this is not YAML that can be read: tags (!name) are not read (line 1, column 4)",
        ),
        ("[" * 5000, "c.yaml: this is not YAML that can be read: it is nested too deeply (line 1, column 21)"),
    ],
)
def test_a_file_that_is_no_config_gets_a_sentence(complaint, text, sentence):
    assert complaint(text) == sentence


def test_the_solo_game_has_nobody_else(complaint):
    solo = "game: demi-iles-solo\nalgorithm: dqn\n"
    assert complaint(solo + "opponents: [random]\n") == (
        "c.yaml: opponents is ['random']; an empty list was expected, for nobody else plays the solo game"
    )
    assert complaint(solo, "evaluation.against=random") == (
        "--set evaluation.against=random: evaluation.against is 'random'; "
        "null was expected, for nobody else plays the solo game"
    )


def test_other_games_have_somebody_else(complaint):
    assert complaint("game: demi-iles\nalgorithm: dqn\n").startswith(
        "c.yaml: opponents is []; a list of at least one was expected (self, past, random"
    )


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "421-ppo.yaml").write_text(GOOD)
    with pytest.raises(ConfigError, match=r"421-pp\.yaml: there is no such file; did you mean .*421-ppo\.yaml\?$"):
        load_config(tmp_path / "421-pp.yaml")
    with pytest.raises(ConfigError, match=r"a YAML file was expected, and this is no regular file$"):
        load_config(tmp_path)
    (tmp_path / "latin.yaml").write_bytes("game: d\xe9".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"this is not a text file in UTF-8$"):
        load_config(tmp_path / "latin.yaml")


def test_overrides_win_in_their_order_and_the_seed_option_wins_over_them(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(GOOD + "ppo: {gamma: 0.5}\n")
    config = load_config(path, ["ppo.gamma=0.6", "ppo.gamma=0.7", "seed=3", "network.net_arch=[8]"], seed=4)
    assert (config.ppo.gamma, config.seed, config.network.net_arch, config.game) == (0.7, 4, [8], "421")


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e-4", 1e-4), ("010", 10.0), ("1:30", "1:30"), ("yes", "yes"), ("2024-01-01", "2024-01-01"), ("3_000", 3000)],
)
def test_scalars_are_what_they_look_like(text, value):
    assert parse(text, "here") == value


def test_all_defaults_are_written_out_and_read_back_the_same(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(GOOD)
    config = load_config(path)
    path.write_text(yaml.safe_dump(config.model_dump(mode="json", exclude_none=True)))
    assert load_config(path) == config


keys = st.sampled_from(sorted(Config.model_fields)) | st.text(max_size=5)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(keys, values, max_size=5))
def test_any_mapping_is_a_config_or_gets_one_sentence(tmp_path_factory, document):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")
    _read_or_one_sentence(path)


@given(st.text() | st.binary())
def test_any_bytes_are_a_config_or_get_one_sentence(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    _read_or_one_sentence(path)


@given(st.text(max_size=20) | st.builds("{}={}".format, keys, st.text(max_size=10)))
def test_any_override_is_taken_or_gets_one_sentence(tmp_path_factory, override):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text(GOOD)
    _read_or_one_sentence(path, [override])


def _read_or_one_sentence(path, overrides=()):
    try:
        load_config(path, list(overrides))
    except ConfigError as error:
        text = str(error)
        assert text
        assert not re.search(r"[\r\n]", text.replace("".join(overrides), ""))
        assert len(text) < 1000


def test_bounds_are_in_or_out_as_their_sentences_say(tmp_path, complaint):
    for refused in ("-0.1", "1.5", "lin_2", "{initial: 0, final: 2}"):
        assert "a number of at least 0 and at most 1, or" in complaint(GOOD, f"ppo.learning_rate={refused}")
    small = ["algorithm=dqn", "dqn={learning_starts: 0}", "total_timesteps=8"]
    path = tmp_path / "good.yaml"
    path.write_text(GOOD)
    assert load_config(path, ["ppo.learning_rate=0"]).ppo.learning_rate == 0
    assert load_config(path, ["ppo.learning_rate=1", "ppo.ent_coef=0"]).ppo.ent_coef == 0
    assert load_config(path, [*small, "n_envs=8"]).n_envs == 8
    assert complaint(GOOD, *small, "n_envs=9").endswith("n_envs is 9; at most total_timesteps (8) was expected")
