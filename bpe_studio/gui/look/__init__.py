"""How the window looks: colours, fonts, icons, and how numbers and tooltips are written. Imports nothing of the window.

Modules:
    theme: the two palettes, the colours of tokens, the accent, the font of numbers.
    widget_palettes: what the style gets wrong with these palettes, by class of widget.
    follows_look: what a widget does when the theme or the text size changes.
    fonts: text that is larger than that of panels.
    icons: glyphs of one set, drawn in the palette's colours.
    numbers_text: numbers in the person's locale.
    plain_tip: tooltips that are shown letter by letter, whatever is in them.
"""
