"""The actions on a merge, a pair, a token, a word, a border or a run, wherever it is shown.

They are in one table. A context menu offers them for the thing under the mouse or the keyboard
focus, the menu Selection and its shortcuts for the selection. The table knows no panel: a panel
says what is at a place, and the window says where an action leads.

Modules:
    targets: the things that an action applies to.
    overrides: forcing, skipping and forbidding a pair, each of which makes a branch.
    table: the actions, when each applies, why it cannot be used now, and what it does.
    context_menu: the menu of a target, and the mixin for widgets that have it.
"""
