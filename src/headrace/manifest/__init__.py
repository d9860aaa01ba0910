"""What a Kubernetes manifest says of a model server: frozen values, each with its place in the file.

Belongs here: finding resources, pods, servers and what refers to them; reading command lines, shell scripts, probes
and selectors. What cannot be known is None or stands among `Server.unknown`; nothing here guesses, and nothing raises,
whatever shape a file has.

Does not belong here: a judgement on any of it (that is `lint`), reading or writing files, facts about one engine (they
come as `engine.Engine` values).
"""
