"""The frame around the panels: menus, views, messages, and what leads from one panel to another.

Actions and menus:
    actions: every action in one table, and the one function that enables them.
    commands: what those actions do that need dialogs, pages or the screen.
    menus: the menu bar.
    undo: undo and redo, on Qt's stack.
    help_dialogs: the list of shortcuts, and About.

Panels:
    preload: what is prepared while the start page is shown.
    panel_links: what a click in one panel brings to the front, and what the palette offers of panels.
    document_view: what a document keeps of the view.

What is shown around them:
    start_page: what is shown while nothing is open.
    progress_bar: the line under the transport: what happens now, or what comes next.
    status_bar: the numbers of the step, at the foot.
    banner: failures, notices and offers.
    title_and_recent: the window's title, the recent files, the way back to the corpus before.
    unsaved_guard: the mark in the title, and the question before unsaved work is lost.
    session_offer: offers what a killed program has kept of its unsaved work.
    theme_switch: system, light or dark.

What Qt leaves to the program:
    drop_target: files and texts that are dropped on the window.
    keyboard_focus: the ring around what has the keyboard, and where Tab goes.
    system_changes: has an open window follow the system's text size and theme.

It imports the panels and what is below them. It is imported by `lessons`, `game` and `export`, which add to the frame,
and by `main_window`, which puts all of it together.
"""
