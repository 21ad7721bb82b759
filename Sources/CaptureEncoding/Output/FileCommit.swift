import CaptureBase
import Dispatch
import LinuxSystem

/// The commit of a written file: fsync, rename without replacing, fsync of the directory.
///
/// The name comes last, so that a file under the clip's name is whole on the disk, whenever the power is cut.
package struct FileCommit: Sendable {
    package let file: PartialFile
    /// Bytes that were written.
    package let length: Int64
    package let path: String
    package let replacing: Bool
    /// The thread that has stored it until now; `nil` where none has.
    package let sync: DiskSync?

    /// - Throws: `.fileExists` if a file of that name has appeared since, `.inputOutput`, `.diskFull`. The recording
    ///   then stays under its partial name.
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

    /// An error is told to one of those who store, so that both have to be asked.
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
        // In a folder of others the partial name may have become another file's in between: that goes back.
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
            // For file systems that can't rename without replacing.
            try FileSystem.link(partial, as: path)
            try FileSystem.remove(partial)
        }
    }

    /// The file is whole and named; a folder that can't be synced is no reason to call it failed.
    private func syncFolder() {
        DiskSync.store(folder: ClipOutput.folder(of: path))
    }
}

/// Gives written files their names on a queue of its own: a disk may take seconds to store one, and the next is being
/// recorded.
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

    /// Tells of the part whose file was added last, once that has its name.
    package func tell(_ part: ClipSegment) {
        queue.async { [self] in
            state.withLock { state in
                if !state.hasLastFailed { state.finished.append(part) }
                state.hasLastFailed = false
            }
        }
    }

    /// The parts that have their names since the last call.
    package func takeFinished() -> [ClipSegment] {
        state.withLock { state in
            // Most of the time there is none, and nothing to be made anew.
            if state.finished.isEmpty { return [] }
            defer { state.finished = [] }
            return state.finished
        }
    }

    /// Why the first file that did not get its name did not.
    package var failure: CaptureError? { state.withLock { $0.failure } }

    /// Returns when all that was added is done.
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
