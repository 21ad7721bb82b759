import CaptureBase
import Dispatch
import LinuxSystem

/// The commit of a written file: fsync, rename without replacing, fsync of the directory.
///
/// The rename comes last, so that a file under the clip's name is whole on the disk, whenever the power is cut.
package struct FileCommit: Sendable {
    package let file: PartialFile
    /// Bytes that were written.
    package let length: Int64
    package let path: String
    package let replacing: Bool
    /// Thread that has synced the file so far; `nil` if none exists.
    private let ownSync: DiskSync?
    /// Bytes that wait to be written before; `nil` if none do.
    private let queue: OutputQueue?

    /// - Parameters:
    ///   - file: that becomes the clip.
    ///   - length: bytes that were written, and those that wait.
    ///   - path: of the clip.
    ///   - replacing: true if a file of that name may be replaced.
    ///   - sync: thread that has synced the file so far.
    ///   - queue: that still writes.
    package init(
        file: PartialFile, length: Int64, path: String, replacing: Bool, sync: DiskSync? = nil,
        queue: OutputQueue? = nil
    ) {
        self.file = file
        self.length = length
        self.path = path
        self.replacing = replacing
        ownSync = sync
        self.queue = queue
    }

    private var sync: DiskSync? { queue?.end().sink.sync ?? ownSync }

    /// - Throws: `.fileExists` if a file of that name has appeared meanwhile, `.inputOutput`, `.diskFull`. The recording then
    ///   stays under its partial name.
    package func run() throws(CaptureError) {
        if let failure = queue?.end().failure { throw failure }
        try store()
        file.steps.reached(.check)
        if let trouble = file.trouble(withWritten: length) { throw trouble }
        if replacing, !ClipOutput.isReplaceable(path) { throw appeared }
        file.steps.reached(.rename)
        try rename()
        file.steps.reached(.renamed)
        syncFolder()
    }

    package func close() { ClipOutput.close(file, sync) }

    /// The kernel reports an error to only one of the syncing threads, so both must be asked.
    private func store() throws(CaptureError) {
        sync?.stop()
        var failed: Errno?
        do throws(Errno) { try file.descriptor.sync() } catch { failed = error }
        if let failure = sync?.wait() { throw failure }
        if let failed { throw .output(failed, "store", path) }
    }

    private func rename() throws(CaptureError) {
        do throws(Errno) {
            try rename(file.path, path)
        } catch {
            throw error == .fileExists ? appeared : .output(error, "rename \(file.path) to", path)
        }
        // In a directory that others may write, the partial name may have become another file's: that one is put back.
        guard file.isNamed(path) else {
            try? FileSystem.renameWithoutReplacing(path, to: file.path)
            throw file.trouble(withWritten: length) ?? file.moved
        }
    }

    private var appeared: CaptureError {
        CaptureError(
            .fileExists,
            "\(path) was created by another program during the recording. The recording is in \(file.path).",
            errno: Errno.fileExists.number,
            remedies: [Remedy("Rename it.", command: "mv -n \(ShellQuote.quoted(file.path)) OTHER-NAME")])
    }

    /// The corresponding C functions are `rename`, and `renameat2` with RENAME_NOREPLACE.
    private func rename(_ partial: String, _ path: String) throws(Errno) {
        if replacing { return try FileSystem.rename(partial, to: path) }
        do throws(Errno) {
            try FileSystem.renameWithoutReplacing(partial, to: path)
        } catch {
            guard error == .invalidArgument else { throw error }
            // Fallback for file systems that can't rename without replacing.
            try FileSystem.link(partial, as: path)
            try FileSystem.remove(partial)
        }
    }

    /// Syncs the directory. A failure is ignored: the file is already whole and named.
    private func syncFolder() {
        DiskSync.store(folder: ClipOutput.folder(of: path))
    }
}

/// Names written files on a separate queue: a disk may take seconds to store one, while the next is being recorded.
///
/// *thread-safe*
package final class FinishingQueue: Sendable {
    private struct State {
        var finished: [ClipSegment] = []
        var failure: CaptureError?
        var hasLastFailed = false
        /// Files that have their names, the oldest first, where only some are kept.
        var kept: [(path: String, status: FileStatus)] = []
        /// Paths of those that were removed.
        var removed: Set<String> = []
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "capturegate.finish")

    /// Finished files that are kept; `nil` for all.
    private let keep: Int?

    /// - Parameter keep: finished files that are kept: the oldest is removed once there is one more. `nil` keeps all.
    package init(keep: Int? = nil) { self.keep = keep }

    package func add(_ last: FileCommit) {
        queue.async { [self] in
            let failure = Self.run(last)
            last.close()
            state.withLock { state in
                state.hasLastFailed = failure != nil
                state.failure = state.failure ?? failure
            }
        }
    }

    /// Reports the segment whose file was added last, once it has its name.
    package func tell(_ part: ClipSegment) {
        queue.async { [self] in
            state.withLock { state in
                if !state.hasLastFailed { state.finished.append(part) }
                if !state.hasLastFailed, let keep { Self.removeOldest(after: part.path, keep, &state) }
                state.hasLastFailed = false
            }
        }
    }

    /// Removes the oldest files, each only while its name is still that of the file that was made here.
    private static func removeOldest(after path: String, _ keep: Int, _ state: inout State) {
        guard case .success(let status) = FileStatus.ofLink(path) else { return }
        state.kept.append((path, status))
        while state.kept.count > keep {
            let oldest = state.kept.removeFirst()
            guard (try? FileStatus.ofLink(oldest.path).get())?.isSameFile(as: oldest.status) ?? false else { continue }
            if (try? FileSystem.remove(oldest.path)) != nil { state.removed.insert(oldest.path) }
        }
    }

    /// Those of some segments that were not removed.
    package func present(_ segments: [ClipSegment]) -> [ClipSegment] {
        let removed = state.withLock { $0.removed }
        return removed.isEmpty ? segments : segments.filter { !removed.contains($0.path) }
    }

    /// The segments that got their names since the last call.
    package func takeFinished() -> [ClipSegment] {
        state.withLock { state in
            // Usually there is none, and no array has to be allocated.
            if state.finished.isEmpty { return [] }
            defer { state.finished = [] }
            return state.finished
        }
    }

    /// Error of the first file that could not get its name.
    package var failure: CaptureError? { state.withLock { $0.failure } }

    /// Returns once everything that was added is done.
    package func wait() { queue.sync {} }

    private static func run(_ last: FileCommit) -> CaptureError? {
        do {
            try last.run()
            return nil
        } catch {
            return error
        }
    }
}
