import CSystem
import Gate

/// Makes the processes of a user ask one after another about the same program, by a lock beside the store.
///
/// The kernel gives a turn back when its process dies. Programs do not wait for each other: each has a byte of its own
/// in the lock file, which stays empty.
///
/// Standard: fcntl(2), open file description locks. *thread-safe*
package struct StoreQuestionTurns: QuestionTurns {
    private let path: String

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
        while true {
            let result = turn.lock(at: place)
            guard result < 0 else { return turn }
            guard result == -EAGAIN || result == -EACCES else { throw failure(result) }
            // A lock that is waited for in the kernel can't be cancelled; a person does not notice 50 ms.
            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else {
                throw CaptureError(.cancelled, "The question was withdrawn while another process was asking.")
            }
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
}
