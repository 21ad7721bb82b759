import Dispatch
import FoundationEssentials
import Glibc
import ProbeKit
import Synchronization

/// Makes trials, several at once, each in a separate folder with a separate grant store.
struct TrialBench: Sendable {
    let program: String
    let folder: String

    /// Makes trials on separate threads, half of them with a microphone and half with a camera.
    ///
    /// - Parameter width: largest number of trials at once.
    func outcomes(
        of count: Int, named title: String, width: Int,
        _ work: @escaping @Sendable (Trial) throws(ProbeFailure) -> Trial.Outcome
    ) -> [Result<Trial.Outcome, ProbeFailure>] {
        let results = Results(count: count)
        let group = DispatchGroup()
        let name = title.split(separator: " ").joined(separator: "-")
        for worker in 0..<width {
            DispatchQueue(label: "trials-\(worker)").async(group: group) {
                while let number = results.take() {
                    let device: Trial.Device = number.isMultiple(of: 2) ? .microphone : .camera
                    let trial = Trial(program: program, folder: "\(folder)/\(name)-\(number)", device: device)
                    do throws(ProbeFailure) {
                        results.append(.success(try work(trial)))
                    } catch {
                        results.append(.failure(error))
                    }
                }
            }
        }
        group.wait()
        return results.all
    }
}

/// Trials still to be made, and what came of the others.
private final class Results: Sendable {
    private let state: Mutex<(left: Int, all: [Result<Trial.Outcome, ProbeFailure>])>

    init(count: Int) { state = Mutex((count, [])) }

    /// The number of a trial to be made; `nil` if all are.
    func take() -> Int? {
        state.withLock { state in
            guard state.left > 0 else { return nil }
            state.left -= 1
            return state.left
        }
    }

    func append(_ result: Result<Trial.Outcome, ProbeFailure>) { state.withLock { $0.all.append(result) } }

    var all: [Result<Trial.Outcome, ProbeFailure>] { state.withLock { $0.all } }
}

/// A capture of a test device whose permission ends while it runs.
struct Trial {
    /// Named as the program names the capability.
    enum Device: String, Sendable {
        case microphone, camera

        /// Options of `record`.
        var options: [String] {
            switch self {
            case .microphone: ["--camera", "none", "--microphone", "test:tone"]
            case .camera: ["--camera", "test:bars", "--size", "160x120", "--microphone", "none"]
            }
        }
    }

    let program: String
    let folder: String
    let device: Device

    /// With priority over other work if this user may ask for that (root may): otherwise a busy machine would be measured.
    private static let first: [String] =
        (try? Program("chrt", ["--rr", "1", "true"]).run()) == 0 ? ["chrt", "--rr", "1"] : []

    struct Outcome: Sendable {
        let code: Int32
        let kind: String
        /// When the permission ended, and the timestamp of the last frame: CLOCK_MONOTONIC, nanoseconds.
        let moment, last: Int64

        /// Below 0 if the last frame was before the end.
        var delay: Int64 { last - moment }

        /// From the one to the other and to the end of the last period.
        func span(with period: Int64) -> Range<Int64> { min(moment, last)..<max(moment, last) + period }
    }

    private struct Commit: Decodable {
        let moment: Int64

        enum CodingKeys: String, CodingKey { case moment = "committed_ns" }
    }

    private struct Grant: Decodable {
        struct Decision: Decodable {
            let until: Int64

            enum CodingKeys: String, CodingKey { case until = "until_ns" }
        }
        let decision: Decision
    }

    private struct Log: Decodable {
        struct Entry: Decodable { let event: Event }
        struct Event: Decodable { let at: Moment }
        struct Moment: Decodable {
            let boot, wall: Int64

            enum CodingKeys: String, CodingKey {
                case boot = "boot_nanoseconds"
                case wall = "wall_nanoseconds"
            }
        }
        let entries: [Entry]
    }

    /// Another process ends the permission, by a command that tells when that was committed.
    func ended(by words: [String], _ environment: [String: String] = [:]) throws(ProbeFailure) -> Outcome {
        _ = try said(["grant", device.rawValue, "--always"])
        let recording = try record()
        wait(seconds: 60) { events.hasStarted || recording.hasEnded }
        guard let commit = decoded(Commit.self, from: try said(words, environment)) else {
            throw ProbeFailure("\(words.joined(separator: " ")) tells of no commit")
        }
        return try outcome(of: recording, moment: commit.moment)
    }

    /// The permission has an end. The audit log has the moment of the grant on both clocks; frames have timestamps of one that
    /// does not advance in suspend.
    ///
    /// A capture that had not begun when its time was over shows nothing, and is made again with more time.
    func runOut() throws(ProbeFailure) -> Outcome {
        for seconds in [2, 4, 8, 16] {
            let trial = Trial(program: program, folder: "\(folder)-\(seconds)", device: device)
            let words = ["grant", device.rawValue, "--for", "\(seconds)s", "--json"]
            guard let grant = decoded(Grant.self, from: try trial.said(words)),
                let at = decoded(Log.self, from: try trial.said(["log", "--json"]))?.entries.first?.event.at
            else { throw ProbeFailure("the store tells of no grant") }
            let recording = try trial.record()
            recording.end()
            guard trial.events.hasStarted else { continue }
            let asleep = nanoseconds(CLOCK_BOOTTIME) - nanoseconds(CLOCK_MONOTONIC)
            return try trial.outcome(
                of: recording, moment: at.boot + grant.decision.until - at.wall - asleep)
        }
        throw ProbeFailure("no capture began within 16 s")
    }

    private var events: RecordingEvents { RecordingEvents(folder + "/events") }

    private func command(_ words: [String], _ environment: [String: String] = [:]) -> Program {
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let all = Self.first + [program] + words
        var command = Program(all[0], Array(all.dropFirst()))
        command.environment = environment.merging(["XDG_STATE_HOME": folder]) { first, _ in first }
        return command
    }

    private func said(_ words: [String], _ environment: [String: String] = [:]) throws(ProbeFailure) -> String {
        try command(words, environment).said(in: folder + "/answer")
    }

    private func record() throws(ProbeFailure) -> RunningProgram {
        var command = command(["record", "null:", "--json", "--for", "10m"] + device.options)
        command.output = folder + "/events"
        command.errors = folder + "/said"
        return try command.start()
    }

    private func outcome(of recording: RunningProgram, moment: Int64) throws(ProbeFailure) -> Outcome {
        let code = recording.end()
        guard let end = events.end, let last = end.lastTimestamp else {
            throw ProbeFailure("\(folder): ended with \(code) and no event: \(text(of: folder + "/said"))")
        }
        return Outcome(code: code, kind: end.error?.kind ?? "none", moment: moment, last: last)
    }
}
