"""File > Export: tables, plots, the coloured text, the run as a script or a page, and an animation.

    menu: the entries, the dialogs for the file, and the notices.
    picture: any plot as SVG or PNG, and the protocols of plots.
    animation: records a presentation of some steps as an animated GIF, or, with ffmpeg, as MP4 or
        WebM.
`tables/export.py` exports tables, `files/exports` everything that needs no window. Only
`main_window` imports this package, which imports `shell`.
"""
