"""The window. It shows the workspace and passes on the user's actions; it computes nothing about
tokenizers.

    app             starts the program: checks the display, shows the window, ends cleanly
    main_window     puts the panels and the frame together; connects each action to its function
    screenshot      saves a picture of the window, as `--screenshot` asks
    display_check   finds out why no window can open

Packages that all panels share, from the bottom:

    look/           colours, icons, fonts
    widgets/        labels, controls and layouts that know no tokenizer
    background/     repainting of panels, and work outside the window's thread
    actions_on/     actions on a merge, a token, a word ..., and their context menus
    tables/         the one table of the program: model, view, filter, export
    tokens/         tokens wherever they are drawn
    plots/          charts

Panels, pages and the frame, a package each:

    settings/       the form of the settings, with its live preview
    saving/         the dialog that saves the tokenizer, and the report on it
    extending/      the forms Extend… and Prune…
    trainer_check/  the form that checks the user's own trainer, and its answer
    text/           the typed text in coloured tokens
    timeline/       the transport and the timeline
    corpus/         the corpus, its words, and the lines in which a token occurs
    merges/         the merges, the candidates, and overriding them
    vocabulary/     every token of the step in one table
    doctor/         problems of the tokenizer at the current step, token by token
    why/            the reasons for a merge, a token, a border or a word
    worksheet/      a worksheet with its key, as a PDF
    skyline/        the merge trees of the typed text
    compare/        sizes, runs and tokenizers compared
    runs/           the dialog and the menu that start a run to compare with
    marks/          breakpoints and bookmarks
    command_palette/    finds anything by its name
    help/           the manual and the glossary inside the program
    views/          the places and sizes of the panels
    shell/          the frame around them: menus, messages, start page
    export/         File > Export
    lessons/, game/     guided lessons, and the game "Guess the next pair"
    present/        the presentation, which fills the screen

Panels do not import each other, nor packages above them; pyproject.toml has the order as a
contract.
"""
