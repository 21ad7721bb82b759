import CaptureGate
import LinuxSystem

/// Paths that the broker uses, from its command line.
///
/// There is no file of settings: anybody who could write one would choose who may give permissions.
///
/// *thread-safe*
package struct BrokerConfiguration: Hashable, Sendable {
    /// Path of the socket, used where the service manager has handed over none.
    package var socket = "/run/capturegate/broker"
    /// Directory of the users' stores, one in each directory that is named by the user's number.
    package var state = "/var/lib/capturegate"
    /// Programs that may ask a person for the broker, by their paths.
    package var agents = ["/usr/bin/capturegate"]

    package init() {}

    /// Reads a command line.
    ///
    /// - Parameter arguments: `--socket PATH`, `--state DIRECTORY` and `--agent PROGRAM`, which can be repeated.
    /// - Throws: `.usage` for anything else, and for a path that does not begin at the root.
    package init(arguments: [String]) throws(CaptureError) {
        var left = arguments[...]
        var named: [String] = []
        while let option = left.popFirst() {
            guard ["--socket", "--state", "--agent"].contains(option) else {
                throw .wrongOption("There is no option \"\(option)\".")
            }
            guard let path = left.popFirst(), path.hasPrefix("/") else {
                throw .wrongOption("\(option) needs an absolute path.")
            }
            switch option {
            case "--socket": socket = path
            case "--state": state = path
            default: named.append(path)
            }
        }
        if !named.isEmpty { agents = named }
    }
}

/// Programs that may ask a person: files that only root can change.
///
/// An agent gives permissions in a person's name. A program that its user could replace would let a replacement give them.
///
/// *thread-safe*
struct AgentPrograms: Sendable {
    private let paths: [String]
    /// Owner that files must have besides root: none, but for tests.
    private let trusted: Set<UInt32>

    /// - Parameters:
    ///   - paths: of the programs, absolute.
    ///   - owners: users whose files count like root's: for tests that are not run by root.
    init(_ paths: [String], owners: Set<UInt32> = [0]) {
        self.paths = paths
        trusted = owners
    }

    /// Checks a program that wants to ask a person. Checked each time, since a file may be replaced at any moment.
    ///
    /// - Throws: `.notAuthorized` if it is none of these, or if others than root could change it.
    func check(_ program: Executable) throws(CaptureError) {
        guard paths.contains(where: { (try? FileSystem.realPath(of: $0)) == program.path }) else {
            throw CaptureError(
                .notAuthorized, "The program \(program.path) may not act as an agent.",
                remedies: [Remedy("Use one of these agents: \(paths.joined(separator: ", ")).")])
        }
        guard let weak = weakPart(of: program.path, inode: program.inode) else { return }
        throw CaptureError(
            .notAuthorized, "The program \(program.path) may not act as an agent: \(weak).",
            remedies: [
                Remedy(
                    "Install it so that only root can change it.",
                    command: ShellQuote.command(["ls", "-ld", program.path]))
            ])
    }

    /// Part of a path that others than root could change, in words; `nil` if none exists.
    ///
    /// - Parameter inode: inode of the running file; another file at its path is not the program that was checked.
    private func weakPart(of path: String, inode: UInt64) -> String? {
        var folder = ""
        let names = path.split(separator: "/")
        if let weak = weakness(of: "/", .directory) { return weak }
        for (index, name) in names.enumerated() {
            folder += "/" + name
            if let weak = weakness(of: folder, index == names.count - 1 ? .file : .directory) { return weak }
        }
        let found = try? FileStatus.ofLink(path).get().inode
        return found == inode ? nil : "another file has replaced it"
    }

    private func weakness(of path: String, _ kind: FileStatus.Kind) -> String? {
        guard case .success(let status) = FileStatus.ofLink(path), status.kind == kind else {
            return "\(path) has the wrong file type"
        }
        guard trusted.contains(status.owner) else { return "\(path) belongs to user \(status.owner)" }
        // In a sticky directory, such as /tmp, nobody can replace another user's file.
        let isSticky = kind == .directory && status.permissions & 0o1000 != 0
        guard !status.isWritableByOthers || isSticky else { return "other users can change \(path)" }
        return hasAccessList(path) ? "an access list gives other users access to \(path)" : nil
    }

    /// True for a POSIX access list: the mode alone does not say who may write then.
    private func hasAccessList(_ path: String) -> Bool {
        do throws(Errno) {
            return try !FileSystem.attribute("system.posix_acl_access", of: path).isEmpty
        } catch {
            return error != .noData && error != .notSupported
        }
    }
}

extension CaptureError {
    /// Refusal of a command line.
    fileprivate static func wrongOption(_ sentence: String) -> CaptureError {
        CaptureError(
            .usage, sentence,
            remedies: [Remedy("Use --socket PATH, --state DIRECTORY and --agent PROGRAM, or none of them.")])
    }
}
