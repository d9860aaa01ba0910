"""Model servers, one module each, found by `registry`: what they are called, what their pages show.

Belongs here: a frozen `engine.Engine` named ``ENGINE`` for each kind of server, and where its facts are from.

Does not belong here: I/O of any kind, reading what the descriptions name (that is `observe`), a judgement on it
(that is `decide`), one engine's import of another.
"""
