#!/usr/bin/python3
"""The service on the network that GeoClue asks where a machine without a receiver is, for Tests/checks/geoclue.

Prints its port, then a line for each question.
usage: fake-geolocation.py
"""
import http.server


class Geolocation(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        print("asked", flush=True)
        answer = b'{"location": {"lat": 52.5, "lng": 13.25}, "accuracy": 20000.0}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Geolocation)
print(server.server_port, flush=True)
server.serve_forever()
