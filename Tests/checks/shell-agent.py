"""A desktop's program that asks for CaptureGate, for Tests/checks/agent: gives one answer to everything, and writes what it was asked.

usage: shell-agent.py ANSWER FILE, where the answer "die" ends it in the middle of a question
"""
import json
import os
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

answer, path = sys.argv[1:]


class Agent(dbus.service.Object):
    @dbus.service.method("org.capturegate.Agent1", in_signature="sasa(ss)a{ss}", out_signature="s")
    def Ask(self, title, lines, choices, details):
        if answer == "die":
            os._exit(0)
        with open(path, "w") as file:
            json.dump({"title": title, "lines": lines, "choices": choices, "details": details}, file)
        return answer


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
agent = Agent(bus, "/org/capturegate/Agent1")
name = dbus.service.BusName("org.capturegate.Agent1", bus, do_not_queue=True)
GLib.MainLoop().run()
