"""The command line: one module per command, and the only place that wires edges to the core.

Belongs here: options and their help, reading input through `observe` and `config`, calling the core, tables,
progress bars and JSON, exit codes, and turning a HeadraceError into its one sentence.

Does not belong here: arithmetic on replicas or demand (a number that a table shows comes from `decide` or
`simulate`), parsing of files, a default that the spec already has, an exception caught to go on without its
result.
"""
