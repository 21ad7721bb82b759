import CaptureGate
import LinuxSystem

/// A device node's part in capturing.
package enum NodeKind: Hashable, Sendable {
    /// Not controlled: any program that may open it can open it.
    case free
    /// None either, but nodes of its kind are closed to supervised programs, so that the supervisor opens it for them.
    case harmless
    /// It captures, or leads to what does.
    case capture(CapabilityName, DeviceDescription)
    /// It reaches capturing hardware in a way that can't be revoked, such as a USB device's raw node.
    case sealed(String)
}

/// Knows what device nodes are for, by their numbers alone: a name may be anybody's.
///
/// *thread-safe*
package protocol NodeDirectory: Sendable {
    /// True if programs get a node only from the supervisor. It may be called for each open file, so it should be fast.
    func isClosed(_ node: DeviceNumber) -> Bool

    /// Finds the kind of a closed node.
    func kind(of node: DeviceNumber) -> NodeKind
}

/// The nodes of this machine, by what the kernel says of their numbers in /sys.
///
/// *thread-safe*
package struct SystemNodeDirectory: NodeDirectory {
    private let allowsBuses: Bool

    /// - Parameter allowsBuses: true if raw nodes of USB and FireWire devices are left open.
    package init(allowsBuses: Bool = false) {
        self.allowsBuses = allowsBuses
    }

    package func isClosed(_ node: DeviceNumber) -> Bool {
        let major = node.parts.major
        if Self.otherMajors.contains(major) { return false }
        switch Self.subsystem(of: node) {
        case "video4linux", "media", "dvb": return true
        case "usb", "firewire": return !allowsBuses
        case "sound": return Self.isCaptureOfSound(Self.name(of: node))
        // Its number is one of theirs, and /sys does not say more.
        case nil: return Self.capturingMajors.contains(major)
        default: return false
        }
    }

    package func kind(of node: DeviceNumber) -> NodeKind {
        switch Self.subsystem(of: node) {
        case "video4linux", "media": return camera(node)
        case "sound":
            guard Self.isCaptureOfSound(Self.name(of: node)) else { return .harmless }
            return microphone(node)
        case "usb": return allowsBuses ? .free : .sealed("a raw USB device")
        case "firewire": return allowsBuses ? .free : .sealed("a raw FireWire device")
        case "dvb": return .sealed("a television receiver")
        case nil where Self.capturingMajors.contains(node.parts.major):
            return .sealed("a device without an entry in /sys")
        default: return .free
        }
    }

    /// The camera that a node belongs to: its own, or the one with the same parent in /sys.
    private func camera(_ node: DeviceNumber) -> NodeKind {
        let cameras = DeviceCatalog.scan(.identity, of: .camera)
        if let own = cameras.first(where: { $0.holds(node) }) { return .capture(.camera, own.description) }
        let parent = Self.parent(of: node)
        let sibling = cameras.first { camera in
            parent != nil && camera.numbers.contains { Self.parent(of: $0) == parent }
        }
        if let sibling { return .capture(.camera, sibling.description) }
        // A codec or an output of which udev knows that it shows nobody.
        if let capabilities = NodeProtection.capabilities(ofVideo: node), !capabilities.contains(":capture:") {
            return .harmless
        }
        return .sealed("a video device that is not a known camera")
    }

    /// The microphone of a PCM, or the first of the card for what libraries of other times open.
    private func microphone(_ node: DeviceNumber) -> NodeKind {
        let microphones = DeviceCatalog.scan(.identity, of: .microphone)
        if let own = microphones.first(where: { $0.holds(node) }) { return .capture(.microphone, own.description) }
        let card = Self.parent(of: node)
        let first = microphones.first { card != nil && $0.numbers.contains { Self.parent(of: $0) == card } }
        return first.map { .capture(.microphone, $0.description) }
            ?? .sealed("a sound device that is not a known microphone")
    }

    /// `pcmC0D0c`, and `comprC0D0`, which both captures and plays; OSS's dsp, audio and adsp do, too.
    private static func isCaptureOfSound(_ name: String) -> Bool {
        if name.hasPrefix("pcmC") { return name.hasSuffix("c") }
        return ["comprC", "dsp", "adsp", "audio"].contains { name.hasPrefix($0) }
    }

    /// Last part of the node's own name; empty if it has none.
    private static func name(of node: DeviceNumber) -> String {
        let text = ProcessFile.text("\(path(of: node))/uevent") ?? ""
        let entry = text.split(separator: "\n").first { $0.hasPrefix("DEVNAME=") }
        return entry.flatMap { $0.dropFirst(8).split(separator: "/").last }.map(String.init) ?? ""
    }

    private static func subsystem(of node: DeviceNumber) -> String? {
        ProcessFile.link("\(path(of: node))/subsystem").flatMap { $0.split(separator: "/").last }.map(String.init)
    }

    private static func parent(of node: DeviceNumber) -> String? {
        try? FileSystem.realPath(of: "\(path(of: node))/device")
    }

    private static func path(of node: DeviceNumber) -> String {
        "/sys/dev/char/\(node.parts.major):\(node.parts.minor)"
    }

    /// Memory, terminals, input, frame buffers, pseudo terminals, graphics: Documentation/admin-guide/devices.txt.
    private static let otherMajors: Set<UInt32> = [1, 4, 5, 7, 10, 13, 29, 136, 137, 138, 139, 140, 141, 142, 143, 226]
    /// OSS, video4linux, ALSA, raw USB, television.
    private static let capturingMajors: Set<UInt32> = [14, 81, 116, 189, 212]
}

extension Device {
    /// Numbers of its nodes at present.
    fileprivate var numbers: [DeviceNumber] {
        nodes.compactMap { path in
            guard case .success(let status) = FileStatus.of(path), status.kind == .characterDevice else { return nil }
            return status.node
        }
    }

    fileprivate func holds(_ node: DeviceNumber) -> Bool { numbers.contains(node) }
}
