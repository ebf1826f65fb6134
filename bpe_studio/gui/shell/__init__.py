"""The frame around the panels: menus, messages, and the links between panels.

Actions and menus:
    actions: every action in one table, and the one function that enables them.
    commands: the actions that need dialogs, pages or the screen; the list of shortcuts, and About.
    menus: the menu bar.
    undo: undo and redo, on Qt's stack.

Panels:
    panel_links: the panel that a click in another one shows, and the palette's entries of panels.
    document_view: the part of the view that a document stores.
    merge_motion: a step by one merge, shown as one motion above the panels.

Around the panels:
    start_page: the page that is shown while nothing is open.
    progress_bar: the lines below the typed text: the merge that was just made, and the activity or
        the next merge.
    status_bar: the numbers of the step, at the foot.
    banner: failures, notices and offers.
    colour_choice: the choice of colours by place or by token.
    title_and_recent: the window's title with its mark, and the recent files.
    unsaved_guard: the question before the window is closed, if unsaved work cannot be kept.
    session_offer: the offer of unsaved work that was kept.
    theme_switch: the choice of the system's theme, light or dark.

Beyond Qt:
    keyboard_focus: the ring around the widget with the keyboard focus, and the tab order.
    text_size: the zoom of the whole window, which follows the system's text size.
    window_place: keeps the window wholly on a screen that exists.

It imports the panels and the layers below them. `lessons`, `game` and `export`, which add to the
frame, and `main_window`, which puts everything together, import it.
"""
