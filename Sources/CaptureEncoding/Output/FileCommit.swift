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
    /// The thread that has synced the file so far; `nil` if there is none.
    package let sync: DiskSync?

    /// - Throws: `.fileExists` if a file of that name has appeared meanwhile, `.inputOutput`, `.diskFull`. The recording then
    ///   stays under its partial name.
    package func run() throws(CaptureError) {
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
            .fileExists, "\(path) has appeared meanwhile; the recording is in \(file.path).",
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
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "capturegate.finish")

    package init() {}

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
                state.hasLastFailed = false
            }
        }
    }

    /// The segments that got their names since the last call.
    package func takeFinished() -> [ClipSegment] {
        state.withLock { state in
            // Mostly there is none, and no array has to be allocated.
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
