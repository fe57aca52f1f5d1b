"""From torch to NumPy: policies that play without what trained them."""
