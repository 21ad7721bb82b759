import CaptureBase
import LinuxSystem

/// The file that becomes a clip. It is identified by its inode: its name may be given to another file at any moment, and only
/// the file made here is ever renamed or removed.
///
/// *thread-safe*
package struct PartialFile: Sendable {
    package let descriptor: RawDescriptor
    /// The name until it is finished.
    package let path: String
    package let steps: OutputSteps
    /// The status when it was opened; device and inode identify the file.
    private let made: FileStatus

    package init(_ descriptor: RawDescriptor, _ path: String, _ status: FileStatus, _ steps: OutputSteps) {
        self.descriptor = descriptor
        self.path = path
        self.steps = steps
        made = status
    }

    /// True if a name is still this file's.
    package func isNamed(_ path: String) -> Bool {
        (try? FileStatus.ofLink(path).get().isSameFile(as: made)) ?? false
    }

    /// Removes the name if it is still this file's.
    package func remove() {
        steps.reached(.remove)
        if isNamed(path) { try? FileSystem.remove(path) }
    }

    /// Checks whether another program has shortened or removed the file.
    /// - Parameter length: bytes that were written.
    package func loss(ofWritten length: Int64) -> CaptureError? {
        switch FileStatus.of(descriptor) {
        case .failure(let errno): .output(errno, "read", path)
        case .success(let own) where own.links == 0 && !isNamed(path): removed
        case .success(let own): own.size < length ? cut(to: own.size, of: length) : nil
        }
    }

    /// Reason why it can't become the clip; `nil` if it is whole and under its name.
    /// - Parameter length: bytes that were written.
    package func trouble(withWritten length: Int64) -> CaptureError? {
        if let loss = loss(ofWritten: length) { return loss }
        switch FileStatus.ofLink(path) {
        case .success(let named): return named.isSameFile(as: made) ? nil : moved
        case .failure(.noSuchFileOrDirectory), .failure(.notDirectory): return moved
        // An error here also fails the rename, and is reported then.
        case .failure: return nil
        }
    }

    private func cut(to size: Int64, of length: Int64) -> CaptureError {
        CaptureError(
            .inputOutput,
            "\(path) was cut to \(size) of \(length) bytes by another program during the recording.",
            remedies: [
                Remedy("Record again, and do not touch the .partial file."),
                Remedy("Or recover the rest.", .recover(path: path)),
            ])
    }

    private var removed: CaptureError {
        CaptureError(
            .inputOutput, "\(path) was removed during the recording, so the recording is lost.",
            remedies: [Remedy("Record again, and do not touch the .partial file or its directory.")])
    }

    /// The error of a name that is no longer this file's; says where the file is now.
    package var moved: CaptureError {
        let place = currentPlace
        return CaptureError(
            .inputOutput,
            "\(path) was moved during the recording. The recording is complete, in \(place ?? "the moved file").",
            remedies: [
                place.map { Remedy("Rename it.", command: "mv -n \(ShellQuote.quoted($0)) OTHER-NAME") }
                    ?? Remedy("Rename it.")
            ])
    }

    /// The present path, as far as the kernel tells.
    private var currentPlace: String? { ClipOutput.target(ofLink: "/proc/self/fd/\(descriptor.number)") }
}

extension PartialFile {
    /// Opens the file of a partial name: a new one, or an empty leftover of this user.
    ///
    /// An existing file is opened only once its kind and owner are known, never through a link and never waiting; it is judged
    /// again under the lock, when no other writer of clips can change the meaning of the name.
    /// - Parameter leftover: permitted content of an existing file.
    /// - Throws: `.fileExists` for anything else, which is left as it is; `.busy` while another recording writes there;
    ///   `.inputOutput`.
    package init(opening path: String, over leftover: PartialFilePolicy, steps: OutputSteps) throws(CaptureError) {
        for _ in 0..<Self.mostTries {
            steps.reached(.make)
            if let made = try Self.opened(path, [.create, .exclusive], unless: .fileExists) {
                self = try Self.judged(try Self.locked(made, path, steps, isMade: true), path, steps, isMade: true)
                return
            }
            if let found = try Self.found(path, over: leftover, steps) {
                self = found
                return
            }
        }
        throw Self.busy(path)
    }

    /// Limit for a process that removes the name and restores it each time.
    private static let mostTries = 8

    /// - Returns: `nil` if the name is free by now.
    private static func found(
        _ path: String, over leftover: PartialFilePolicy, _ steps: OutputSteps
    ) throws(CaptureError) -> PartialFile? {
        steps.reached(.look)
        switch FileStatus.ofLink(path) {
        case .success(let named): if let refusal = PartialFilePolicy.refusal(of: named, path) { throw refusal }
        case .failure(.noSuchFileOrDirectory): return nil
        case .failure(let errno): throw .output(errno, "write to", path)
        }
        steps.reached(.open)
        guard
            let descriptor = try opened(
                path, [.nonBlocking, .noControllingTerminal], unless: .noSuchFileOrDirectory)
        else { return nil }
        let locked = try locked(descriptor, path, steps, isMade: false)
        return try judged(locked, path, steps, isMade: false).emptied(over: leftover)
    }

    /// - Returns: `nil` if it fails with the expected error.
    private static func opened(
        _ path: String, _ flags: OpenFlags, unless expected: Errno
    ) throws(CaptureError) -> RawDescriptor? {
        do throws(Errno) {
            return try RawDescriptor(opening: path, [.readWrite, .noFollow, flags], mode: 0o666)
        } catch {
            if error == expected { return nil }
            throw .output(error, "write to", path)
        }
    }

    /// Takes the lock, which tells a running recording from an interrupted one. On a file system without locks, only a file
    /// that was just created is known to be unused.
    private static func locked(
        _ descriptor: RawDescriptor, _ path: String, _ steps: OutputSteps, isMade: Bool
    ) throws(CaptureError) -> RawDescriptor {
        steps.reached(.lock)
        do throws(Errno) {
            try FileLock.take(descriptor, tries: lockTries, pause: steps.pause)
        } catch {
            if isMade, error == .notSupported || error == .noFunction { return descriptor }
            descriptor.close()
            throw error == .wouldBlock ? busy(path) : .output(error, "lock", path)
        }
        return descriptor
    }

    /// Number of tries, 5 ms apart: a writer that was just killed keeps its files open for a moment, and so does a program that
    /// it was just starting.
    private static let lockTries = 200

    /// Checks the file under the lock: its writer may have finished before, so that it is a clip under its own name, or another
    /// program may have changed it.
    private static func judged(
        _ descriptor: RawDescriptor, _ path: String, _ steps: OutputSteps, isMade: Bool
    ) throws(CaptureError) -> PartialFile {
        steps.reached(.judge)
        let found: FileStatus
        switch FileStatus.of(descriptor) {
        case .success(let status): found = status
        case .failure(let errno):
            descriptor.close()
            throw .output(errno, "read", path)
        }
        // A file system may give all files to the user who mounted it, or root's to nobody.
        let status = isMade ? found.owned(by: Users.effectiveID) : found
        let file = PartialFile(descriptor, path, status, steps)
        let refusal = PartialFilePolicy.refusal(of: status, path)
        guard refusal == nil, file.isNamed(path) else {
            descriptor.close()
            throw refusal ?? busy(path)
        }
        return file
    }

    /// - Returns: `nil` if its content was replaceable and it was removed: a filled file is never written into.
    private func emptied(over leftover: PartialFilePolicy) throws(CaptureError) -> PartialFile? {
        if case .success(let status) = FileStatus.of(descriptor), status.size == 0 { return self }
        if leftover.isReplaceable { remove() }
        descriptor.close()
        if leftover.isReplaceable { return nil }
        throw leftover.error(path)
    }

    private static func busy(_ path: String) -> CaptureError {
        let holder = LockHolders.holder(of: path)
        let who = holder.map { ": process \($0.processID) (\($0.command))" } ?? ""
        return CaptureError(
            .busy, "Another recording is writing \(path)\(who).", errno: Errno.wouldBlock.number,
            remedies: [Remedy("Choose another name, or wait until that recording has ended.")])
    }
}

/// Points between two calls on a partial file at which another program may interfere: tests interfere there, and simulate a
/// failing disk.
package struct OutputSteps: Sendable {
    package enum Step: CaseIterable, Sendable {
        case make, look, open, lock, judge, remove, check, rename, renamed, close
    }

    package var reached: @Sendable (Step) -> Void = { _ in }
    /// Waits a moment for a lock that somebody else holds.
    package var pause: @Sendable () -> Void = { Poll.pause(milliseconds: 5) }
    /// Syncs written bytes: fdatasync(2).
    package var store: @Sendable (RawDescriptor) throws(Errno) -> Void = { (descriptor) throws(Errno) in
        try descriptor.syncData()
    }
}
