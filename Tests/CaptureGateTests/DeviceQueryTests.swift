import Glibc
import Testing

@testable import CaptureGate

@Suite("Device query")
struct DeviceQueryTests {
    private let devices = DeviceCatalog.scan(.identity).filter(\.isBuiltIn)

    @Test("An id names its device")
    func id() throws {
        #expect(try DeviceQuery("test:tone").pick(from: devices, .microphone).id.rawValue == "test:tone")
    }

    @Test("A part of the name that one device has will do, in either case")
    func part() throws {
        #expect(try DeviceQuery("TEST TONE").pick(from: devices, .microphone).id.rawValue == "test:tone")
    }

    @Test("The machine's choice is never a built-in device")
    func builtInIsNeverChosen() {
        let error = #expect(throws: CaptureError.self) { try DeviceQuery.default.pick(from: devices, .camera) }
        #expect(error?.kind == .noDevice)
    }

    @Test("What fits nothing is told with what there is", arguments: ["nonsense", "", "test:bars"])
    func nothing(text: String) {
        let error = #expect(throws: CaptureError.self) { try DeviceQuery(text).pick(from: devices, .microphone) }
        #expect(error?.kind == .noDevice)
        #expect(error?.remedies.first?.text.contains("test:tone") == true)
    }

    @Test("A name's control characters are shown, not obeyed")
    func controlCharacters() {
        let error = #expect(throws: CaptureError.self) {
            try DeviceQuery("\u{1B}[2J").pick(from: devices, .microphone)
        }
        #expect(error?.message.contains("\u{1B}") == false)
    }

    @Test(
        "Hardware can't be named past its id", arguments: ["alsa:hw:0,0", "alsa:plughw:1", "alsa:plug:hw:0", "alsa:"])
    func noAliasOfHardware(name: String) {
        let error = #expect(throws: CaptureError.self) { try DeviceQuery(name).pick(from: devices, .microphone) }
        #expect(error?.kind == .noDevice)
    }

    /// A microphone or camera without hardware, at a node of another kind.
    private static func device(
        _ id: String, _ name: String, node: String? = nil, pcm: String? = nil
    ) -> Device {
        Device(
            id: DeviceID(rawValue: id), name: name, capability: id.hasPrefix("camera") ? .camera : .microphone,
            availability: .available, ambiguity: nil, nodes: node.map { [$0] } ?? [], pcmName: pcm, formats: .unknown)
    }

    @Test("A device file names its device, by any link and by any other node of the same number")
    func files() throws {
        let folder = try TemporaryFolder.make()
        #expect(symlink("/dev/null", folder + "/front-door") == 0)
        let cameras = [
            Self.device("camera:a", "One", node: "/dev/null"), Self.device("camera:b", "Two", node: "/dev/zero"),
        ]
        for path in ["/dev/null", folder + "/front-door", "/dev/../dev/null"] {
            #expect(try DeviceQuery(path).pick(from: cameras, .camera).id.rawValue == "camera:a")
        }
        #expect(try DeviceQuery("/dev/zero").pick(from: cameras, .camera).id.rawValue == "camera:b")
        let refused = [
            ("/dev/full", "is not a device node of a camera"), (folder, "is not a device"),
            ("/dev/no-such", "No such file"), ("video99", "/dev/video99 can't be read"),
        ]
        for (path, part) in refused {
            let error = #expect(throws: CaptureError.self) { try DeviceQuery(path).pick(from: cameras, .camera) }
            #expect(
                error?.kind == .noDevice && error?.message.contains(part) == true, "\(path): \(error?.message ?? "")")
        }
    }

    @Test(
        "ALSA's names of hardware mean the device that they lead to",
        arguments: [
            "hw:1,0", "hw:1", "plughw:1,0,0", "hw:CARD=1,DEV=0", "hw:DEV=0,CARD=1", "sysdefault:CARD=1",
            "front:CARD=1,DEV=0",
            "hw:1,0,-1",
        ])
    func hardware(name: String) throws {
        let microphones = [
            Self.device("microphone:a", "One", pcm: "hw:0,0"), Self.device("microphone:b", "Two", pcm: "hw:1,0"),
            Self.device("microphone:c", "Three", pcm: "hw:1,1"),
        ]
        #expect(try DeviceQuery(name).pick(from: microphones, .microphone).id.rawValue == "microphone:b")
        #expect(try DeviceQuery("hw:1,1").pick(from: microphones, .microphone).id.rawValue == "microphone:c")
    }

    @Test(
        "Names of hardware that is not there, or that nobody can mean, fit nothing",
        arguments: [
            "hw:", "hw:7", "hw:0,9", "hw:0,x", "hw:0,0,3", "hw:CARD=", "hw:0,0,0,0", "hw:NAME=0", "plughw:Nobody",
            "dmix:0",
        ])
    func noHardware(name: String) {
        let microphones = [Self.device("microphone:a", "One", pcm: "hw:0,0")]
        let error = #expect(throws: CaptureError.self) { try DeviceQuery(name).pick(from: microphones, .microphone) }
        #expect(error?.kind == .noDevice)
    }

    @Test("A card is known by its id")
    func cards() {
        let cards = """
             0 [PCH            ]: HDA-Intel - HDA Intel PCH
                                  HDA Intel PCH at 0x6055228000 irq 145
             1 [Webcam         ]: USB-Audio - HD Webcam [front]

            """
        #expect(ALSAProcfs.cardNumber(of: "PCH", cards: cards) == 0)
        #expect(ALSAProcfs.cardNumber(of: "Webcam", cards: cards) == 1)
        for id in ["front", "pch", "", "HDA", "Webcam "] { #expect(ALSAProcfs.cardNumber(of: id, cards: cards) == nil) }
    }

    @Test("A whole name wins over one that begins with it, and pieces count from three letters on, of names alone")
    func names() throws {
        let cameras = [
            Self.device("camera:usb-0", "HD Webcam"), Self.device("camera:usb-1", "HD Webcam Pro"),
            Self.device("camera:usb-2", "Bird"),
        ]
        #expect(try DeviceQuery("hd webcam").pick(from: cameras, .camera).id.rawValue == "camera:usb-0")
        #expect(try DeviceQuery("pro").pick(from: cameras, .camera).id.rawValue == "camera:usb-1")
        for text in ["0", "Bi", "usb-2", "camera:usb", "webcam"] {
            let error = #expect(throws: CaptureError.self) { try DeviceQuery(text).pick(from: cameras, .camera) }
            #expect(error?.message.contains(text == "webcam" ? "matches 2 cameras" : "No camera matches") == true)
            let hint = error?.message.contains("three letters")
            #expect(hint == (text.count < 3))
        }
    }

    /// A device of a sound server's.
    private static func provided(_ id: String, _ name: String, isDefault: Bool = false) -> Device {
        Device(
            provided: DeviceID(rawValue: id), name: name, capability: .microphone, ambiguity: nil, formats: .unknown,
            aliases: [], facts: ProvidedFacts(isDefault: isDefault, mayBeAny: true))
    }

    /// Hardware that a process holds, or nobody.
    private static func microphone(heldBy command: String?) -> Device {
        Device(
            id: DeviceID(rawValue: "microphone:a"), name: "Podcast", capability: .microphone,
            availability: command.map { .busy(DeviceHolder(processID: 7, command: $0)) } ?? .available, ambiguity: nil,
            nodes: [], pcmName: "hw:0,0", formats: .unknown)
    }

    @Test(
        "The machine's choice is free hardware, else what the sound server takes that holds it",
        arguments: [(nil, "microphone:a"), ("pipewire", "pipewire:b"), ("arecord", "microphone:a")])
    func serversChoice(holder: String?, id: String) throws {
        let listing = [
            Self.microphone(heldBy: holder), Self.provided("pipewire:a", "Podcast"),
            Self.provided("pipewire:b", "Headset", isDefault: true),
        ]
        #expect(try DeviceQuery.default.pick(from: listing, .microphone).id.rawValue == id)
        // Without hardware it is the server's in any case, and none of it where the server has no choice.
        #expect(try DeviceQuery.default.pick(from: Array(listing.dropFirst()), .microphone).id.rawValue == "pipewire:b")
        let error = #expect(throws: CaptureError.self) {
            try DeviceQuery.default.pick(from: [listing[1]], .microphone)
        }
        #expect(error?.kind == .noDevice)
    }

    @Test("A name means hardware before the sound server's node for it, and a node where no hardware has it")
    func serversNames() throws {
        let listing = [
            Self.microphone(heldBy: nil), Self.provided("pipewire:a", "Podcast"),
            Self.provided("pipewire:b", "Headset"),
            Self.provided("pipewire:c.monitor", "Monitor of Speakers"),
        ]
        let meant = [
            "Podcast": "microphone:a", "head": "pipewire:b", "pipewire:a": "pipewire:a", "SPEAK": "pipewire:c.monitor",
        ]
        for (text, id) in meant {
            #expect(try DeviceQuery(text).pick(from: listing, .microphone).id.rawValue == id)
        }
        let error = #expect(throws: CaptureError.self) { try DeviceQuery("nobody").pick(from: listing, .microphone) }
        #expect(error?.remedies.first?.text.contains("pipewire:b") == true)
    }
}
