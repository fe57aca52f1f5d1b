"""OpenSpiel's Game, State and observer for all games, and their registration."""

from dataclasses import asdict, fields
from typing import Any, ClassVar

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from nenette.games import GameSpec, make_game
from nenette.games.checks import check_range
from nenette.games.demi_iles import TARGET, DemiIles, DemiIlesRules, DemiIlesSolo, DemiIlesSoloRules, throw
from nenette.games.quatre21 import THROW, Quatre21, Quatre21Rules
from nenette.games.quatre21_rules import COMBINATIONS, MAX_THROWS
from nenette.games.registry import on_register
from nenette.openspiel.nodes import Kind, Node, Tree

FOR_TWO = 2


def _game_type(
    short_name: str, long_name: str, parameters: dict[str, Any], least_players: int = 2, most_players: int = 6
) -> Any:
    alone = most_players == 1
    return pyspiel.GameType(
        short_name=short_name,
        long_name=long_name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM if alone else pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=most_players,
        min_num_players=least_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )


class DiceGame(pyspiel.Game):
    """A game whose parameters are its rules; `max_turns` is a number here, since OpenSpiel's games are finite.

    Attributes:
        tree: the game as OpenSpiel walks it.
    """

    game_type: ClassVar[Any]
    game_name: ClassVar[str]
    most_outcomes: ClassVar[int]
    """The most outcomes that a throw has."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        parameters: dict[str, Any] = {**self.game_type.parameter_specification, **(params or {})}
        game = make_game(self.game_name, **parameters)
        check_range("max_turns", parameters["max_turns"], game.players)
        alone = game.players == 1
        self.tree = Tree(game, parameters["max_turns"])
        info = pyspiel.GameInfo(
            num_distinct_actions=game.n_actions,
            max_chance_outcomes=self.most_outcomes,
            num_players=game.players,
            min_utility=-1.0 if not alone else self._least(game),
            max_utility=1.0,
            utility_sum=None if alone else 0.0,
            max_game_length=self._longest(game),
        )
        super().__init__(self.game_type, info, params or {})

    def _longest(self, game: Any) -> int:
        """A bound on the number of decisions in a game, and on that of chances."""
        raise NotImplementedError

    def _least(self, game: Any) -> float:
        """A bound on what a player alone may get."""
        return float(-1.0 + min(0.0, game.turn_reward) * self.tree.max_turns)

    def new_initial_state(self) -> "DiceState":
        """The start of a game."""
        return DiceState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """What shows a state to a player."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return DiceObserver(self.tree, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)

    def describe(self, action: int) -> str:
        """A player's action in words."""
        raise NotImplementedError


class DiceState(pyspiel.State):
    """A state of either game, chance's included.

    Attributes:
        node: where the game stands.
    """

    def __init__(self, game: DiceGame) -> None:
        super().__init__(game)
        self._tree = game.tree
        self.node: Node = game.tree.root()

    def current_player(self) -> int:
        """The seat to move, or OpenSpiel's number for chance or for the end."""
        if self.node.kind is Kind.PLAYER:
            return self._tree.game.seat(self.node.state)
        return int(pyspiel.PlayerId.TERMINAL if self.node.kind is Kind.END else pyspiel.PlayerId.CHANCE)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self._tree.game.legal_actions(self.node.state))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Chance's outcomes by number, with their probabilities."""
        assert self.node.chance is not None
        return [(number, float(p)) for number, (_, p) in enumerate(self.node.chance)]

    def _apply_action(self, action: int) -> None:
        """Goes on to the node that follows.

        Raises:
            ValueError: the action is not legal, chance has no such outcome, or the game is over.
        """
        if self.node.kind is Kind.END:
            raise ValueError(f"the game is over: action {action} cannot be played")
        if self.node.chance is not None:
            check_range("an outcome of chance", action, 0, len(self.node.chance) - 1)
        elif action not in (legal := self._tree.game.legal_actions(self.node.state)):
            raise ValueError(f"action {action} is not legal, but {', '.join(map(str, legal))}")
        self.node = self._tree.child(self.node, action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            check_range("an action", action, 0, self._tree.game.n_actions - 1)
            text: str = self.get_game().describe(action)
            return text
        assert self.node.chance is not None
        check_range("an outcome of chance", action, 0, len(self.node.chance) - 1)
        return str(self.node.chance.outcomes[action])

    def is_terminal(self) -> bool:
        """Whether the game is over or has been cut."""
        return self.node.kind is Kind.END

    def returns(self) -> list[float]:
        """Each seat's return; 0 before the end. Where a game is cut, it is 0, too, but for what turns have cost."""
        return list(self.node.returns or (0.0,) * self._tree.game.players)

    def __str__(self) -> str:
        """Tells the state from every other one of its game, the number of turns included."""
        return str(self.node)


class DiceObserver:
    """Shows a state as the environments do: `Game.codec`, from the player's side. Where the opening is still to come,
    all features are 0.

    Attributes:
        tensor: float32, (size,).
        dict: the same by name.
    """

    def __init__(self, tree: Tree, params: Any) -> None:
        if params:
            raise ValueError(f"the observer takes no parameters, {params!r} were given")
        self._game = tree.game
        self.tensor: NDArray[np.float32] = np.zeros(tree.game.codec.size, dtype=np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: DiceState, player: int) -> None:
        """Fills `tensor` with what `player` sees."""
        seen = state.node.state
        self.tensor[:] = 0.0 if seen is None else self._game.codec.encode_one(self._game.encode(seen, player))

    def string_from(self, state: DiceState, player: int) -> str:
        """The state in full: everybody sees everything."""
        return str(state)


class DemiIlesGame(DiceGame):
    """`nenette_demi_iles(players=2,max_turns=200,starter=seat_0)`: 21 des Demi-Îles for two to six."""

    game_name = DemiIles.name
    game_type = _game_type(
        "nenette_demi_iles",
        "21 des Demi-Îles",
        asdict(DemiIlesRules()),
    )
    most_outcomes = max(len(throw(score, dice)) for score in range(TARGET) for dice in range(3))

    def _longest(self, game: Any) -> int:
        return self.tree.max_turns

    def describe(self, action: int) -> str:
        """How many dice."""
        return ("no die", "one die", "two dice")[action]


class DemiIlesSoloGame(DemiIlesGame):
    """`nenette_demi_iles_solo(max_turns=1000)`: 21 des Demi-Îles alone; the return is -1 for each turn."""

    game_name = DemiIlesSolo.name
    game_type = _game_type(
        "nenette_demi_iles_solo",
        "21 des Demi-Îles, alone",
        asdict(DemiIlesSoloRules()),
        least_players=1,
        most_players=1,
    )
    most_outcomes = max(len(throw(score, dice)) for score in range(TARGET + 1) for dice in range(3))


class Quatre21Game(DiceGame):
    """`nenette_421(...)`: a match for two to six, with the fields of `Quatre21Rules`; `max_turns=1000` by default."""

    game_name = Quatre21.name
    game_type = _game_type("nenette_421", "421", {**asdict(Quatre21Rules()), "max_turns": 1000})
    most_outcomes = len(COMBINATIONS)

    def _longest(self, game: Any) -> int:
        openings: int = 1 + game.players * game.rules.manches_to_lose
        return MAX_THROWS * self.tree.max_turns + openings

    def describe(self, action: int) -> str:
        """Which dice are thrown again."""
        again = [str(die + 1) for die in range(THROW.bit_length()) if action >> die & 1]
        return f"throw again {' '.join(again)}" if again else "stop"


class AnyGame(DiceGame):
    """A game that somebody has registered with `nenette.games.register`; its rules are the parameters."""

    most_decisions: ClassVar[int]

    def _longest(self, game: Any) -> int:
        return self.most_decisions * (self.tree.max_turns + 1)

    def describe(self, action: int) -> str:
        """Its number."""
        return f"action {action}"


def _class_of(spec: GameSpec, name: str) -> type[DiceGame]:
    usual: Any = spec.rules()
    if not isinstance(getattr(usual, "max_turns", None), int) or not spec.most_outcomes:
        raise ValueError(
            f"{spec.name} cannot be offered to OpenSpiel as {name!r}: that takes a rule max_turns whose default is a "
            "number, and the spec's most_outcomes"
        )
    several = any(field.name == "players" for field in fields(spec.rules))
    players = spec.make().players
    least, most = (min(FOR_TWO, players), max(6, players)) if several else (players, players)
    about = {
        "game_name": spec.name,
        "game_type": _game_type(name, spec.name, asdict(usual), least, most),
        "most_outcomes": spec.most_outcomes,
        "most_decisions": spec.most_decisions,
    }
    return type(f"OpenSpielGameOf{spec.game.__name__}", (AnyGame,), about)


_OURS: dict[str, type[DiceGame]] = {game.game_name: game for game in (DemiIlesGame, DemiIlesSoloGame, Quatre21Game)}
GAMES: list[str] = []
"""Names that `pyspiel.load_game` knows."""


def _register(spec: GameSpec) -> None:
    if spec.openspiel is None:
        return
    game = _OURS.get(spec.name) or _class_of(spec, spec.openspiel)
    pyspiel.register_game(game.game_type, game)
    GAMES.append(spec.openspiel)


on_register(_register)
