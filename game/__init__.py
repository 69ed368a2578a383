"""The game: people against computer players, in the terminal.

`session` holds a match and who sits where, and writes and reads saved games; `hints` finds what a hand offers;
`messages` has every sentence in every language; `drawing` makes cards and positions of them, `commands` reads what
a person types, `terminal` and `replay` put it all on the screen.
"""
