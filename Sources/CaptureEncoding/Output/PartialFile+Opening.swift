import CSystem
import CaptureGate

extension PartialFile {
    /// Opens the file of a partial name: one that it makes, or an empty one of this user's that was left there.
    ///
    /// What is there is not opened before its kind and owner are known, never through a link and never waiting; it is judged
    /// again behind the lock, when nobody else who writes clips can change what the name means.
    /// - Parameter leftover: what a file there may hold.
    /// - Throws: `.fileExists` for anything else, which is left as it is; `.busy` while another recording writes there;
    ///   `.inputOutput`.
    init(opening path: String, over leftover: Leftover, steps: OutputSteps) throws(CaptureError) {
        for _ in 0..<Self.mostTries {
            steps.reached(.make)
            let made = cs_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
            if made >= 0 {
                self = try Self.judged(try Self.locked(made, path, steps, isMade: true), path, steps, isMade: true)
                return
            }
            guard made == -EEXIST else { throw .output(-made, "write to", path) }
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
        _ path: String, over leftover: Leftover, _ steps: OutputSteps
    ) throws(CaptureError) -> PartialFile? {
        steps.reached(.look)
        var named = cs_file_status()
        let looked = cs_lstat(path, &named)
        if looked == -ENOENT { return nil }
        guard looked >= 0 else { throw .output(-looked, "write to", path) }
        if let refusal = Leftover.refusal(of: named, path) { throw refusal }
        steps.reached(.open)
        let descriptor = cs_open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0)
        if descriptor == -ENOENT { return nil }
        guard descriptor >= 0 else { throw .output(-descriptor, "write to", path) }
        let locked = try locked(descriptor, path, steps, isMade: false)
        return try judged(locked, path, steps, isMade: false).emptied(over: leftover)
    }

    /// The lock tells a recording that runs from one that was interrupted. Where the file system has none, only what was
    /// just made is known to be nobody else's.
    private static func locked(
        _ descriptor: Int32, _ path: String, _ steps: OutputSteps, isMade: Bool
    ) throws(CaptureError) -> Int32 {
        steps.reached(.lock)
        let result = FileLock.take(descriptor, pause: steps.pause)
        if result >= 0 || isMade && FileLock.isAbsent(result) { return descriptor }
        _ = cs_close(descriptor)
        guard result == -EWOULDBLOCK else { throw .output(-result, "lock", path) }
        throw busy(path)
    }

    /// Looks at what was locked: its writer may have finished before, so that it is a clip under its own name, or another
    /// program may have changed it.
    private static func judged(
        _ descriptor: Int32, _ path: String, _ steps: OutputSteps, isMade: Bool
    ) throws(CaptureError) -> PartialFile {
        steps.reached(.judge)
        var status = cs_file_status()
        let result = cs_fstat(descriptor, &status)
        // A file system may give all files to whoever mounted it, or root's to nobody.
        if isMade { status.uid = cs_geteuid() }
        let file = PartialFile(descriptor, path, status, steps)
        let refusal = result < 0 ? .output(-result, "look at", path) : Leftover.refusal(of: status, path)
        guard refusal == nil, file.isNamed(path) else {
            _ = cs_close(descriptor)
            throw refusal ?? busy(path)
        }
        return file
    }

    /// - Returns: `nil` where it held what may be replaced, and was removed: it is never written into.
    private func emptied(over leftover: Leftover) throws(CaptureError) -> PartialFile? {
        var status = cs_file_status()
        if cs_fstat(descriptor, &status) >= 0, status.size == 0 { return self }
        if leftover.isReplaceable { remove() }
        _ = cs_close(descriptor)
        if leftover.isReplaceable { return nil }
        throw leftover.error(path)
    }

    private static func busy(_ path: String) -> CaptureError {
        let holder = LockHolders.holder(of: path)
        let who = holder.map { ": process \($0.processID) (\($0.command))" } ?? ""
        return CaptureError(
            .busy, "Another recording is writing \(path)\(who).", errno: EWOULDBLOCK,
            remedies: [Remedy("Choose another name, or wait until it has ended.")])
    }
}
