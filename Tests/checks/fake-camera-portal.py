"""A desktop's portal for cameras, for Tests/checks/pipewire-source: gives one answer to everybody, and connections to PipeWire.

usage: fake-camera-portal.py RESPONSE SOCKET, where the response 0 is a yes
"""
import socket
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

RESPONSE, PIPEWIRE = int(sys.argv[1]), sys.argv[2]
REQUEST = "/org/freedesktop/portal/desktop/request/1/capturegate"


class Request(dbus.service.Object):
    @dbus.service.signal("org.freedesktop.portal.Request", signature="ua{sv}")
    def Response(self, response, results):
        pass


class Portal(dbus.service.Object):
    allowed = False

    @dbus.service.method("org.freedesktop.portal.Camera", in_signature="a{sv}", out_signature="o")
    def AccessCamera(self, options):
        # After the answer, as the real one: the person decides in between.
        GLib.idle_add(self.decide)
        return dbus.ObjectPath(REQUEST)

    def decide(self):
        self.allowed = RESPONSE == 0
        request.Response(dbus.UInt32(RESPONSE), dbus.Dictionary({}, signature="sv"))
        return False

    @dbus.service.method("org.freedesktop.portal.Camera", in_signature="a{sv}", out_signature="h")
    def OpenPipeWireRemote(self, options):
        if not self.allowed:
            raise dbus.DBusException("no", name="org.freedesktop.portal.Error.NotAllowed")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(PIPEWIRE)
        return dbus.types.UnixFd(connection)


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName("org.freedesktop.portal.Desktop", bus)
request = Request(bus, REQUEST)
portal = Portal(bus, "/org/freedesktop/portal/desktop")
print("ready", flush=True)
GLib.MainLoop().run()
