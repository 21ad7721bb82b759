import CSystem
import Gate

/// One look at a policy folder: which files there are, and whether they can be trusted.
struct PolicyFolder: Hashable, Sendable {
    /// A policy file and what it looked like; it is read anew when that changes.
    struct File: Hashable, Sendable {
        let path: String
        let status: FileStatus
    }

    /// `nil` if there is no folder.
    let status: FileStatus?
    let files: [File]
    let diagnostics: [PolicyDiagnostic]

    /// - Parameter owners: who may own the folder and its files.
    init(at path: String, owners: Set<UInt32>) {
        var files: [File] = []
        var diagnostics: [PolicyDiagnostic] = []
        var status: FileStatus?
        do {
            let found = try FileStatus.of(path).get()
            status = found
            if let fault = PolicyFolder.fault(of: found, .directory, owners: owners) {
                diagnostics.append(PolicyDiagnostic(file: path, message: fault))
            }
            for name in try PolicyFolder.names(in: path) {
                PolicyFolder.look(at: "\(path)/\(name)", owners: owners, &files, &diagnostics)
            }
        } catch {
            let isAbsent = error.errno == ENOENT && status == nil
            if !isAbsent {
                diagnostics.append(PolicyDiagnostic(file: path, message: "It can't be read: \(error.text)."))
            }
        }
        (self.status, self.files, self.diagnostics) = (status, files, diagnostics)
    }

    private static func look(
        at path: String, owners: Set<UInt32>, _ files: inout [File], _ diagnostics: inout [PolicyDiagnostic]
    ) {
        guard path.hasSuffix(".yaml") else {
            let message = "Policy files end in .yaml; rename it, or this file would be passed over in silence."
            return diagnostics.append(PolicyDiagnostic(file: path, message: message))
        }
        switch FileStatus.ofLink(path) {
        case .failure(let failure):
            diagnostics.append(PolicyDiagnostic(file: path, message: "It can't be looked at: \(failure.text)."))
        case .success(let status):
            if let fault = fault(of: status, .file, owners: owners) {
                diagnostics.append(PolicyDiagnostic(file: path, message: fault))
            }
            files.append(File(path: path, status: status))
        }
    }

    /// Why somebody else than the administrator may have written it.
    private static func fault(of status: FileStatus, _ kind: FileStatus.Kind, owners: Set<UInt32>) -> String? {
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

    /// The names that end in .yaml or .yml, in the order of their bytes; what editors and packages leave is not read.
    private static func names(in path: String) throws(SystemFailure) -> [String] {
        var opened: UnsafeMutableRawPointer?
        let result = cs_directory_open(path, &opened)
        guard result >= 0, let directory = opened else { throw SystemFailure(result: result) }
        defer { _ = cs_directory_close(directory) }
        var names: [String] = []
        var entry = cs_directory_entry()
        while true {
            let result = cs_directory_next(directory, &entry)
            guard result >= 0 else { throw SystemFailure(result: result) }
            guard result > 0 else { break }
            let name = withUnsafeBytes(of: entry.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if !name.hasPrefix("."), name.hasSuffix(".yaml") || name.hasSuffix(".yml") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
