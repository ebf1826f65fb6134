"""File > Export: tables, plots, the coloured text, the run as a script or a page, and a range of its steps.

    menu: the entries, the dialogs for the file, and the notices.
    picture: any plot as SVG or PNG, and the protocols of plots.
    svg_text: makes the text that Qt writes into an SVG readable in both directions.
    animation_dialog: asks for a range of steps and shows a preview.
    animation_frames: paints the pictures of a range of steps.
    animation_job: the preview, the size and the file, made in a thread.
    gif: writes an animated GIF.
    video: writes MP4 or WebM, where ffmpeg is installed.

Tables are exported by `tables/export.py`, and what needs no window by `files/exports`. It imports `shell`, and is
imported by `main_window` only.
"""
