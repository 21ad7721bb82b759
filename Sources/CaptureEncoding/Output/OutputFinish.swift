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
        try checkName()
        try rename()
        syncFolder()
    }

    private var partial: String { path + suffix }

    /// What has the partial name by now may be another file, or there may be none.
    private func checkName() throws(CaptureError) {
        var written = cs_file_status()
        var named = cs_file_status()
        guard cs_fstat(descriptor, &written) >= 0 else { return }
        let found = cs_lstat(partial, &named)
        let isOther = named.inode != written.inode || named.device != written.device
        // Anything else that keeps it from being looked at keeps it from being renamed, and is told then.
        guard found == -ENOENT || found == -ENOTDIR || found >= 0 && isOther else { return }
        throw written.links == 0 ? removed : moved
    }

    private var removed: CaptureError {
        CaptureError(
            .inputOutput, "\(partial) was removed while it was recorded, and what was recorded is gone with it.",
            remedies: [Remedy("Record again, and leave the .partial and its folder alone until the end.")])
    }

    private var moved: CaptureError {
        let place = currentPlace
        return CaptureError(
            .inputOutput,
            "\(partial) was moved while it was recorded; the recording is whole, in \(place ?? "the file it became").",
            remedies: [
                place.map { Remedy("Rename it.", command: "mv -n \(ClipOutput.quoted($0)) OTHER-NAME") }
                    ?? Remedy("Rename it.")
            ])
    }

    /// Where the written file is now, as far as the kernel tells.
    private var currentPlace: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4097) { text in
            guard let start = text.baseAddress else { return nil }
            let length = cs_readlink("/proc/self/fd/\(descriptor)", start, text.count - 1)
            guard length > 0 else { return nil }
            start[Int(length)] = 0
            return String(cString: start)
        }
    }

    func close() { _ = cs_close(descriptor) }

    private func rename() throws(CaptureError) {
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
