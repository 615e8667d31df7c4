"""tests/kit - what the black-box tests share: the running stack, a client, checks of answers."""
