"""The window. It draws the workspace and sends it what a user wants; it computes nothing about
tokenizers.

    app             starts the program: checks the display, shows the window, ends cleanly
    main_window     composes the panels and the frame; connects each action to what it does
    screenshot      saves a picture of the window, as `--screenshot` asks
    display_check   says in words why no window can open

What all panels share, from the bottom:

    look/           colours, icons, fonts
    widgets/        labels, controls and layouts that know no tokenizer
    background/     when panels repaint, and what is done outside the window's thread
    actions_on/     what can be done with a merge, a token, a word ...: context menus and their
                    actions
    tables/         the one table of the program: model, view, filter, export
    tokens/         tokens wherever they are drawn
    plots/          curves

What a user sees, a package each:

    settings/       the form of the settings, with its live preview
    saving/         the dialog that saves the tokenizer, and the report on it
    extending/      the forms Extend… and Prune…
    trainer_check/  the form that checks somebody's own trainer, and its answer
    text/           the typed text in coloured tokens
    timeline/       the transport and the timeline
    corpus/         the corpus, its words, and the lines in which a token occurs
    merges/         the merges, the candidates, and overriding them
    vocabulary/     every token of the step in one table
    doctor/         what is wrong with the tokenizer of the step, token by token
    why/            why a pair, a token, a cut is as it is
    worksheet/      a worksheet with its key, as a PDF
    skyline/        the merge trees of the typed text
    compare/        sizes, runs and tokenizers compared
    runs/           the list of runs and branches, and how a new one is trained
    marks/          breakpoints and bookmarks
    command_palette/    finds anything by its name
    help/           the manual and the glossary inside the program
    views/          which panels are shown together, where, and how large
    shell/          the frame around them: menus, messages
    export/         File > Export
    lessons/, game/     guided lessons, and the game "Guess the next pair"

Panels do not import each other, nor what is above them; the order is a contract in pyproject.toml.
"""
