import CaptureBase
import LinuxSystem

/// The file that becomes a clip. It is known by its inode: its name may be given to another file at any moment, and only
/// what was made here is ever renamed or removed.
///
/// *thread-safe*
package struct PartialFile: Sendable {
    package let descriptor: RawDescriptor
    /// Its name until it is finished.
    package let path: String
    package let steps: OutputSteps
    /// The status when it was opened: its device and inode are what it is known by.
    private let made: FileStatus

    package init(_ descriptor: RawDescriptor, _ path: String, _ status: FileStatus, _ steps: OutputSteps) {
        self.descriptor = descriptor
        self.path = path
        self.steps = steps
        made = status
    }

    /// Looks whether a name is this file's.
    package func isNamed(_ path: String) -> Bool {
        (try? FileStatus.ofLink(path).get().isSameFile(as: made)) ?? false
    }

    /// Takes its name away, where that is still its own.
    package func remove() {
        steps.reached(.remove)
        if isNamed(path) { try? FileSystem.remove(path) }
    }

    /// Looks whether another program has taken away from what was written: shortened it, or removed it.
    /// - Parameter length: bytes that were written.
    package func loss(ofWritten length: Int64) -> CaptureError? {
        switch FileStatus.of(descriptor) {
        case .failure(let errno): .output(errno, "look at", path)
        case .success(let own) where own.links == 0 && !isNamed(path): removed
        case .success(let own): own.size < length ? cut(to: own.size, of: length) : nil
        }
    }

    /// Why it can't become the clip; `nil` where it is whole and under its name.
    /// - Parameter length: bytes that were written.
    package func trouble(withWritten length: Int64) -> CaptureError? {
        if let loss = loss(ofWritten: length) { return loss }
        switch FileStatus.ofLink(path) {
        case .success(let named): return named.isSameFile(as: made) ? nil : moved
        case .failure(.noSuchFileOrDirectory), .failure(.notDirectory): return moved
        // What keeps it from being looked at keeps it from being renamed, and is told then.
        case .failure: return nil
        }
    }

    private func cut(to size: Int64, of length: Int64) -> CaptureError {
        CaptureError(
            .inputOutput,
            "\(path) was cut to \(size) of \(length) bytes by another program while it was recorded.",
            remedies: [
                Remedy("Record again, and leave the .partial alone until the end."),
                Remedy("Or see what is left.", .recover(path: path)),
            ])
    }

    private var removed: CaptureError {
        CaptureError(
            .inputOutput, "\(path) was removed while it was recorded, and what was recorded is gone with it.",
            remedies: [Remedy("Record again, and leave the .partial and its folder alone until the end.")])
    }

    /// The error of a name that is no longer its own, with where the file is now.
    package var moved: CaptureError {
        let place = currentPlace
        return CaptureError(
            .inputOutput,
            "\(path) was moved while it was recorded; the recording is whole, in \(place ?? "the file it became").",
            remedies: [
                place.map { Remedy("Rename it.", command: "mv -n \(ShellQuote.quoted($0)) OTHER-NAME") }
                    ?? Remedy("Rename it.")
            ])
    }

    /// Its present path, as far as the kernel tells.
    private var currentPlace: String? { ClipOutput.target(ofLink: "/proc/self/fd/\(descriptor.number)") }
}

extension PartialFile {
    /// Opens the file of a partial name: one that it makes, or an empty one of this user's that was left there.
    ///
    /// An existing file is not opened before its kind and owner are known, never through a link and never waiting; it is judged
    /// again behind the lock, when nobody else who writes clips can change what the name means.
    /// - Parameter leftover: what a file there may hold.
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

    /// Somebody takes the name away and gives it back each time.
    private static let mostTries = 8

    /// - Returns: `nil` where the name is free by now.
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

    /// - Returns: `nil` where it fails for the one reason that is none.
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

    /// The lock tells a recording that runs from one that was interrupted. Where the file system has none, only what was
    /// just made is known to be nobody else's.
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

    /// A writer that was just killed still has its files for a moment, and so has a program that it was just starting: looks,
    /// 5 ms apart.
    private static let lockTries = 200

    /// Looks at what was locked: its writer may have finished before, so that it is a clip under its own name, or another
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
            throw .output(errno, "look at", path)
        }
        // A file system may give all files to whoever mounted it, or root's to nobody.
        let status = isMade ? found.owned(by: Users.effectiveID) : found
        let file = PartialFile(descriptor, path, status, steps)
        let refusal = PartialFilePolicy.refusal(of: status, path)
        guard refusal == nil, file.isNamed(path) else {
            descriptor.close()
            throw refusal ?? busy(path)
        }
        return file
    }

    /// - Returns: `nil` where it held what may be replaced, and was removed: it is never written into.
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
            remedies: [Remedy("Choose another name, or wait until it has ended.")])
    }
}

/// The moments between two calls on a partial file, at which another program may come: tests have one come there, and have a
/// disk that fails.
package struct OutputSteps: Sendable {
    package enum Step: CaseIterable, Sendable {
        case make, look, open, lock, judge, remove, check, rename, renamed, close
    }

    package var reached: @Sendable (Step) -> Void = { _ in }
    /// Waits a moment for somebody else's lock.
    package var pause: @Sendable () -> Void = { Poll.pause(milliseconds: 5) }
    /// Stores what was written: fdatasync(2).
    package var store: @Sendable (RawDescriptor) throws(Errno) -> Void = { (descriptor) throws(Errno) in
        try descriptor.syncData()
    }
}
