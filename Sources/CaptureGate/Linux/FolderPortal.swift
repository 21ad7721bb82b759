import Gate
import LinuxSystem

/// The desktop's dialog in which a person chooses a directory for a program in a sandbox.
///
/// Standard: org.freedesktop.portal.FileChooser, version 3. The portal adds the directory to the Documents portal, which is the
/// only way in which the sandbox sees it.
///
/// *thread-safe*
struct FolderPortal: Sendable {
    private let service: BusService

    init(environment: [String: String]) {
        service = BusService(
            bus: .session, environment: environment, complaint: "The pictures directory can't be chosen",
            name: "the desktop's portal",
            advice: "Start xdg-desktop-portal, or give the sandbox access to the pictures directory.")
    }

    /// - Returns: `nil` if the portal exists and can show directories; otherwise the reason. Nothing is shown.
    func obstacle() async -> CaptureError? {
        let service = service
        let version = await service.run(within: .seconds(5)) { bus, end, cancel throws(CaptureError) in
            let answer = try service.call(
                .ofProperties("Get", at: Self.path, of: Self.name), [.text(Self.chooser), .text("version")], on: bus,
                until: end, cancel: cancel)
            return answer.values.first?.number ?? 0
        }
        switch version {
        case .success(let version) where version >= 3: return nil
        case .success: return service.error("the desktop's portal is too old to choose a directory")
        case .failure(let error): return error
        }
    }

    /// Has a person choose a directory.
    ///
    /// - Parameter limit: time for the person to choose.
    /// - Returns: an absolute path; `.dismissed` if the person has chosen none.
    func choose(within limit: Duration) async -> Result<String, CaptureError> {
        let service = service
        return await service.run(within: limit) { bus, end, cancel throws(CaptureError) in
            try service.listen(to: "org.freedesktop.portal.Request", "Response", on: bus)
            let open = BusConnection.Method(
                destination: Self.name, path: Self.path, interface: Self.chooser, member: "OpenFile")
            let options: [BusValue.Option] = [
                .init("handle_token", .text("capturegate")), .init("directory", .flag(true)),
                .init("accept_label", .text("Use this folder")),
            ]
            let asked = try service.call(
                open, [.text(""), .text("Choose your pictures folder"), .options(options)], on: bus, until: end,
                cancel: cancel)
            guard let request = asked.values.first?.path else { throw service.error(.answered) }
            return try response(to: request, of: asked.sender, on: bus, until: end, cancel: cancel)
        }
    }

    /// The portal's response to a request.
    private func response(
        to request: String, of sender: String, on bus: borrowing BusConnection, until end: Deadline, cancel: Int32
    ) throws(CaptureError) -> String {
        let values = try service.first(from: sender, on: bus, until: end, cancel: cancel) { signal in
            signal.path == request && signal.values.count == 2 ? signal.values : nil
        }
        guard values[0].number == 0 else {
            throw CaptureError(
                .dismissed, "No pictures directory was chosen in the desktop's dialog.",
                remedies: [Remedy("Try again, and choose one.")])
        }
        guard let path = values[1]["uris"]?.list?.first?.text.flatMap(Self.path(ofURI:)) else {
            throw service.error("the desktop's portal did not return a directory on this machine")
        }
        return path
    }

    /// The path of a file's URI: RFC 8089, without a host, and with its escapes decoded.
    static func path(ofURI uri: String) -> String? {
        let scheme = "file://"
        guard uri.hasPrefix(scheme + "/") else { return nil }
        var (bytes, rest) = ([UInt8](), Array(uri.utf8.dropFirst(scheme.utf8.count))[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let text = String(validating: rest.prefix(2), as: UTF8.self), text.utf8.count == 2,
                text.allSatisfy(\.isHexDigit), let value = UInt8(text, radix: 16), value != 0
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static let name = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let chooser = "org.freedesktop.portal.FileChooser"
}

/// Sandbox of Flatpak or Snap around this process.
///
/// *thread-safe*
package enum Sandbox {
    /// File that Flatpak creates in each of its sandboxes.
    static let mark = "/.flatpak-info"

    /// True if this process is in one.
    ///
    /// - Parameter environment: at the process's start.
    package static func isHere(in environment: [String: String]) -> Bool { isHere(in: environment, mark: mark) }

    static func isHere(in environment: [String: String], mark: String) -> Bool {
        FileSystem.allows(.existence, to: mark) || !(environment["SNAP"] ?? "").isEmpty
    }
}
