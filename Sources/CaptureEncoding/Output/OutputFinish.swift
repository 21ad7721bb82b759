import CSystem
import CaptureGate

/// The last act on a written file: fsync, rename without replacing, fsync of the folder.
struct OutputFinish: Sendable {
    let file: PartialFile
    /// Bytes that were written.
    let length: Int64
    let path: String
    let replacing: Bool
    /// What has stored it until now.
    let sync: DiskSync?

    /// - Throws: `.fileExists` if a file of that name has appeared since, `.inputOutput`, `.diskFull`. The recording
    ///   then stays under its partial name.
    func run() throws(CaptureError) {
        try store()
        file.steps.reached(.check)
        if let trouble = file.trouble(withWritten: length) { throw trouble }
        if replacing, !ClipOutput.isReplaceable(path) { throw appeared }
        file.steps.reached(.rename)
        try rename()
        file.steps.reached(.renamed)
        syncFolder()
    }

    func close() { ClipOutput.close(file, sync) }

    /// An error is told to one of those who store, so that both have to be asked.
    private func store() throws(CaptureError) {
        sync?.stop()
        let synced = cs_fsync(file.descriptor)
        if let failure = sync?.wait() { throw failure }
        guard synced >= 0 else { throw .output(-synced, "store", path) }
    }

    private func rename() throws(CaptureError) {
        var result = replacing ? cs_rename(file.path, path) : cs_rename_noreplace(file.path, path)
        if result == -EINVAL, !replacing { result = linkAndUnlink(file.path, path) }
        if result == -EEXIST { throw appeared }
        guard result >= 0 else { throw .output(-result, "rename \(file.path) to", path) }
        // In a folder of others the partial name may have become another file's in between: that goes back.
        guard file.isNamed(path) else {
            _ = cs_rename_noreplace(path, file.path)
            throw file.trouble(withWritten: length) ?? file.moved
        }
    }

    private var appeared: CaptureError {
        CaptureError(
            .fileExists, "\(path) has appeared meanwhile; the recording is in \(file.path).", errno: EEXIST,
            remedies: [Remedy("Rename it.", command: "mv -n \(ClipOutput.quoted(file.path)) OTHER-NAME")])
    }

    /// For file systems that can't rename without replacing.
    private func linkAndUnlink(_ partial: String, _ path: String) -> Int32 {
        let linked = cs_link(partial, path)
        return linked < 0 ? linked : cs_unlink(partial)
    }

    /// The file is whole and named; a folder that can't be synced is no reason to call it failed.
    private func syncFolder() {
        DiskSync.store(folder: ClipOutput.folder(of: path))
    }
}
