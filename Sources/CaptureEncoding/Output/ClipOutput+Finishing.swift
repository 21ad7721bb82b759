import CSystem
import CaptureGate

extension ClipOutput {
    /// Makes it durable and gives it its name: fsync, rename without replacing, fsync of the folder.
    /// - Throws: `.fileExists` if a file of that name has appeared since, `.inputOutput`, `.diskFull`. The recording
    ///   then stays under its partial name.
    mutating func finish() throws(CaptureError) {
        guard case .file(let path) = destination, descriptor >= 0 else { return }
        let synced = cs_fsync(descriptor)
        guard synced >= 0 else { throw failure(-synced, "store") }
        try rename(to: path)
        syncFolder(of: path)
        _ = cs_close(descriptor)
        descriptor = -1
    }

    /// Removes what was written.
    mutating func discard() {
        guard case .file(let path) = destination, descriptor >= 0 else { return }
        _ = cs_unlink(path + suffix)
        _ = cs_close(descriptor)
        descriptor = -1
    }

    private func rename(to path: String) throws(CaptureError) {
        let partial = path + suffix
        var result = replacing ? cs_rename(partial, path) : cs_rename_noreplace(partial, path)
        if result == -EINVAL, !replacing { result = linkAndUnlink(partial, path) }
        if result == -EEXIST {
            throw CaptureError(
                .fileExists, "\(path) has appeared meanwhile; the recording is in \(partial).", errno: EEXIST,
                remedies: [Remedy("Rename it.", command: "mv -n \(Self.quoted(partial)) OTHER-NAME")])
        }
        guard result >= 0 else { throw failure(-result, "rename \(partial) to") }
    }

    /// For file systems that can't rename without replacing.
    private func linkAndUnlink(_ partial: String, _ path: String) -> Int32 {
        let linked = cs_link(partial, path)
        return linked < 0 ? linked : cs_unlink(partial)
    }

    /// The file is whole and named; a folder that can't be synced is no reason to call it failed.
    private func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = cs_open(folder, O_RDONLY | O_DIRECTORY, 0)
        guard descriptor >= 0 else { return }
        _ = cs_fsync(descriptor)
        _ = cs_close(descriptor)
    }

    static func quoted(_ path: String) -> String {
        "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
