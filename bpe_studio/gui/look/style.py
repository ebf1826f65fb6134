"""The style of the window: Fusion, with flat buttons, scroll bars without arrows, and menus and
tooltips as cards.

Fusion keeps its geometry; this style only paints a few elements differently, in translucent greys
that suit both palettes. There are no style sheets: Qt matches a style sheet of the application
against every widget, and a widget with a style sheet of its own follows neither the palette nor the
font of the application.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QGuiApplication,
    QIcon,
    QPainter,
    QPalette,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QComboBox,
    QFrame,
    QListView,
    QMenu,
    QProxyStyle,
    QStyle,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStyleOptionComplex,
    QStyleOptionSlider,
    QStyleOptionSpinBox,
    QStyleOptionToolButton,
    QToolButton,
    QWidget,
)

from bpe_studio.gui.look.qt_menus import without_loop

if TYPE_CHECKING:
    from PySide6.QtWidgets import QStyleHintReturn

_Primitive = QStyle.PrimitiveElement
_Control = QStyle.ControlElement
_Complex = QStyle.ComplexControl
_Part = QStyle.SubControl
_State = QStyle.StateFlag
_Hint = QStyle.StyleHint
_Metric = QStyle.PixelMetric
Widget: TypeAlias = QWidget | None
Option: TypeAlias = QStyleOption | None
PRIMARY = "is_primary"
"""The property of a tool button that is filled while it can be pressed, as a default push button
is.
"""
_GREY = QColor(120, 128, 140)
_FILLED = QColor(92, 100, 111)
_FILLED_OVER = QColor(108, 116, 128)
_ROUND_PX = 5.0
_LEAST_HANDLE_PX = 28
_SPLITTER_PX = 9
_WITHOUT_ALPHA = ("xcb", "minimal", "vnc", "linuxfb")
_SCALED = frozenset(
    (
        _Metric.PM_IndicatorWidth,
        _Metric.PM_IndicatorHeight,
        _Metric.PM_ExclusiveIndicatorWidth,
        _Metric.PM_ExclusiveIndicatorHeight,
        _Metric.PM_SmallIconSize,
        _Metric.PM_ButtonIconSize,
        _Metric.PM_ScrollBarExtent,
        _Metric.PM_SliderThickness,
        _Metric.PM_SliderLength,
        _Metric.PM_TabBarScrollButtonWidth,
    )
)
_LABELS = (_Control.CE_PushButtonLabel, _Control.CE_ToolButtonLabel)
_HINTS = {
    _Hint.SH_ComboBox_Popup: 0,
    _Hint.SH_DialogButtonBox_ButtonsHaveIcons: 0,
    _Hint.SH_Menu_Scrollable: 1,
}


class Style(QProxyStyle):
    """The style; the application keeps it.

    Attributes:
        scale: the size of everything but fonts, relative to the usual one.
    """

    scale = 1.0

    def __init__(self) -> None:
        super().__init__("Fusion")

    def polish(self, what: object) -> object:  # type: ignore[override]  # Qt has one for each kind of argument
        """Prepare a widget before it is shown for the first time."""
        if isinstance(what, QWidget):
            without_loop(what)
        if isinstance(what, QAbstractScrollArea):
            if what.viewport().autoFillBackground() and not what.autoFillBackground():
                # The background of the rows also lies under their scroll bar.
                what.setBackgroundRole(what.viewport().backgroundRole())
                what.setAutoFillBackground(True)
        elif isinstance(what, QMenu) and _can_be_round():
            what.setWindowFlag(Qt.WindowType.FramelessWindowHint)
            what.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        elif isinstance(what, QFrame) and what.inherits("QComboBoxPrivateContainer"):
            what.installEventFilter(self)
            entries = what.findChild(QListView)
            if isinstance(entries, QListView):
                entries.setSpacing(2)
        return super().polish(what)  # type: ignore[call-overload]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Make the list of a combo box as wide as its entries when it is shown."""
        view = watched.findChild(QListView)
        if (
            event.type() == QEvent.Type.Show
            and isinstance(watched, QFrame)
            and isinstance(view, QListView)
        ):
            bar = view.verticalScrollBar()
            bar_px = bar.sizeHint().width() if bar.maximum() else 0
            wanted = view.sizeHintForColumn(0) + bar_px + 8
            screen = watched.screen().availableGeometry()
            width = max(watched.width(), wanted)
            left = min(watched.x(), max(screen.left(), screen.right() - width))
            watched.setGeometry(left, watched.y(), width, watched.height())
        return False

    def styleHint(
        self,
        hint: _Hint,
        option: Option = None,
        widget: Widget = None,
        returned: QStyleHintReturn | None = None,
    ) -> int:
        """Open combo boxes downwards, show no icons in dialogs, and let long menus scroll."""
        own = _HINTS.get(hint)
        return super().styleHint(hint, option, widget, returned) if own is None else own

    def pixelMetric(self, metric: _Metric, option: Option = None, widget: Widget = None) -> int:
        """The sizes of Fusion; those of marks, icons and handles grow with the letters."""
        if metric == _Metric.PM_SplitterWidth:
            return _SPLITTER_PX
        pixels = super().pixelMetric(metric, option, widget)
        return round(pixels * Style.scale) if Style.scale != 1.0 and metric in _SCALED else pixels

    def drawPrimitive(
        self, element: _Primitive, option: QStyleOption, painter: QPainter, widget: Widget = None
    ) -> None:
        """Paint one of the elements that look different, or leave it to Fusion."""
        paint = _PAINTED.get(element)
        if paint is None:
            super().drawPrimitive(element, option, painter, widget)
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint(painter, option, widget)
        painter.restore()

    def drawControl(
        self, element: _Control, option: QStyleOption, painter: QPainter, widget: Widget = None
    ) -> None:
        """Write on filled buttons in white, and show a splitter under the mouse."""
        if element == _Control.CE_Splitter:
            _paint_splitter(painter, option)
            return
        if element in _LABELS and _is_filled(option, widget):
            palette = option.palette
            palette.setColor(QPalette.ColorRole.ButtonText, QColor("white"))
            option.palette = palette
            if isinstance(option, QStyleOptionToolButton) and not option.icon.isNull():
                option.icon = QIcon(_in_white(option.icon.pixmap(option.iconSize)))
        super().drawControl(element, option, painter, widget)

    def drawComplexControl(
        self,
        control: _Complex,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: Widget = None,
    ) -> None:
        """Paint a scroll bar, a spin box or a combo box; others are composed of primitives."""
        if control == _Complex.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            self._draw_scroll_bar(option, painter, widget)
        elif control == _Complex.CC_SpinBox and isinstance(option, QStyleOptionSpinBox):
            self._draw_spin_box(option, painter, widget)
        elif control == _Complex.CC_ComboBox and isinstance(option, QStyleOptionComboBox):
            self._draw_combo_box(option, painter, widget)
        else:
            super().drawComplexControl(control, option, painter, widget)

    def _draw_scroll_bar(
        self, option: QStyleOptionSlider, painter: QPainter, widget: Widget
    ) -> None:
        handle = self.subControlRect(
            _Complex.CC_ScrollBar, option, _Part.SC_ScrollBarSlider, widget
        )
        across = (
            handle.width() if option.orientation == Qt.Orientation.Vertical else handle.height()
        )
        edge = across / 4
        is_held = bool(option.activeSubControls & _Part.SC_ScrollBarSlider)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        alpha = 1.0 if is_held else 0.7
        painter.setBrush(_grey(alpha))
        painter.drawRoundedRect(QRectF(handle).adjusted(edge, edge, -edge, -edge), 3, 3)
        painter.restore()

    def _draw_spin_box(
        self, option: QStyleOptionSpinBox, painter: QPainter, widget: Widget
    ) -> None:
        control = _Complex.CC_SpinBox
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.frame:
            _paint_field(painter, option, widget)
        for part, turns, enabled in (
            (_Part.SC_SpinBoxUp, 2, option.stepEnabled & option.stepEnabled.StepUpEnabled),
            (_Part.SC_SpinBoxDown, 0, option.stepEnabled & option.stepEnabled.StepDownEnabled),
        ):
            rect = QRectF(self.subControlRect(control, option, part, widget))
            if option.activeSubControls & part and enabled:
                fill = 0.34 if option.state & _State.State_Sunken else 0.18
                painter.fillRect(rect, _grey(fill))
            _paint_arrow(painter, rect, option.palette, turns, is_on=bool(enabled))
        painter.restore()

    def _draw_combo_box(
        self, option: QStyleOptionComboBox, painter: QPainter, widget: Widget
    ) -> None:
        control = _Complex.CC_ComboBox
        arrow = _Part.SC_ComboBoxArrow
        rect = QRectF(self.subControlRect(control, option, arrow, widget))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.frame:
            _paint_button(painter, option, widget)
        _paint_arrow(painter, rect, option.palette, 0, is_on=_is_on(option))
        painter.restore()

    def subControlRect(
        self, control: _Complex, option: QStyleOptionComplex, part: _Part, widget: Widget = None
    ) -> QRect:
        """The place of a part of a control; a scroll bar has no arrows."""
        if control != _Complex.CC_ScrollBar or not isinstance(option, QStyleOptionSlider):
            return super().subControlRect(control, option, part, widget)  # type: ignore[arg-type]  # None is accepted
        is_across = option.orientation == Qt.Orientation.Horizontal
        whole = option.rect
        length = whole.width() if is_across else whole.height()
        span = option.maximum - option.minimum
        handle = length
        if span > 0:
            share = option.pageStep / (span + option.pageStep)
            handle = min(length, max(round(share * length), _LEAST_HANDLE_PX))
        start = self.sliderPositionFromValue(
            option.minimum,
            option.maximum,
            option.sliderPosition,
            length - handle,
            option.upsideDown,
        )
        begin, end = {
            _Part.SC_ScrollBarSlider: (start, start + handle),
            _Part.SC_ScrollBarSubPage: (0, start),
            _Part.SC_ScrollBarAddPage: (start + handle, length),
            _Part.SC_ScrollBarGroove: (0, length),
        }.get(part, (0, 0))
        if begin == end:
            return QRect()
        if is_across:
            rect = QRect(whole.left() + begin, whole.top(), end - begin, whole.height())
        else:
            rect = QRect(whole.left(), whole.top() + begin, whole.width(), end - begin)
        return self.visualRect(option.direction, whole, rect)


def _can_be_round() -> bool:
    """Whether the corners of a menu can be transparent, which plain X11 does not support."""
    return QGuiApplication.platformName() not in _WITHOUT_ALPHA


def _grey(alpha: float) -> QColor:
    colour = QColor(_GREY)
    colour.setAlphaF(alpha)
    return colour


def _outline(
    painter: QPainter, rect: QRect, edge: QColor, fill: QColor | Qt.BrushStyle, round_px: float
) -> None:
    painter.setPen(QPen(edge, 1))
    painter.setBrush(QBrush(fill))
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), round_px, round_px)


def _is_filled(option: QStyleOption, widget: Widget) -> bool:
    """Whether a button is the main one: the one that Enter presses, or a tool button with
    `PRIMARY`.
    """
    if not _is_on(option):
        return False
    if isinstance(option, QStyleOptionButton):
        return bool(option.features & option.ButtonFeature.DefaultButton)
    return isinstance(widget, QToolButton) and bool(widget.property(PRIMARY))


def _in_white(picture: QPixmap) -> QPixmap:
    with QPainter(picture) as painter:
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(picture.rect(), QColor("white"))
    return picture


def _paint_splitter(painter: QPainter, option: QStyleOption) -> None:
    """Paint a line between two parts while the mouse is over it."""
    if option.state & _State.State_MouseOver:
        sides = (4, 0, -3, 0) if option.state & _State.State_Horizontal else (0, 4, 0, -3)
        painter.fillRect(option.rect.adjusted(*sides), option.palette.color(QPalette.ColorRole.Mid))


def _paint_button(painter: QPainter, option: QStyleOption, widget: Widget) -> None:
    state = option.state
    is_on = _is_on(option)
    is_over = bool(state & _State.State_MouseOver)
    if _is_filled(option, widget):
        fill = _FILLED_OVER if is_over else _FILLED
        _outline(painter, option.rect, fill, fill, _ROUND_PX)
        return
    is_down = bool(state & (_State.State_Sunken | _State.State_On))
    fill_alpha = 0.0
    edge_alpha = 0.3
    if is_on:
        fill_alpha = 0.18 if is_over else 0.07
        edge_alpha = 0.65
    if is_on and is_down:
        fill_alpha = 0.34
    if isinstance(widget, QComboBox) and state & _State.State_HasFocus:
        edge_alpha = 1.0
    _outline(painter, option.rect, _grey(edge_alpha), _grey(fill_alpha), _ROUND_PX)


def _paint_tool_button(painter: QPainter, option: QStyleOption, widget: Widget) -> None:
    state = option.state
    if not state & _State.State_AutoRaise:
        _paint_button(painter, option, widget)
    elif state & _State.State_Enabled and state & (
        _State.State_Sunken | _State.State_On | _State.State_MouseOver
    ):
        painter.setPen(Qt.PenStyle.NoPen)
        fill = 0.34 if state & (_State.State_Sunken | _State.State_On) else 0.18
        painter.setBrush(_grey(fill))
        painter.drawRoundedRect(QRectF(option.rect), 4, 4)


def _paint_field(painter: QPainter, option: QStyleOption, widget: Widget) -> None:
    painter.fillRect(
        QRectF(option.rect).adjusted(1, 1, -1, -1), option.palette.color(QPalette.ColorRole.Base)
    )
    _paint_field_edge(painter, option, widget)


def _paint_field_edge(painter: QPainter, option: QStyleOption, widget: Widget) -> None:
    alpha = 0.85 if _is_on(option) else 0.3
    if option.state & _State.State_HasFocus:
        alpha = 1.0
    _outline(painter, option.rect, _grey(alpha), Qt.BrushStyle.NoBrush, 3)


def _paint_frame(painter: QPainter, option: QStyleOption, widget: Widget) -> None:
    _outline(painter, option.rect, _grey(0.65), Qt.BrushStyle.NoBrush, 0)


def _paint_check_box(painter: QPainter, option: QStyleOption, widget: Widget) -> None:
    ink = _paint_indicator(painter, option, 3)
    rect = QRectF(option.rect)
    state = option.state
    painter.setPen(
        QPen(
            ink, max(1.6, rect.width() / 8), c=Qt.PenCapStyle.RoundCap, j=Qt.PenJoinStyle.RoundJoin
        )
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)
    places: tuple[tuple[float, float], ...] = ()
    if state & _State.State_On:
        places = ((0.25, 0.52), (0.43, 0.7), (0.76, 0.3))
    elif state & _State.State_NoChange:
        places = ((0.28, 0.5), (0.72, 0.5))
    points = [
        QPointF(rect.left() + x * rect.width(), rect.top() + y * rect.height()) for x, y in places
    ]
    painter.drawPolyline(QPolygonF(points))


def _paint_radio_button(painter: QPainter, option: QStyleOption, widget: Widget) -> None:
    ink = _paint_indicator(painter, option, option.rect.width() / 2)
    if option.state & _State.State_On:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        side = option.rect.width() / 4
        painter.drawEllipse(QRectF(option.rect).center(), side, side)


def _paint_indicator(painter: QPainter, option: QStyleOption, round_px: float) -> QColor:
    """Paint the box of a check box or a radio button, and return the colour of its mark."""
    is_on = _is_on(option)
    base = option.palette.color(QPalette.ColorRole.Base)
    if is_on and option.state & _State.State_MouseOver:
        base = option.palette.color(QPalette.ColorRole.Midlight)
    edge = 1.0 if is_on else 0.4
    _outline(painter, option.rect, _grey(edge), base, round_px)
    return option.palette.color(QPalette.ColorRole.Text)


def _paint_card(painter: QPainter, option: QStyleOption, widget: Widget) -> None:
    """Paint the background of a menu or a tooltip."""
    is_round = widget is None or widget.testAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    role = QPalette.ColorRole.Base if isinstance(widget, QMenu) else QPalette.ColorRole.ToolTipBase
    round_px = 7 if is_round else 0
    _outline(painter, option.rect, _grey(0.65), option.palette.color(role), round_px)


def _paint_nothing(painter: QPainter, option: QStyleOption, widget: Widget) -> None:
    pass


def _paint_arrow_of(turns: int) -> Callable[[QPainter, QStyleOption, Widget], None]:
    """A function that paints an arrow: down, turned clockwise by a number of right angles."""

    def paint(painter: QPainter, option: QStyleOption, widget: Widget) -> None:
        if isinstance(widget, QToolButton) and widget.text().endswith("…"):
            return  # the ellipsis says that more follows
        _paint_arrow(painter, QRectF(option.rect), option.palette, turns, is_on=_is_on(option))

    return paint


def _paint_arrow(
    painter: QPainter, rect: QRectF, palette: QPalette, turns: int, *, is_on: bool
) -> None:
    group = QPalette.ColorGroup.Active if is_on else QPalette.ColorGroup.Disabled
    reach = min(4.0 * Style.scale, rect.width() / 3, rect.height() / 2)
    painter.save()
    painter.setPen(QPen(palette.color(group, QPalette.ColorRole.ButtonText), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.translate(rect.center())
    painter.rotate(90 * turns)
    painter.drawPolyline(
        QPolygonF([QPointF(-reach, -reach / 2), QPointF(0, reach / 2), QPointF(reach, -reach / 2)])
    )
    painter.restore()


def _is_on(option: QStyleOption) -> bool:
    return bool(option.state & _State.State_Enabled)


_PAINTED: dict[_Primitive, Callable[[QPainter, QStyleOption, Widget], None]] = {
    _Primitive.PE_PanelButtonCommand: _paint_button,
    _Primitive.PE_PanelButtonTool: _paint_tool_button,
    _Primitive.PE_FrameButtonTool: _paint_nothing,
    _Primitive.PE_IndicatorButtonDropDown: _paint_nothing,
    _Primitive.PE_IndicatorArrowDown: _paint_arrow_of(0),
    _Primitive.PE_IndicatorArrowLeft: _paint_arrow_of(1),
    _Primitive.PE_IndicatorArrowUp: _paint_arrow_of(2),
    _Primitive.PE_IndicatorArrowRight: _paint_arrow_of(3),
    _Primitive.PE_FrameLineEdit: _paint_field_edge,
    _Primitive.PE_Frame: _paint_frame,
    _Primitive.PE_IndicatorCheckBox: _paint_check_box,
    _Primitive.PE_IndicatorRadioButton: _paint_radio_button,
    _Primitive.PE_PanelMenu: _paint_card,
    _Primitive.PE_FrameMenu: _paint_nothing,
    _Primitive.PE_PanelTipLabel: _paint_card,
    _Primitive.PE_FrameFocusRect: _paint_nothing,
}
