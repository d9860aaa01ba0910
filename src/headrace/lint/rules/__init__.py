"""The rules, one module each, found by `registry`: its name is the rule's, its docstring the rule's page.

Belongs here: a frozen `lint.rule.Rule` named ``RULE`` for each.

Does not belong here: one rule's import of another; what two rules need stands one level up.
"""
