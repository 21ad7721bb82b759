import Dispatch
import Gate
import LinuxSystem

/// The user's pictures directory, from xdg-user-dirs. In a sandbox without access to it, the user chooses a directory in the
/// desktop's dialog, and the Documents portal makes it available to the program.
///
/// *thread-safe*
public final class UserPictures: PicturesLibrary {
    /// Time limit for the choice of a directory.
    public let deadline: Duration
    private let environment: [String: String]
    /// File that says that this is a sandbox of Flatpak; an argument for tests.
    private let mark: String
    private let portal: FolderPortal
    private let chosen = Locked<[PhotosAccess: String]>([:])

    /// Instance of this process: a chosen directory applies to every capability that uses it.
    fileprivate static let ofProcess = UserPictures()

    /// A file system of the network whose server is gone makes its callers wait for ever: it counts as absent.
    private static let queue = DispatchQueue(label: "capturegate.pictures", attributes: .concurrent)

    /// - Parameter deadline: time for a person to choose a directory.
    public convenience init(deadline: Duration = .seconds(300)) {
        self.init(deadline: deadline, environment: ProcessEnvironment.current, mark: Sandbox.mark)
    }

    init(deadline: Duration, environment: [String: String], mark: String) {
        self.deadline = deadline
        self.environment = environment
        self.mark = mark
        portal = FolderPortal(environment: environment)
    }

    public func find(for access: PhotosAccess) async -> PicturesFinding {
        let named = UserDirectories(environment: environment).pictures
        guard case .success(let path) = named else {
            if isSandbox { return await byPortal() }
            let error = named.failure ?? .unfindable("Its path is unknown")
            return PicturesFinding(.anyFolder, .absent(error), path: nil)
        }
        let found = await Self.inspected(path, access)
        if isSandbox, !found.isAvailable { return await byPortal() }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let folder = DeviceDescription(id: DeviceID(rawValue: "photos:\(path)"), name: name)
        return PicturesFinding(folder, found, path: path)
    }

    public func ask(for access: PhotosAccess) async -> ServiceAnswer {
        switch await portal.choose(within: deadline) {
        case .failure(let error): return error.kind == .notAuthorized ? .refused(error) : .failed(error)
        case .success(let path):
            guard case .available = await Self.inspected(path, access) else {
                return .failed(.unfindable("The chosen directory does not allow this access: \(path.visible)"))
            }
            chosen.withLock { $0[access] = path }
            return .allowed
        }
    }

    public func chosenFolder(for access: PhotosAccess) async throws(CaptureError) -> String {
        // What may be changed may be seen, too.
        let path = chosen.withLock { $0[access] ?? (access == .read ? $0[.write] : nil) }
        guard let path else { throw .unfindable("No directory has been chosen yet") }
        return path
    }

    private var isSandbox: Bool { Sandbox.isHere(in: environment, mark: mark) }

    private func byPortal() async -> PicturesFinding {
        let folder = DeviceDescription(id: "photos:chosen", name: "a folder that you choose next")
        let obstacle = await portal.obstacle()
        return PicturesFinding(folder, obstacle.map { .absent($0) } ?? .available, path: nil)
    }

    private static func inspected(_ path: String, _ access: PhotosAccess) async -> ServiceState {
        await Race.of(
            { inspect(path, access) }, on: queue, within: .seconds(10),
            late: .absent(.unfindable("\(path.visible) does not answer")),
            cancelled: .absent(CaptureError(.cancelled, "Reading \(path.visible) was cancelled.")))
    }

    private static func inspect(_ path: String, _ access: PhotosAccess) -> ServiceState {
        switch FileStatus.of(path) {
        case .success(let status) where status.kind == .directory: break
        case .success: return .absent(.unfindable("\(path.visible) is not a directory"))
        case .failure(.permissionDenied): return .restricted(Restriction(picturesAt: path))
        case .failure(let errno): return .absent(.unfindable("\(path.visible): \(errno.text)", errno))
        }
        let needed: FileSystem.Access = access == .read ? [.read, .execute] : [.read, .write, .execute]
        return FileSystem.allows(needed, to: path) ? .available : .restricted(Restriction(picturesAt: path))
    }
}

/// User's directories for music, pictures and the like, as a file of the user names them.
///
/// Standard: user-dirs.dirs(5) of xdg-user-dirs. *thread-safe*
struct UserDirectories: Sendable {
    let environment: [String: String]

    /// Pictures directory: an absolute path, whether it exists or not. A user disables such a directory by setting it to the home
    /// directory.
    var pictures: Result<String, CaptureError> {
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            return .failure(.unfindable("There is no home directory (HOME)"))
        }
        let given = environment["XDG_CONFIG_HOME"] ?? ""
        // A relative one is to be ignored: XDG Base Directory Specification.
        let file = (given.hasPrefix("/") ? given : "\(home)/.config") + "/user-dirs.dirs"
        guard let bytes = ProcessFile.bytes(file, limit: Self.mostBytes) else {
            return .failure(.unfindable("\(file.visible) can't be read"))
        }
        guard let path = Self.folder("XDG_PICTURES_DIR", in: bytes, home: home) else {
            return .failure(.unfindable("\(file.visible) has no pictures directory"))
        }
        return .success(path)
    }

    /// Far more than the eight lines that there are.
    private static let mostBytes = 65_536

    /// Directory of a name. Of several lines the last one counts, as for a shell that reads the file.
    ///
    /// - Returns: `nil` if it is not set, has another form than "$HOME/…" or "/…", or is the home directory.
    static func folder(_ name: String, in bytes: [UInt8], home: String) -> String? {
        var found: String?
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let value = value(of: Array(name.utf8), in: line) else { continue }
            found = path(value, home: home)
        }
        guard let found, trimmed(found) != trimmed(home) else { return nil }
        return found
    }

    /// Text in quotes after the name; `nil` for a line about another name. Empty if the quotes are wrong.
    private static func value(of name: [UInt8], in line: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = line.drop { blanks.contains($0) }
        guard rest.starts(with: name) else { return nil }
        rest = rest.dropFirst(name.count).drop { blanks.contains($0) }
        guard rest.first == UInt8(ascii: "=") else { return nil }
        rest = rest.dropFirst().drop { blanks.contains($0) }
        guard rest.first == UInt8(ascii: "\"") else { return [] }
        return quoted(rest.dropFirst()) ?? []
    }

    /// Text up to the closing quote; nothing may follow it. Text that a shell would expand is not part of the format.
    private static func quoted(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var (value, rest) = ([UInt8](), text)
        // The one variable that is expanded.
        let home = Array("$HOME".utf8)
        if rest.starts(with: home) {
            value = home
            rest = rest.dropFirst(home.count)
        }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return rest.allSatisfy { blanks.contains($0) } ? value : nil
            case UInt8(ascii: "$"), UInt8(ascii: "`"), 0: return nil
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped)
            default: value.append(byte)
            }
        }
        return nil
    }

    /// - Returns: `nil` for a path that is relative, is not text, or leads upwards again.
    private static func path(_ value: [UInt8], home: String) -> String? {
        guard let text = String(validating: value, as: UTF8.self) else { return nil }
        let path = text.hasPrefix("$HOME/") ? home + text.dropFirst("$HOME".count) : text == "$HOME" ? home : text
        guard path.hasPrefix("/"), !path.split(separator: "/").contains("..") else { return nil }
        return trimmed(path)
    }

    /// Without slashes at the end.
    private static func trimmed(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }

    private static let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
}

extension ServiceState {
    fileprivate var isAvailable: Bool { if case .available = self { true } else { false } }
}

extension DeviceDescription {
    fileprivate static let anyFolder = DeviceDescription(id: "photos:unknown", name: "the pictures folder")
}

extension Restriction {
    fileprivate init(picturesAt path: String) {
        self.init(
            cause: .nodePermissions(node: path), reason: "You can't open the pictures in \(path.visible).",
            remedies: [Remedy("See who can open them.", command: "ls -ld \(ShellQuote.word(path))")])
    }
}

extension CaptureError {
    /// Error for a pictures directory that can't be found.
    static func unfindable(_ why: String, _ errno: Errno? = nil) -> CaptureError {
        CaptureError(
            .unavailable, "The pictures directory can't be used. \(why).", errno: errno?.number ?? 0,
            remedies: [Remedy("Create one, and add it to the user's directories.", command: "xdg-user-dirs-update")])
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension Capability.Photos {
    /// User's pictures directory, found by `UserPictures`.
    ///
    /// - Parameters:
    ///   - access: `.read`, or `.write` to add images.
    ///   - purpose: reason, which the question shows.
    public init(_ access: PhotosAccess, purpose: String) {
        self.init(access, purpose: purpose, in: UserPictures.ofProcess)
    }
}
