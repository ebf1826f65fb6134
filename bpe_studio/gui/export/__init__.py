"""File > Export: tables, plots, the coloured text, the run as a script or a page, and an animation.

    menu: the entries, the dialogs for the file, and the notices.
    picture: any plot as SVG or PNG, and the protocols of plots.
    animation: records a presentation of some steps, as an animated GIF, or as MP4 or WebM where
        ffmpeg is installed.

Tables are exported by `tables/export.py`, and what needs no window by `files/exports`. It imports
`shell`, and is imported by `main_window` only.
"""
