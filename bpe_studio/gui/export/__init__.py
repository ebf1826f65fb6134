"""File > Export: tables, plots, the coloured text, the run as a script or a page, and an animation.

    menu: the entries, the dialogs for the file, and the notices.
    picture: any plot as SVG or PNG, and the protocols of plots.
    svg_text: makes the text that Qt writes into an SVG readable in both directions.
    animation: records a presentation of some steps, as an animated GIF or a video.
    video: writes MP4 or WebM, where ffmpeg is installed.

Tables are exported by `tables/export.py`, and what needs no window by `files/exports`. It imports
`shell`, and is imported by `main_window` only.
"""
