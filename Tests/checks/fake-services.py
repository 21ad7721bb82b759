#!/usr/bin/python3
"""Services of a desktop for Tests/checks/desktop-services: each answers as its behaviour says, and writes what it is asked.

usage: fake-services.py geoclue|portal|distributor|notifications BEHAVIOUR [WORD]
"""
import os
import sys

import dbus
import dbus.bus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

kind, behaviour, *words = sys.argv[1:]
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.bus.BusConnection(os.environ["DBUS_SESSION_BUS_ADDRESS"])
# Another program of the session, which sends signals of the same names.
liar = dbus.bus.BusConnection(os.environ["DBUS_SESSION_BUS_ADDRESS"])
properties = "org.freedesktop.DBus.Properties"


def tell(*parts):
    print(*parts, flush=True)


def refusal(name):
    return dbus.exceptions.DBusException("no", name=name)


def lie(message):
    """Sends a message as another program of the session. The bus has passed it on when this returns."""
    liar.send_message(message)
    liar.get_name_owner("org.freedesktop.DBus")


def follow_up(message):
    """Sends a message once the answer to the call under way has been sent."""
    GLib.idle_add(lambda: bus.send_message(message) and False)


class GeoClueManager(dbus.service.Object):
    interface = "org.freedesktop.GeoClue2.Manager"

    @dbus.service.method(properties, "ss", "v", async_callbacks=("ok", "failed"))
    def Get(self, interface, name, ok, failed):
        levels = {"none": 0, "city": 4}
        if behaviour == "mute":
            return
        ok(dbus.UInt32(levels.get(behaviour, 8)))

    @dbus.service.method(interface, "", "o")
    def GetClient(self):
        return "/client/1"


class GeoClueClient(dbus.service.Object):
    interface = "org.freedesktop.GeoClue2.Client"

    @dbus.service.method(properties, "ssv", "")
    def Set(self, interface, name, value):
        tell("set", name, value)

    @dbus.service.method(interface, "", "", async_callbacks=("ok", "failed"))
    def Start(self, ok, failed):
        tell("start")
        if behaviour == "deny":
            failed(refusal("org.freedesktop.DBus.Error.AccessDenied"))
        elif behaviour != "silent":
            ok()
            if behaviour != "nowhere":
                GLib.idle_add(self.update)

    def update(self):
        false = dbus.lowlevel.SignalMessage("/client/1", self.interface, "LocationUpdated")
        false.append("/", "/nowhere", signature="oo")
        lie(false)
        self.LocationUpdated("/", "/place/1")

    @dbus.service.signal(interface, "oo")
    def LocationUpdated(self, old, new):
        pass

    @dbus.service.method(interface, "", "")
    def Stop(self):
        tell("stop")


class Place(dbus.service.Object):
    @dbus.service.method(properties, "s", "a{sv}")
    def GetAll(self, interface):
        latitude = 123.0 if behaviour == "mars" else 52.5
        return {"Latitude": latitude, "Longitude": 13.25, "Accuracy": 250.0, "Description": "here"}


class Portal(dbus.service.Object):
    @dbus.service.method(properties, "ss", "v")
    def Get(self, interface, name):
        return dbus.UInt32(2 if behaviour == "old" else 3)

    @dbus.service.method("org.freedesktop.portal.FileChooser", "ssa{sv}", "o", sender_keyword="sender")
    def OpenFile(self, parent, title, options, sender):
        tell("choose", "folder" if options.get("directory") else "file")
        self.request = f"/org/freedesktop/portal/desktop/request/{sender[1:].replace('.', '_')}/{options['handle_token']}"
        GLib.idle_add(self.respond)
        return dbus.ObjectPath(self.request)

    def respond(self):
        lie(self.response(0, "file:///etc"))
        if behaviour == "choose":
            bus.send_message(self.response(0, words[0]))
        elif behaviour == "cancel":
            bus.send_message(self.response(1, ""))

    def response(self, response, uri):
        signal = dbus.lowlevel.SignalMessage(self.request, "org.freedesktop.portal.Request", "Response")
        results = dbus.Dictionary({"uris": dbus.Array([uri], "s")} if uri else {}, "sv")
        signal.append(dbus.UInt32(response), results, signature="ua{sv}")
        return signal


class Distributor(dbus.service.Object):
    def call(self, service, version, token, endpoint):
        message = dbus.lowlevel.MethodCallMessage(
            service, "/org/unifiedpush/Connector", f"org.unifiedpush.Connector{version}", "NewEndpoint")
        if version == 1:
            message.append(token, endpoint, signature="ss")
        else:
            message.append({"token": token, "endpoint": endpoint}, signature="a{sv}")
        message.set_no_reply(True)
        return message

    def endpoints(self, service, version, token):
        good = "https://push.example.org/up/1"
        lie(self.call(service, version, token, "https://liar.example.org"))
        if behaviour == "stranger":
            bus.send_message(self.call(service, version, "another", good))
        elif behaviour == "garbage":
            for endpoint in ["", "not_an_url", "file:///etc/passwd", "https://", "https://a b", "https://" + "x" * 2000]:
                bus.send_message(self.call(service, version, token, endpoint))
        elif behaviour != "nothing":
            follow_up(self.call(service, version, token, good))


class NewDistributor(Distributor):
    @dbus.service.method("org.unifiedpush.Distributor2", "a{sv}", "a{sv}", async_callbacks=("ok", "failed"))
    def Register(self, options, ok, failed):
        tell("register", options["service"], options["token"], options["description"])
        if behaviour == "silent":
            return
        if behaviour == "fail":
            ok({"success": "REGISTRATION_FAILED", "reason": words[0]})
        elif behaviour == "odd":
            ok({"success": "MAYBE"})
        else:
            self.endpoints(options["service"], 2, options["token"])
            ok({"success": "REGISTRATION_SUCCEEDED"})


class OldDistributor(Distributor):
    @dbus.service.method("org.unifiedpush.Distributor1", "sss", "ss")
    def Register(self, service, token, description):
        tell("register", service, token, description)
        self.endpoints(service, 1, token)
        return "REGISTRATION_SUCCEEDED", ""


class Notifications(dbus.service.Object):
    interface = "org.freedesktop.Notifications"

    @dbus.service.method(interface, "", "as")
    def GetCapabilities(self):
        return ["body"] if behaviour == "plain" else ["body", "body-markup", "actions"]

    @dbus.service.method(interface, "susssasa{sv}i", "u")
    def Notify(self, application, replaced, icon, title, text, actions, hints, time):
        tell("shown", repr(str(text)), *map(str, actions))
        # Of another notice, and by another program: neither is this person's.
        self.ActionInvoked(dbus.UInt32(8), "remedy")
        self.press_as_another()
        GLib.idle_add(self.decide)
        return dbus.UInt32(7)

    def press_as_another(self):
        false = dbus.lowlevel.SignalMessage("/org/freedesktop/Notifications", self.interface, "ActionInvoked")
        false.append(dbus.UInt32(7), "remedy", signature="us")
        lie(false)

    def decide(self):
        """Once the program knows the number of its notice: the other program presses again, then the person does."""
        self.press_as_another()
        if behaviour == "press":
            self.ActionInvoked(dbus.UInt32(7), words[0])
        elif behaviour == "close":
            self.NotificationClosed(dbus.UInt32(7), dbus.UInt32(2))

    @dbus.service.signal(interface, "us")
    def ActionInvoked(self, notice, key):
        pass

    @dbus.service.signal(interface, "uu")
    def NotificationClosed(self, notice, reason):
        pass


if kind == "geoclue":
    objects = [GeoClueManager(bus, "/org/freedesktop/GeoClue2/Manager"), GeoClueClient(bus, "/client/1")]
    objects.append(Place(bus, "/place/1"))
    name = "org.freedesktop.GeoClue2"
elif kind == "portal":
    objects = [Portal(bus, "/org/freedesktop/portal/desktop")]
    name = "org.freedesktop.portal.Desktop"
elif kind == "distributor":
    make = OldDistributor if behaviour == "first" else NewDistributor
    objects = [make(bus, "/org/unifiedpush/Distributor")]
    name = "org.unifiedpush.Distributor." + (words[0] if behaviour == "named" else "test")
else:
    objects = [Notifications(bus, "/org/freedesktop/Notifications")]
    name = "org.freedesktop.Notifications"
bus.request_name(name)
tell("ready", name)
GLib.MainLoop().run()
