import Gate
import LinuxSystem

/// The listing of a policy directory at one moment: its files, and the reasons not to trust them.
struct PolicyListing: Hashable, Sendable {
    /// A policy file and its status; it is read again when the status changes.
    struct File: Hashable, Sendable {
        let path: String
        let status: FileStatus
    }

    /// `nil` if there is no directory.
    let status: FileStatus?
    /// Files that may be opened: regular ones that only the administrator may have written.
    let files: [File]
    /// Names of leftovers of editors and packages, which are no policy.
    let passedOver: [String]
    let diagnostics: [PolicyDiagnostic]

    /// - Parameters:
    ///   - path: absolute.
    ///   - owners: permitted owners of the directory and its files.
    init(at path: String, owners: Set<UInt32>) {
        var look = ListingReader(owners: owners)
        status = look.folder(at: path)
        files = look.files
        passedOver = look.passedOver
        diagnostics = look.diagnostics
    }
}

/// Lists a directory.
private struct ListingReader {
    let owners: Set<UInt32>
    private(set) var files: [PolicyListing.File] = []
    private(set) var passedOver: [String] = []
    private(set) var diagnostics: [PolicyDiagnostic] = []

    init(owners: Set<UInt32>) {
        self.owners = owners
    }

    /// Most names in a directory: more are no policy, and each would be examined before every question.
    private static let mostNames = 1000

    /// - Returns: `nil` if there is no directory, which is certain only if nothing has the name.
    mutating func folder(at path: String) -> FileStatus? {
        guard let status = place(path) else { return nil }
        if let fault = fault(of: status, .directory) { report(path, fault) }
        do {
            let names = try Self.names(in: path)
            if names.count > Self.mostNames { report(path, "The directory has more than \(Self.mostNames) entries.") }
            for name in names.prefix(Self.mostNames) { look(at: name, in: path) }
        } catch {
            report(path, "The directory can't be read: \(error.text).")
        }
        return status
    }

    /// Records a mistake of a file or of the directory.
    private mutating func report(_ path: String, _ message: String) {
        diagnostics.append(PolicyDiagnostic(file: path, message: message))
    }

    /// Follows the path part by part: a dangling link, a file in place of a directory, or a closed directory does not prove
    /// that there are no rules.
    private mutating func place(_ path: String) -> FileStatus? {
        var part = ""
        var status: FileStatus?
        for name in path.split(separator: "/") {
            part += "/\(name)"
            switch FileStatus.ofLink(part) {
            case .failure(let failure) where failure == .noSuchFileOrDirectory: return nil
            case .failure(let failure):
                report(part, "This can't be read: \(failure.text).")
                return nil
            case .success(let found): status = found
            }
            guard status?.kind == .link else { continue }
            switch FileStatus.of(part) {
            case .failure(let failure):
                report(part, "This symbolic link is broken: \(failure.text).")
                return nil
            case .success(let found): status = found
            }
        }
        return status
    }

    /// Lists a file, ignores it, or reports it.
    private mutating func look(at name: String, in folder: String) {
        let path = "\(folder)/\(name)"
        if PolicyName.isLeftover(name) { return passedOver.append(name) }
        guard name.hasSuffix(".yaml") else {
            return report(path, "The name of a policy file must end in .yaml. Rename or remove this file.")
        }
        switch FileStatus.ofLink(path) {
        case .failure(let failure): report(path, "This can't be read: \(failure.text).")
        case .success(let status):
            if let fault = fault(of: status, .file) { return report(path, fault) }
            files.append(PolicyListing.File(path: path, status: status))
        }
    }

    /// Reason to suspect that somebody other than the administrator wrote it; `nil` without one.
    private func fault(of status: FileStatus, _ kind: FileStatus.Kind) -> String? {
        guard status.kind != .link else {
            return "This is a symbolic link, whose target other users could change. Put the file itself here."
        }
        guard status.kind == kind else { return "This is not a \(kind == .file ? "regular file" : "directory")." }
        guard owners.contains(status.owner) else {
            return "This belongs to user \(status.owner). It must belong to root."
        }
        guard !status.isWritableByOthers else {
            return
                "Other users can write to this (mode 0\(String(status.permissions, radix: 8))). Remove their right to write."
        }
        return nil
    }

    /// All names, in the order of their bytes; at most one more than are allowed.
    private static func names(in path: String) throws(Errno) -> [String] {
        try FileSystem.names(in: path, limit: mostNames + 1).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

/// Names in a policy directory that do not belong to a policy file.
private enum PolicyName {
    /// True for names that package managers and editors leave beside a file, or use while they write it: nobody mistakes those
    /// for rules in force. Any other name may be a rule that somebody relies on, and is an error.
    static func isLeftover(_ name: String) -> Bool {
        let endings = [
            "~", ".dpkg-old", ".dpkg-new", ".dpkg-dist", ".dpkg-tmp", ".dpkg-bak", ".dpkg-remove", ".ucf-old",
            ".ucf-new", ".ucf-dist", ".rpmsave", ".rpmorig", ".rpmnew", ".pacnew", ".pacsave",
        ]
        return name.hasPrefix(".") || endings.contains { name.hasSuffix($0) }
            || name.hasPrefix("#") && name.hasSuffix("#") || isTemporary(name)
            || ["README", "README.md", "README.txt", "lost+found"].contains(name)
    }

    /// The names under which vim, sed and rpm write: `4913`, `sedAbC123`, `10-room.yaml;5f3a2b1c`.
    private static func isTemporary(_ name: String) -> Bool {
        let parts = name.split(separator: ";", omittingEmptySubsequences: false)
        let isOfPackage = parts.count == 2 && parts[1].count == 8 && parts[1].allSatisfy(\.isHexDigit)
        let isOfSed =
            name.hasPrefix("sed") && name.utf8.count == 9 && name.allSatisfy { $0.isASCII && !$0.isPunctuation }
        return name == "4913" || isOfPackage || isOfSed
    }
}
