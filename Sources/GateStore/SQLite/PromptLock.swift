import CSystem
import Gate
import Glibc

/// Makes the processes of a user ask one after another about the same program, by a lock beside the store.
///
/// The kernel gives a turn back when its process dies. Programs do not wait for each other: each has a byte of its own
/// in the lock file, which stays empty. A process that is stopped while it asks keeps its turn, since it may go on and
/// store its answer: who waits for it is told after a few seconds, and asks nothing.
///
/// Standard: fcntl(2), open file description locks. *thread-safe*
package struct StoreQuestionTurns: QuestionTurns {
    private let path: String
    /// How long a holder may be stopped, and how long one may ask at all, nanoseconds: as long as a question stands, and
    /// some more.
    private static let patience: (stopped: Int64, asking: Int64) = (4_000_000_000, 150_000_000_000)
    /// Between two looks at who holds the lock, nanoseconds.
    private static let interval: Int64 = 1_000_000_000

    /// - Parameter store: the turns are of all processes that use the same folder.
    package init(of store: SQLiteGrantStore) {
        path = store.directory + "/" + StateDirectory.questions
    }

    package func take(for subject: Subject) async throws(CaptureError) -> any QuestionTurn {
        let opened = cs_open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else { throw failure(opened) }
        let turn = Turn(Descriptor(opened))
        try StateDirectory.checkOpened(opened, at: path)
        let place = StoreQuestionTurns.place(of: subject)
        var wait = Wait()
        while true {
            let result = turn.lock(at: place)
            guard result < 0 else { return turn }
            guard result == -EAGAIN || result == -EACCES else { throw failure(result) }
            let now = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))
            if wait.isLook(at: now) {
                try wait.note(turn.holder(at: place), at: now)
            }
            // A lock that is waited for in the kernel can't be cancelled; a person does not notice 50 ms.
            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else {
                throw CaptureError(.cancelled, "The question was withdrawn while another process was asking.")
            }
        }
    }

    /// One process's wait for the others.
    struct Wait {
        private var nextLook: Int64?
        private var holder: QuestionHolder?
        /// When this holder was first seen, and first seen stopped, CLOCK_MONOTONIC nanoseconds.
        private var seen: Int64 = 0
        private var stopped: Int64?

        mutating func isLook(at now: Int64) -> Bool {
            let next = nextLook ?? now + interval
            nextLook = now < next ? next : now + interval
            return now >= next
        }

        /// - Parameter found: who holds the lock; `nil` where that can't be seen.
        /// - Throws: `.busy` where it has been stopped, or has been asking, for too long.
        mutating func note(_ found: QuestionHolder?, at now: Int64) throws(CaptureError) {
            if seen == 0 || found?.processID != holder?.processID { (seen, stopped) = (now, nil) }
            holder = found
            stopped = found?.isStopped == true ? stopped ?? now : nil
            if let stopped, now - stopped >= patience.stopped { throw .held(by: found, isStopped: true) }
            if now - seen >= patience.asking { throw .held(by: found, isStopped: false) }
        }
    }

    /// The byte of a program in the lock file, by FNV-1a. That two share one does no harm: they take turns too.
    static func place(of subject: Subject) -> Int64 {
        let hash = "\(subject.userID) \(subject.executable.path)".utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return Int64(hash >> 2)
    }

    private func failure(_ result: Int32) -> CaptureError {
        let failure = SystemFailure(result: result)
        return StoreFailure.error(
            "The lock for questions, \(path), can't be taken: \(failure.text).", errno: failure.errno,
            "Make it writable for this user.", command: ["ls", "-la", StoreFailure.folder(of: path)])
    }
}

/// Ends with its descriptor.
private final class Turn: QuestionTurn {
    private let file: Descriptor

    init(_ file: consuming Descriptor) {
        self.file = file
    }

    func lock(at place: Int64) -> Int32 { cs_ofd_lock(file.number, 1, 0, place, 1) }

    func holder(at place: Int64) -> QuestionHolder? { QuestionHolder.find(of: file.number, at: place) }
}

extension CaptureError {
    /// Nothing is asked: the holder may still store an answer to the same question.
    fileprivate static func held(by holder: QuestionHolder?, isStopped: Bool) -> CaptureError {
        let who = holder.map { "Process \($0.processID)" } ?? "Another process"
        let what =
            isStopped ? "has asked the same and was stopped before an answer came" : "has been asking for minutes"
        guard let holder else {
            return CaptureError(
                .busy, "\(who) \(what), so nothing more is asked.", remedies: [Remedy("Answer there, or end it.")])
        }
        return CaptureError(
            .busy, "\(who) \(what), so nothing more is asked.",
            remedies: [
                isStopped
                    ? Remedy("Have it go on, and answer there.", command: "kill -CONT \(holder.processID)")
                    : Remedy("Answer there."),
                Remedy("Or end it.", command: "kill -KILL \(holder.processID)"),
            ])
    }
}

/// The process that holds a lock of questions, as /proc tells: the kernel names nobody for a lock of its kind.
struct QuestionHolder: Hashable, Sendable {
    let processID: Int32
    /// Stopped by a signal, or by a debugger.
    let isStopped: Bool

    /// Finds it among the processes that this user may look at.
    ///
    /// - Parameters:
    ///   - file: the lock file, opened.
    ///   - place: the byte that is locked.
    /// - Returns: `nil` where no process of this machine is seen to hold it.
    static func find(of file: Int32, at place: Int64) -> QuestionHolder? {
        guard case .success(let lock) = FileStatus.of(descriptor: file) else { return nil }
        for name in names(in: "/proc") {
            guard let processID = Int32(name), holds("/proc/\(name)", lock, place) else { continue }
            return QuestionHolder(processID: processID, isStopped: "Tt".contains(state(of: "/proc/\(name)")))
        }
        return nil
    }

    /// Whoever waits for the lock has the file open, too; its holder alone has the lock among what is told of its
    /// descriptor (proc(5), fdinfo).
    private static func holds(_ process: String, _ lock: FileStatus, _ place: Int64) -> Bool {
        names(in: "\(process)/fd").contains { name in
            guard case .success(let status) = FileStatus.of("\(process)/fd/\(name)"),
                status.device == lock.device, status.inode == lock.inode
            else { return false }
            return text("\(process)/fdinfo/\(name)").split(separator: "\n").contains {
                $0.hasPrefix("lock:") && $0.contains("OFDLCK") && $0.hasSuffix(" \(place) \(place)")
            }
        }
    }

    /// A letter; a blank where it is not told. Behind the program's name, which may have anything in it (proc(5), stat).
    private static func state(of process: String) -> Character {
        let told = text("\(process)/stat")
        guard let end = told.lastIndex(of: ")") else { return " " }
        return told[end...].dropFirst(2).first ?? " "
    }

    private static func names(in folder: String) -> [String] {
        var directory: UnsafeMutableRawPointer?
        guard cs_directory_open(folder, &directory) >= 0 else { return [] }
        defer { cs_directory_close(directory) }
        var names: [String] = []
        var entry = cs_directory_entry()
        while cs_directory_next(directory, &entry) == 1 {
            let name = withUnsafeBytes(of: entry.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name.first?.isNumber == true { names.append(name) }
        }
        return names
    }

    private static func text(_ path: String) -> String {
        let opened = cs_open(path, O_RDONLY, 0)
        guard opened >= 0 else { return "" }
        let file = Descriptor(opened)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = cs_read(file.number, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<Int(count)], as: UTF8.self) : ""
    }
}
