import Glibc

/// Moment at which a program is killed: this long after an event that is visible from outside.
struct KillMoment: Sendable, CustomStringConvertible {
    enum Mark: String, CaseIterable, Sendable {
        /// It was started: most of the time passes before it has done anything.
        case start
        /// It has opened the store.
        case opening
        /// It has begun to write down what it is about to commit.
        case head
        /// It has reported its success: a grant ends then, a capture continues.
        case report
    }

    let mark: Mark
    let microseconds: UInt32

    var description: String { "\(microseconds) µs after the \(mark)" }

    /// Some anywhere in a run, most around the commit, where it is hard to be right, and some at the report.
    ///
    /// - Parameter run: duration of a grant here in microseconds: a slow machine takes longer for each of its parts.
    static func random(within run: UInt32, using generator: inout SeededGenerator) -> KillMoment {
        let choices: [(mark: Mark, range: UInt32)] = [
            (.start, run), (.opening, run / 5), (.head, run / 10), (.head, run / 10), (.head, run), (.head, run),
            (.report, run / 50), (.report, run / 50),
        ]
        let choice = choices[Int.random(in: choices.indices, using: &generator)]
        return KillMoment(mark: choice.mark, microseconds: .random(in: 0...choice.range, using: &generator))
    }

    /// Blocks until the moment has come. The watch must have been set before the program was started.
    func wait(for process: pid_t, _ touch: FileTouch?) throws {
        try touch?.wait(orEndOf: process)
        usleep(microseconds)
    }

    func touch(in workspace: Workspace) throws -> FileTouch? {
        switch mark {
        case .start, .report: nil
        case .opening: try FileTouch(of: "grants.sqlite-shm", in: workspace.store)
        case .head: try FileTouch(of: "audit.head", in: workspace.store)
        }
    }
}
