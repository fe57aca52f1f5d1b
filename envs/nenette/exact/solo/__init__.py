"""The solo game of 21 des Demi-Îles: solved, any policy scored, and the optimum certified."""
