"""What can be done with a merge, a pair, a token, a word, a border or a run, wherever it is shown.

There is one table of these actions. Context menus show them for what is under the mouse or the
keyboard, the menu Selection and its shortcuts for what is selected. It knows no panel: a panel says
what is at a place of it, and the window, where an action leads.

Modules:
    targets: what an action applies to.
    overrides: forcing, skipping and forbidding a pair, each of which makes a branch.
    table: the actions, when each applies, why it cannot be used now, and what it does.
    context_menu: the menu of a target, and the mixin for widgets that have it.
"""
