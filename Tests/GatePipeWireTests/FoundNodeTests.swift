import CaptureBase
import CaptureGate
import Testing

@testable import GatePipeWire

@Suite("Devices of PipeWire's graph")
struct FoundNodeTests {
    private static func source(
        _ name: String, _ mediaClass: String, hardware: String = "", isDefault: Bool = false
    ) -> GraphSource {
        GraphSource(
            name: name, description: "The \(name)", mediaClass: mediaClass, hardware: hardware, isDefault: isDefault)
    }

    private static func devices(_ source: GraphSource, among hardware: [Device] = []) -> [Device] {
        FoundNode.all(of: source).map { $0.device(among: hardware) }
    }

    private static let webcam = Device(
        withoutHardware: DeviceID(rawValue: "camera:usb-Webcam_1"), name: "Webcam", capability: .camera)

    @Test(
        "A source is a microphone or a camera, a sink its monitor, a duplex node both",
        arguments: [
            ("Audio/Source", ["pipewire:node"]), ("Audio/Source/Virtual", ["pipewire:node"]),
            ("Video/Source", ["pipewire:node"]), ("Audio/Sink", ["pipewire:node.monitor"]),
            ("Audio/Duplex", ["pipewire:node", "pipewire:node.monitor"]),
        ])
    func kinds(mediaClass: String, ids: [String]) {
        let devices = Self.devices(Self.source("node", mediaClass))
        #expect(devices.map(\.id.rawValue) == ids)
        #expect(devices.allSatisfy { $0.capability == (mediaClass == "Video/Source" ? .camera : .microphone) })
    }

    @Test("A monitor says so in its name, and is never the machine's choice")
    func monitor() {
        let devices = Self.devices(Self.source("card", "Audio/Duplex", isDefault: true))
        #expect(devices.map(\.name) == ["The card", "Monitor of The card"])
        #expect(devices.map { $0.provided?.isDefault } == [true, false])
    }

    @Test("Nodes that the gate itself has made are none: what is behind them has an id of its own")
    func own() {
        #expect(Self.devices(Self.source("capturegate.closed.microphone", "Audio/Source")).isEmpty)
        #expect(Self.devices(Self.source("", "Audio/Source")).isEmpty)
    }

    @Test(
        "An id is visible ASCII, and no two names have the same",
        arguments: [
            ("alsa_input.usb-1.0", "pipewire:alsa_input.usb-1.0"), ("My Mic", "pipewire:My%20Mic"),
            ("My%20Mic", "pipewire:My%2520Mic"), ("ü\u{1B}", "pipewire:%C3%BC%1B"),
        ])
    func ids(name: String, id: String) {
        #expect(Self.devices(Self.source(name, "Audio/Source")).map(\.id.rawValue) == [id])
    }

    @Test("What a denial of hardware denies: the node in front of it; and a node of no known hardware, by any denial")
    func hardware() {
        let found = Device(
            provided: DeviceID(rawValue: "camera:usb-Webcam_1"), name: "Webcam", capability: .camera, ambiguity: nil,
            formats: .unknown, aliases: [DeviceID(rawValue: "camera:usb-port")],
            facts: ProvidedFacts(isDefault: false, mayBeAny: false))
        let node = FoundNode.all(of: Self.source("v4l2_input.x", "Video/Source", hardware: "/dev/video0"))[0]
        // Hardware at another node, and at none.
        let unknown = node.device(among: [Self.webcam, found])
        #expect(unknown.aliases.isEmpty && unknown.provided?.mayBeAny == true)
        let monitor = Self.devices(Self.source("sink", "Audio/Sink"))[0]
        #expect(monitor.provided?.mayBeAny == false)
        #expect(monitor.ambiguity != nil && unknown.ambiguity == nil)
    }

    @Test("Without a socket nobody is asked")
    func socket() {
        #expect(!PipeWireSocket.exists(in: ["XDG_RUNTIME_DIR": "/proc/self/fdinfo", "PIPEWIRE_REMOTE": "no-such"]))
        #expect(PipeWireSocket.exists(in: ["XDG_RUNTIME_DIR": "/proc/self", "PIPEWIRE_REMOTE": "status"]))
        #expect(PipeWireSocket.exists(in: ["PIPEWIRE_REMOTE": "/proc/self/status"]))
    }
}
