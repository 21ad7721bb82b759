import Gate
import LinuxSystem

/// The listing of a policy directory at one moment: its files, and the reasons not to trust them.
struct PolicyListing: Hashable, Sendable {
    /// A policy file and what it looked like; it is read anew when that changes.
    struct File: Hashable, Sendable {
        let path: String
        let status: FileStatus
    }

    /// `nil` if there is no folder.
    let status: FileStatus?
    /// Those that may be opened: regular files that the administrator alone may have written.
    let files: [File]
    /// Names of what editors and packages leave, which is no policy.
    let passedOver: [String]
    let diagnostics: [PolicyDiagnostic]

    /// - Parameters:
    ///   - path: absolute.
    ///   - owners: who may own the folder and its files.
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

    /// More names than that are no policy, and would be looked at before each question.
    private static let mostNames = 1000

    /// - Returns: `nil` where there is no folder, which only a name that nobody has says for certain.
    mutating func folder(at path: String) -> FileStatus? {
        guard let status = place(path) else { return nil }
        if let fault = fault(of: status, .directory) { report(path, fault) }
        do {
            let names = try Self.names(in: path)
            if names.count > Self.mostNames { report(path, "It holds more than \(Self.mostNames) names.") }
            for name in names.prefix(Self.mostNames) { look(at: name, in: path) }
        } catch {
            report(path, "It can't be read: \(error.text).")
        }
        return status
    }

    /// Notes what is wrong with a file or with the directory.
    private mutating func report(_ path: String, _ message: String) {
        diagnostics.append(PolicyDiagnostic(file: path, message: message))
    }

    /// Goes down the path part by part: a link that leads nowhere, a file in a folder's place or a folder that is closed
    /// says nothing of whether there are rules.
    private mutating func place(_ path: String) -> FileStatus? {
        var part = ""
        var status: FileStatus?
        for name in path.split(separator: "/") {
            part += "/\(name)"
            switch FileStatus.ofLink(part) {
            case .failure(let failure) where failure == .noSuchFileOrDirectory: return nil
            case .failure(let failure):
                report(part, "It can't be looked at: \(failure.text).")
                return nil
            case .success(let found): status = found
            }
            guard status?.kind == .link else { continue }
            switch FileStatus.of(part) {
            case .failure(let failure):
                report(part, "It is a symbolic link that leads nowhere: \(failure.text).")
                return nil
            case .success(let found): status = found
            }
        }
        return status
    }

    /// Lists a file, passes it over, or reports it.
    private mutating func look(at name: String, in folder: String) {
        let path = "\(folder)/\(name)"
        if PolicyName.isLeftover(name) { return passedOver.append(name) }
        guard name.hasSuffix(".yaml") else {
            return report(path, "Policy files end in .yaml; rename it or take it away: nobody can tell what it means.")
        }
        switch FileStatus.ofLink(path) {
        case .failure(let failure): report(path, "It can't be looked at: \(failure.text).")
        case .success(let status):
            if let fault = fault(of: status, .file) { return report(path, fault) }
            files.append(PolicyListing.File(path: path, status: status))
        }
    }

    /// Why somebody else than the administrator may have written it.
    private func fault(of status: FileStatus, _ kind: FileStatus.Kind) -> String? {
        guard status.kind != .link else {
            return "It is a symbolic link; put the file itself here, since others may write where a link leads."
        }
        guard status.kind == kind else { return "It is not a \(kind == .file ? "regular file" : "folder")." }
        guard owners.contains(status.owner) else {
            return "It belongs to user \(status.owner); the administrator's rules must belong to root."
        }
        guard !status.isWritableByOthers else {
            return "Others may write it (mode 0\(String(status.permissions, radix: 8))); take that right from them."
        }
        return nil
    }

    /// All names, in the order of their bytes; no more than are needed to see that there are too many.
    private static func names(in path: String) throws(Errno) -> [String] {
        try FileSystem.names(in: path, limit: mostNames + 1).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

/// The names in a policy folder that are none of a policy file.
private enum PolicyName {
    /// True for names that package managers and editors leave beside a file, or use while they write it: nobody takes those
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
