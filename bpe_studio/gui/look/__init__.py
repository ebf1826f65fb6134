"""The look of the window: colours, fonts, icons, and how numbers and tooltips are written.

It imports no other package of the window.

Modules:
    theme: the two palettes, the colours of tokens, the accent colour, the font of numbers.
    style: Fusion with flat buttons, scroll bars without arrows, and menus as cards.
    follows_look: the mixin for widgets that react to a change of theme or font size.
    fonts: larger text for headings and figures.
    icons: glyphs of one icon font, in the palette's colours.
    qt_menus: context menus of Qt's own widgets, without a loop of their own.
    qt_text: numbers in the user's locale, and tooltips that are never rich text.
"""
