"""`python -m nenette_agents` is `nenette`."""

from nenette_agents.cli.app import main

main()
