"""What commands print: tables, progress."""
