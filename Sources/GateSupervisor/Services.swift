import CaptureGate
import LinuxSystem

/// Service of the machine that could capture for any client, or start a program outside of all rules.
package enum Service: String, CaseIterable, Sendable {
    case pipewire, pulse, jack
    case sessionBus = "session-bus"
    case systemBus = "system-bus"
    case systemd
    case abstract

    /// A few words for a person.
    var phrase: String {
        switch self {
        case .pipewire: "PipeWire, which would capture for it"
        case .pulse: "PulseAudio, which would capture for it"
        case .jack: "JACK, which would capture for it"
        case .sessionBus: "the session bus, whose services start programs outside the gate"
        case .systemBus: "the system bus, whose services start programs outside the gate"
        case .systemd: "systemd, which starts programs outside the gate"
        case .abstract: "an abstract socket, which can't be identified by a file"
        }
    }
}

/// Sockets that a supervised program may connect to: those of its own processes, a few services that only show or report
/// something, and those that were allowed by name.
package struct ServiceRules: Sendable {
    private let allowed: Set<Service>
    /// Absolute paths of sockets that are allowed by name.
    private let paths: Set<String>
    /// XDG_RUNTIME_DIR.
    private let runtime: String

    /// - Parameters:
    ///   - names: of services, or absolute paths of sockets.
    ///   - environment: locates the user's services.
    /// - Throws: `.usage` for a name that is neither.
    package init(allowing names: [String], environment: [String: String]) throws(CaptureError) {
        var services: Set<Service> = []
        var paths: Set<String> = []
        for name in names {
            if name.hasPrefix("/") {
                paths.insert((try? FileSystem.realPath(of: name)) ?? name)
            } else if let service = Service(rawValue: name) {
                services.insert(service)
            } else {
                throw CaptureError(
                    .usage, "The service \"\(name.visible)\" is unknown.",
                    remedies: [
                        Remedy(
                            "Name one of \(Service.allCases.map(\.rawValue).joined(separator: ", ")), usb, or the path of a socket."
                        )
                    ])
            }
        }
        allowed = services
        self.paths = paths
        runtime = environment["XDG_RUNTIME_DIR"] ?? "/run/user/\(Users.effectiveID)"
    }

    /// Only harmless services.
    package init() {
        allowed = []
        paths = []
        runtime = "/run/user/\(Users.effectiveID)"
    }

    func allows(_ service: Service) -> Bool { allowed.contains(service) }

    /// True for a socket that the program may connect to.
    ///
    /// - Parameter path: the kernel's path, without links.
    func allows(path: String) -> Bool {
        if paths.contains(path) || harmless.contains(where: { $0.fits(path) }) { return true }
        return Service.allCases.contains { allowed.contains($0) && service($0, isAt: path) }
    }

    /// The service that is known to be at a path.
    func service(at path: String) -> Service? { Service.allCases.first { service($0, isAt: path) } }

    private func service(_ service: Service, isAt path: String) -> Bool {
        places(of: service).contains { $0.fits(path) }
    }

    private func places(of service: Service) -> [SocketPattern] {
        switch service {
        case .pipewire: [SocketPattern("\(runtime)/pipewire-*"), SocketPattern("/run/pipewire/*")]
        case .pulse:
            [SocketPattern("\(runtime)/pulse/*"), SocketPattern("/run/pulse/*"), SocketPattern("/tmp/pulse-*")]
        case .jack: [SocketPattern("/tmp/jack*"), SocketPattern("/dev/shm/jack*")]
        case .sessionBus: [SocketPattern("\(runtime)/bus"), SocketPattern("/tmp/dbus-*")]
        case .systemBus: [SocketPattern("/run/dbus/*")]
        case .systemd: [SocketPattern("\(runtime)/systemd/*"), SocketPattern("/run/systemd/private")]
        case .abstract: []
        }
    }

    /// They show windows, look up names or take log lines; none of them captures or starts programs.
    private var harmless: [SocketPattern] {
        [
            SocketPattern("/tmp/.X11-unix/*"), SocketPattern("\(runtime)/wayland-*"), SocketPattern("/run/nscd/socket"),
            SocketPattern("/run/systemd/journal/*"),
            SocketPattern("/run/systemd/resolve/*"), SocketPattern("/run/systemd/userdb/*"),
            SocketPattern("/run/systemd/notify"),
            SocketPattern("/run/cups/cups.sock"), SocketPattern("/run/avahi-daemon/socket"),
        ]
    }

    /// A path whose last part may end in anything.
    private struct SocketPattern {
        let text: String

        init(_ text: String) { self.text = text }

        func fits(_ path: String) -> Bool {
            guard text.hasSuffix("*") else { return path == text }
            let start = text.dropLast()
            return path.hasPrefix(start) && !path.dropFirst(start.count).contains("/")
        }
    }
}

extension CallProxy {
    /// Connects a socket, with the address that was read.
    func connect(_ call: ReportedCall) throws(Errno) {
        let process = try RemoteProcess(thread: call.thread)
        let socket = try process.descriptor(Int32(truncatingIfNeeded: call[0]))
        let length = Int(truncatingIfNeeded: call[2] & 0xFFFF_FFFF)
        guard length >= 2, length <= 128 else { throw .invalidArgument }
        var address = try process.memory.bytes(at: call[1], count: length)
        let kind = try SocketKind(of: socket)
        let place: SharedFile?
        switch kind.domain {
        case SocketAddress.unixDomain: place = try unix(&address, call, kind)
        case SocketAddress.internetDomain, SocketAddress.internet6Domain:
            place = nil
            try internet(address, call)
        default: place = nil
        }
        // The place is held until the call has been made: its number is in the address.
        defer { withExtendedLifetime(place) {} }
        try ProxyCall.connect(socket, to: address)
        listener.finish(call)
    }

    /// Checks a Unix address, and has it name the very socket that was looked at.
    private func unix(
        _ address: inout [UInt8], _ call: ReportedCall, _ kind: SocketKind
    ) throws(Errno) -> SharedFile? {
        guard LittleEndian.number(address, at: 0, 2) == UInt64(SocketAddress.unixDomain) else {
            // AF_UNSPEC dissolves an association, and all else is the kernel's to refuse.
            return nil
        }
        let name = address.dropFirst(2).prefix { $0 != 0 }
        guard !name.isEmpty else {
            guard services.allows(.abstract) else { return try refuse(call, .abstract) }
            return nil
        }
        let text = String(decoding: name, as: UTF8.self)
        let from = try FileDescriptor(opening: "/proc/\(call.thread)/cwd", .pathOnly)
        let place = try ProxyCall.place(text, in: from, followsLinks: true, onlyCached: false)
        let found = [1, 0] + Array("/proc/self/fd/\(place.number)".utf8) + [0]
        guard let path = ProcessFile.link("/proc/self/fd/\(place.number)") else { throw .permissionDenied }
        let peer = try kind.listener(at: found)
        // A name is anybody's to give: a link to the session bus may be called as a display. The path that the server itself
        // chose stays.
        guard services.allows(path: path) && Self.isSame(peer.path, path) || isOwn(peer.process) else {
            return try refuse(call, services.service(at: path) ?? services.service(at: peer.path), path)
        }
        address = found
        return SharedFile(place)
    }

    /// True for a process of the run.
    private func isOwn(_ process: Int32?) -> Bool {
        process.map { ProcessFile.tree(below: guardID).dropFirst().contains($0) } ?? false
    }

    /// True if a server was bound to a path, which may have been written with links, such as /var/run for /run.
    private static func isSame(_ bound: String, _ path: String) -> Bool {
        if bound == path { return true }
        guard bound.hasPrefix("/"), let slash = bound.lastIndex(of: "/") else { return false }
        let folder = try? FileSystem.realPath(of: String(bound[..<slash]))
        return folder.map { $0 + bound[slash...] } == path
    }

    private func refuse(_ call: ReportedCall, _ service: Service?, _ path: String = "") throws(Errno) -> SharedFile? {
        let what = service.map(\.phrase) ?? "\(path.visible), whose server might capture"
        tell(
            "\(name(of: call)) may not connect to \(what). Allow it with --allow \((service?.rawValue ?? path).visible)."
        )
        throw .connectionRefused
    }

    /// PulseAudio's own port on this machine.
    private func internet(_ address: [UInt8], _ call: ReportedCall) throws(Errno) {
        guard address.count >= 8, address[2] == 0x12, address[3] == 0x69, !services.allows(.pulse) else { return }
        _ = try refuse(call, .pulse)
    }
}
