"""Whether the system is set to reduced motion.

Qt reports it since 6.12. Before that, each system is queried in its own way: Windows for its animation setting, macOS
for its preference "Reduce motion", and other desktops (GNOME, KDE and similar ones) through the settings portal on the
session bus, which answers asynchronously. If nothing is known, motion is shown.

Once Qt 6.12 is the oldest supported version, everything but Qt's own answer can be removed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, Signal, Slot
from PySide6.QtGui import QGuiApplication

from bpe_studio.gui.background.latest_answer import LatestAnswer

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusConnection

PORTAL = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings")
DESKTOPS = (("org.gnome.desktop.interface", "enable-animations"), ("org.kde.kdeglobals.KDE", "AnimationDurationFactor"))
"""Namespaces and keys of the portal; no animations, or animations that last for 0, are less motion."""
SPI_GETCLIENTAREAANIMATION = 0x1042
MAC_PREFERENCES = "Library/Preferences/com.apple.universalaccess.plist"
_MOST_WRAPPINGS = 4


class ReducedMotion(QObject):
    """The system's setting.

    Attributes:
        is_less: reduced motion is on.

    Signals:
        changed: the setting has changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_less = False
        self._is_notified = False
        self._bus = LatestAnswer(_session_bus, self)
        self._bus.answered.connect(self._ask_portal)

    @Slot()
    def update(self) -> None:
        """Query the setting again; only once if the system reports changes."""
        if QGuiApplication.platformName() == "offscreen" or self._is_notified:
            return
        hints = getattr(QGuiApplication.styleHints(), "accessibility", lambda: None)()
        if hints is not None and hasattr(hints, "motionPreference"):
            self._is_notified = True
            hints.motionPreferenceChanged.connect(self._on_preference_changed)
            self._on_preference_changed()
        elif sys.platform == "win32":
            self.set_less(_is_less_on_windows())
        elif sys.platform == "darwin":
            self.set_less(_is_less_on_mac(Path.home() / MAC_PREFERENCES))
        elif os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
            self._is_notified = True  # by the answers, from here on
            self._bus.ask()

    def set_less(self, is_less: bool) -> None:
        """Set the result of a query."""
        if is_less != self.is_less:
            self.is_less = is_less
            self.changed.emit()

    @Slot()
    def _on_preference_changed(self) -> None:
        preference = QGuiApplication.styleHints().accessibility().motionPreference()  # type: ignore[attr-defined]
        self.set_less("reduce" in preference.name.lower())

    @Slot(object)
    def _ask_portal(self, bus: QDBusConnection) -> None:
        from PySide6.QtDBus import QDBusMessage, QDBusPendingCallWatcher

        for namespace, key in DESKTOPS:
            question = QDBusMessage.createMethodCall(*PORTAL, "Read")
            question.setArguments([namespace, key])
            watcher = QDBusPendingCallWatcher(bus.asyncCall(question), self)
            watcher.finished.connect(self._on_answered)

    @Slot(object)
    def _on_answered(self, watcher: object) -> None:
        reply = watcher.reply()  # type: ignore[attr-defined]
        values = reply.arguments()
        if not reply.errorMessage() and values:
            self.set_less(self.is_less or says_less(values[0]))


def _session_bus() -> QDBusConnection | None:
    """The bus of the session, or None; what it needs is loaded in the thread of whoever asks."""
    try:
        from PySide6.QtDBus import QDBusConnection
    except ImportError:  # some systems have it in a package of its own
        return None
    bus = QDBusConnection.sessionBus()
    return bus if bus.isConnected() else None


def says_less(value: object) -> bool:
    """Whether an answer of the portal means less motion; it may be wrapped, even twice."""
    for _ in range(_MOST_WRAPPINGS):
        if hasattr(value, "variant"):
            value = value.variant()
        elif hasattr(value, "asVariant"):
            value = value.asVariant()
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return False
    return isinstance(value, (bool, int, float)) and value == 0


def _is_less_on_mac(path: Path) -> bool:
    return bool(QSettings(str(path), QSettings.Format.NativeFormat).value("reduceMotion", False, type=bool))


def _is_less_on_windows() -> bool:
    import ctypes

    is_animated = ctypes.c_int(1)
    found = ctypes.windll.user32.SystemParametersInfoW(  # type: ignore[attr-defined]
        SPI_GETCLIENTAREAANIMATION, 0, ctypes.byref(is_animated), 0
    )
    return bool(found) and not is_animated.value
