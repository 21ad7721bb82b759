import CSystem
import CaptureGate

/// The last act on a written file: fsync, rename without replacing, fsync of the folder.
struct OutputFinish: Sendable {
    let descriptor: Int32
    let path: String
    /// What the file is called until then, behind its name.
    let suffix: String
    let replacing: Bool

    /// - Throws: `.fileExists` if a file of that name has appeared since, `.inputOutput`, `.diskFull`. The recording
    ///   then stays under its partial name.
    func run() throws(CaptureError) {
        let synced = cs_fsync(descriptor)
        guard synced >= 0 else { throw .output(-synced, "store", path) }
        try rename()
        syncFolder()
    }

    func close() { _ = cs_close(descriptor) }

    private func rename() throws(CaptureError) {
        let partial = path + suffix
        var result = replacing ? cs_rename(partial, path) : cs_rename_noreplace(partial, path)
        if result == -EINVAL, !replacing { result = linkAndUnlink(partial, path) }
        if result == -EEXIST {
            throw CaptureError(
                .fileExists, "\(path) has appeared meanwhile; the recording is in \(partial).", errno: EEXIST,
                remedies: [Remedy("Rename it.", command: "mv -n \(ClipOutput.quoted(partial)) OTHER-NAME")])
        }
        guard result >= 0 else { throw .output(-result, "rename \(partial) to", path) }
    }

    /// For file systems that can't rename without replacing.
    private func linkAndUnlink(_ partial: String, _ path: String) -> Int32 {
        let linked = cs_link(partial, path)
        return linked < 0 ? linked : cs_unlink(partial)
    }

    /// The file is whole and named; a folder that can't be synced is no reason to call it failed.
    private func syncFolder() {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = cs_open(folder, O_RDONLY | O_DIRECTORY, 0)
        guard descriptor >= 0 else { return }
        _ = cs_fsync(descriptor)
        _ = cs_close(descriptor)
    }
}
