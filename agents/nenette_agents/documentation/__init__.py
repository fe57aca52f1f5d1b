"""Pages of docs/ that are made from the code; `python scripts/documentation.py` writes them."""
