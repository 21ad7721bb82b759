import CaptureGate
import Dispatch
import LinuxSystem

/// Runner of a plan's programs, which power ports and switch lights.
///
/// *thread-safe*
package struct CommandRunner: Sendable {
    private let environment: [String: String]

    /// - Parameter environment: given to each program; its PATH finds those without a slash.
    package init(environment: [String: String] = ProcessEnvironment.current) { self.environment = environment }

    /// Runs a program until it ends or its time is over. A cancelled task waits for it, too: a port that is half switched is
    /// useless, and the time is limited.
    ///
    /// - Returns: `nil` after exit code 0, otherwise one sentence about the failure, with the program's last output.
    package func failure(of command: PlanCommand) async -> CaptureError? {
        do throws(CaptureError) {
            let outcome = try await outcome(of: command)
            return Self.failure(outcome, of: command.arguments.first ?? "", within: command.limit)
        } catch {
            return error
        }
    }

    /// Runs a program in the same way, for its output.
    ///
    /// - Returns: its output, and its end, whichever it was.
    /// - Throws: `.unavailable` if there is no such program, or if it can't be started.
    package func outcome(of command: PlanCommand) async throws(CaptureError) -> ChildProcess.Outcome {
        guard let name = command.arguments.first, let path = path(of: name) else {
            throw CaptureError(
                .unavailable, "The program \(command.arguments.first ?? "without a name") was not found.",
                remedies: [Remedy("Install it, or write its path.")])
        }
        let program = ChildProcess(
            path: path, arguments: Array(command.arguments.dropFirst()), environment: environment)
        let result: Result<ChildProcess.Outcome, Errno> = await withCheckedContinuation { continuation in
            DispatchQueue(label: "capturegate.rig.command").async {
                continuation.resume(
                    returning: Result { () throws(Errno) in
                        try program.run(until: Deadline(after: command.limit), cancel: -1)
                    })
            }
        }
        return try result.mapError { error in
            CaptureError(.unavailable, "\(name) can't be started: \(error.text).", errno: error.number)
        }.get()
    }

    /// One sentence about a program that did not end well; `nil` after exit code 0.
    private static func failure(
        _ outcome: ChildProcess.Outcome, of name: String, within limit: Duration
    ) -> CaptureError? {
        let words = outcome.diagnostics.split(separator: "\n").last.map { ": \($0)" } ?? "."
        switch outcome.ending {
        case .exited(0): return nil
        case .exited(let code): return CaptureError(.unavailable, "\(name) ended with exit code \(code)\(words)")
        case .killed(let signal): return CaptureError(.unavailable, "\(name) was ended by signal \(signal)\(words)")
        case .timedOut, .cancelled:
            return CaptureError(.timedOut, "\(name) did not end within \(limit), and was killed.")
        case .lost(let error): return CaptureError(.unavailable, "\(name) can't be waited for: \(error.text).")
        }
    }

    /// A name with a slash is a path; any other is looked for in PATH, absolute directories alone.
    private func path(of name: String) -> String? {
        if name.utf8.contains(UInt8(ascii: "/")) { return FileSystem.allows(.execute, to: name) ? name : nil }
        return (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
            .filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first { FileSystem.allows(.execute, to: $0) }
    }
}
