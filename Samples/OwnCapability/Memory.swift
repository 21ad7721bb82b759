import CaptureGate
import FoundationEssentials

/// Store of this program's decisions about publishing: one file, with a decision for each directory.
///
/// The gate's store, with its audit log, is for microphones and cameras. Whoever defines another capability keeps its
/// decisions.
struct Memory: Sendable {
    private static var path: String {
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"] ?? (environment["HOME"] ?? "/tmp") + "/.local/state"
        return state + "/own-capability.json"
    }

    /// An unreadable file holds no decision.
    func decision(on folder: String) -> Decision? { decisions[folder] }

    func keep(
        _ verdict: Decision.Verdict, _ level: AccessLevel, by subject: Subject, on folder: String
    ) throws(CaptureError) {
        let decision = Decision(
            verdict: verdict, subject: subject, capability: .publishing, level: level, device: .any, lifetime: .always,
            decidedBy: .person(prompter: "confirmation"), decidedAt: SystemGateClock().now)
        do {
            let data = try JSONEncoder().encode(decisions.merging([folder: decision]) { _, new in new })
            try data.write(to: URL(filePath: Self.path), options: .atomic)
        } catch {
            throw CaptureError(.store, "The answer can't be stored in \(Self.path), so it allows nothing.")
        }
    }

    func forget() {
        try? FileManager.default.removeItem(atPath: Self.path)
    }

    private var decisions: [String: Decision] {
        guard let data = try? Data(contentsOf: URL(filePath: Self.path)) else { return [:] }
        return (try? JSONDecoder().decode([String: Decision].self, from: data)) ?? [:]
    }
}
