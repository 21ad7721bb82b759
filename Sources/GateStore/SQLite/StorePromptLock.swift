import Gate
import LinuxSystem

/// Lock beside the store that makes a user's processes ask about the same program one after another.
///
/// The kernel releases the lock when its process dies. Different programs do not wait for each other: each has its own byte in the
/// lock file, which stays empty. A process that is stopped while it asks keeps the lock, since it may continue and store its
/// answer. A process that waits for it fails after a few seconds, and asks nothing.
///
/// Standard: fcntl(2), open file description locks. *thread-safe*
package struct StorePromptLock: PromptLock {
    private let path: String
    /// Longest time for which a holder may be stopped, and for which it may ask, in nanoseconds. A question is shown for
    /// somewhat less.
    private static let patience: (stopped: Int64, asking: Int64) = (4_000_000_000, 150_000_000_000)
    /// Time between two searches for the holder, in nanoseconds: a search reads all of /proc.
    private static let interval: Int64 = 1_000_000_000

    /// - Parameter store: processes that use the same directory share the lock.
    package init(of store: SQLiteGrantStore) {
        path = store.directory + "/" + StateDirectory.questions
    }

    /// Takes the lock of a program, and waits for it as long as its holder is allowed.
    package func take(for subject: Subject) async throws(CaptureError) -> any PromptLockToken {
        let turn = try open()
        try StateDirectory.checkOpened(turn.file, at: path)
        let place = StorePromptLock.place(of: subject)
        var wait = Wait()
        while true {
            guard let refusal = turn.lock(at: place) else { return turn }
            guard refusal == .wouldBlock || refusal == .permissionDenied else { throw failure(refusal) }
            let now = SystemClock.monotonic.now
            if wait.isLook(at: now) {
                try wait.note(turn.holder(at: place), at: now)
            }
            // A wait in the kernel can't be cancelled; nobody notices 50 ms.
            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else {
                throw CaptureError(.cancelled, "The question was withdrawn while another process was asking.")
            }
        }
    }

    /// Opens the lock file; creates it if it is missing.
    private func open() throws(CaptureError) -> Turn {
        do throws(Errno) {
            let flags: OpenFlags = [.readWrite, .create, .noFollow, .nonBlocking]
            return Turn(try FileDescriptor(opening: path, flags, mode: 0o600))
        } catch {
            throw failure(error)
        }
    }

    /// One process's wait for the holder.
    struct Wait {
        private var nextLook: Int64?
        private var holder: PromptLockHolder?
        /// First sight of this holder, and first sight of it stopped, CLOCK_MONOTONIC in nanoseconds.
        private var seen: Int64 = 0
        private var stopped: Int64?

        /// True once per interval: a search for the holder is due.
        mutating func isLook(at now: Int64) -> Bool {
            let next = nextLook ?? now + interval
            nextLook = now < next ? next : now + interval
            return now >= next
        }

        /// Records the result of a search.
        ///
        /// - Parameters:
        ///   - found: the holder; `nil` if it can't be seen.
        ///   - now: CLOCK_MONOTONIC in nanoseconds.
        /// - Throws: `.busy` if the holder has been stopped, or has been asking, for too long.
        mutating func note(_ found: PromptLockHolder?, at now: Int64) throws(CaptureError) {
            if seen == 0 || found?.processID != holder?.processID { (seen, stopped) = (now, nil) }
            holder = found
            stopped = found?.isStopped == true ? stopped ?? now : nil
            if let stopped, now - stopped >= patience.stopped { throw .held(by: found, isStopped: true) }
            if now - seen >= patience.asking { throw .held(by: found, isStopped: false) }
        }
    }

    /// The byte of a program in the lock file, by FNV-1a. Two programs that share a byte also ask one after the other.
    static func place(of subject: Subject) -> Int64 {
        let hash = "\(subject.userID) \(subject.executable.path)".utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return Int64(hash >> 2)
    }

    /// The error for a lock file that can't be used.
    private func failure(_ failure: Errno) -> CaptureError {
        StoreFailure.error(
            "The lock file for questions, \(path), can't be used: \(failure.text).", errno: failure.number,
            "Make it writable for this user.", command: ["ls", "-la", StoreFailure.folder(of: path)])
    }
}

/// The lock, released with its descriptor.
private final class Turn: PromptLockToken {
    let file: FileDescriptor

    init(_ file: consuming FileDescriptor) {
        self.file = file
    }

    /// - Returns: the reason why the lock can't be taken; `nil` once it is.
    func lock(at place: Int64) -> Errno? {
        do throws(Errno) {
            try FileLock.take(byte: place, of: file)
            return nil
        } catch {
            return error
        }
    }

    func holder(at place: Int64) -> PromptLockHolder? { PromptLockHolder.find(of: file, at: place) }
}

extension CaptureError {
    /// Error of a process that stops waiting. It asks nothing: the holder may still store an answer to the same question.
    fileprivate static func held(by holder: PromptLockHolder?, isStopped: Bool) -> CaptureError {
        let who = holder.map { "Process \($0.processID)" } ?? "Another process"
        let what =
            isStopped ? "asks the same question but is suspended" : "has been asking for minutes"
        guard let holder else {
            return CaptureError(
                .busy, "\(who) \(what), so this program can't ask.", remedies: [Remedy("Answer there, or end it.")])
        }
        return CaptureError(
            .busy, "\(who) \(what), so this program can't ask.",
            remedies: [
                isStopped
                    ? Remedy("Resume it, and answer there.", command: "kill -CONT \(holder.processID)")
                    : Remedy("Answer there."),
                Remedy("Or end it.", command: "kill -KILL \(holder.processID)"),
            ])
    }
}

/// The process that holds a prompt lock, found in /proc: the kernel reports no owner of an open file description lock.
struct PromptLockHolder: Hashable, Sendable {
    let processID: Int32
    /// True if a signal or a debugger stopped the process.
    let isStopped: Bool

    /// Finds the holder among the processes that this user may inspect.
    ///
    /// - Parameters:
    ///   - file: the lock file, opened.
    ///   - place: the byte that is locked.
    /// - Returns: `nil` if no visible process holds it.
    static func find(of file: borrowing FileDescriptor, at place: Int64) -> PromptLockHolder? {
        guard case .success(let lock) = FileStatus.of(file) else { return nil }
        for name in names(in: "/proc") {
            guard let processID = Int32(name), holds("/proc/\(name)", lock, place) else { continue }
            return PromptLockHolder(processID: processID, isStopped: "Tt".contains(state(of: "/proc/\(name)")))
        }
        return nil
    }

    /// True for the holder. Waiting processes have the file open, too, but only the holder has the lock in the fdinfo of its
    /// descriptor (proc(5)).
    private static func holds(_ process: String, _ lock: FileStatus, _ place: Int64) -> Bool {
        names(in: "\(process)/fd").contains { name in
            guard case .success(let status) = FileStatus.of("\(process)/fd/\(name)"),
                status.device == lock.device, status.inode == lock.inode
            else { return false }
            return (ProcessFile.text("\(process)/fdinfo/\(name)") ?? "").split(separator: "\n").contains {
                $0.hasPrefix("lock:") && $0.contains("OFDLCK") && $0.hasSuffix(" \(place) \(place)")
            }
        }
    }

    /// The letter of the process state; a blank if it can't be read.
    private static func state(of process: String) -> Character {
        ProcessFile.fields(stat: ProcessFile.text("\(process)/stat") ?? "").first?.first ?? " "
    }

    /// Names in a directory of /proc that begin with a digit: processes, or descriptors.
    private static func names(in folder: String) -> [String] {
        ProcessFile.names(in: folder).filter { $0.first?.isNumber == true }
    }
}
