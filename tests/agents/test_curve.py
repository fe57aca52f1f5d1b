"""The picture of a run: where its curve begins, what the best is, and that nothing lies on it."""

import json

import pytest
from matplotlib.figure import Figure

from nenette_agents.runs.folders import Run
from nenette_agents.runs.listing import draw_curve


@pytest.fixture
def drawn(monkeypatch):
    """The figures that were drawn."""
    figures, save = [], Figure.savefig

    def keep(figure, *arguments, **options):
        save(figure, *arguments, **options)
        figures.append(figure)

    monkeypatch.setattr(Figure, "savefig", keep)
    return figures


def lines(trained, name):
    return [json.loads(line) for line in (trained(name).folder / "metrics.jsonl").read_text().splitlines()]


def test_the_legend_lies_below_the_curves(trained, drawn, tmp_path):
    draw_curve(lines(trained, "demi-iles-ppo"), tmp_path / "curve.png", "title")
    figure = drawn[-1]
    (axes,), (legend,) = figure.axes, figure.legends
    assert axes.get_legend() is None
    assert len(legend.get_texts()) == len(axes.get_lines()) >= 3, "each line has its words"
    assert legend.get_window_extent().y1 <= axes.get_tightbbox().y0, "the legend ends where the picture begins"
    box = figure.bbox
    assert (legend.get_window_extent().x0, legend.get_window_extent().y0) >= (box.x0, box.y0)
    assert legend.get_window_extent().x1 <= box.x1


def test_a_curve_begins_where_the_learner_does(trained, drawn, tmp_path):
    metrics = lines(trained, "demi-iles-ppo")
    assert metrics[0]["step"] == 0
    draw_curve(metrics, tmp_path / "curve.png", "title")
    (axes,) = drawn[-1].axes
    assert axes.get_xlim()[0] == 0
    assert min(line.get_xdata()[0] for line in axes.get_lines()) == 0


def test_the_solo_game_s_curve_shows_the_fewest_possible_turns(trained, drawn, draw):
    outcome = trained("demi-iles-solo-dqn")
    draw(Run(outcome.folder, {}), outcome.config.make_game(), outcome.config)
    (axes,), (legend,) = drawn[-1].axes, drawn[-1].legends
    (optimum,) = (line for line in axes.get_lines() if line.get_linestyle() == "--")
    assert list(optimum.get_ydata()) == pytest.approx([-80.88307334379842] * 2, abs=1e-9)
    assert "perfect play, no game cut: 80.88 turns" in [text.get_text() for text in legend.get_texts()]
