import CaptureRig
import Glibc
import ProbeKit

/// Time until a running capture stops when its permission ends: revoked by another process, expired, or switched off.
///
/// Prints the distribution from the commit (or the date) to the last frame's timestamp. None may be over 100 ms, less the time for
/// which the machine itself stopped. `Tests/checks/revocations` prepares what it needs.
@main
struct Revocations {
    private let bench: TrialBench
    private let standstills: String
    // Line by line, so that a pipe shows the progress.
    private let report = TAPReport { line in
        print(line)
        fflush(nil)
    }

    /// Longest time to the last frame, in nanoseconds.
    private static let limit: Int64 = 100_000_000
    /// A capture without a frame for this long had stopped before, in nanoseconds.
    private static let idle: Int64 = 500_000_000
    /// Longest time between two frames of a test device, in nanoseconds: that of the test tone.
    private static let period: Int64 = 100_000_000

    static func main() {
        let words = CommandLine.arguments
        guard words.count == 6, let trials = Int(words[2]), trials > 0 else {
            print("usage: Revocations CAPTUREGATE TRIALS FOLDER STANDSTILLS SLOW-DISK")
            exit(64)
        }
        let probe = Revocations(bench: TrialBench(program: words[1], folder: words[3]), standstills: words[4])
        exit(probe.run(trials: trials, behind: words[5]))
    }

    private func run(trials: Int, behind slowDisk: String) -> Int32 {
        judge("revoked by another process", trials, .revoked, width: 1) { trial throws(ProbeFailure) in
            try trial.ended(by: ["revoke", trial.device.rawValue, "--json"])
        }
        let environment = ["LD_PRELOAD": slowDisk]
        judge("revoked with a slow disk", trials / 10 + 2, .revoked, width: 1) { trial throws(ProbeFailure) in
            try trial.ended(by: ["revoke", trial.device.rawValue, "--json"], environment)
        }
        judge("switched off", trials, .revoked, width: 1) { trial throws(ProbeFailure) in
            try trial.ended(by: [trial.device.rawValue, "off", "--json"])
        }
        // These trials only wait, so eight run at once.
        judge("run out", trials, .expired, width: 8) { trial throws(ProbeFailure) in try trial.runOut() }
        return report.finish()
    }

    private enum Reason: String {
        case revoked, expired
    }

    private func judge(
        _ title: String, _ trials: Int, _ reason: Reason, width: Int,
        _ work: @escaping @Sendable (Trial) throws(ProbeFailure) -> Trial.Outcome
    ) {
        let outcomes = bench.outcomes(of: trials, named: title, width: width, work)
        for case .failure(let failure) in outcomes { report.note("\(failure)") }
        let told = outcomes.compactMap { try? $0.get() }
        let stood = TimeSpans(standstillSpans)
        let judged = told.map { (delay: $0.delay, stood: stood.overlap(with: $0.span(with: Self.period))) }
        let ranks = Percentile(of: judged.map(\.delay))
        report.note(
            "\(title): min \(ms(ranks[0])), median \(ms(ranks[50])), p95 \(ms(ranks[95])), max \(ms(ranks[100])) ms "
                + "(\(told.count) trials); the machine stood still for up to \(ms(judged.map(\.stood).max() ?? 0)) ms")
        let ended = told.filter { $0.code == 77 && $0.kind == reason.rawValue }.count
        report.equal("\(title): each of \(trials) ended with 77 and its reason", trials, ended)
        report.check(
            "\(title): the slowest took at most \(Self.limit / 1_000_000) ms",
            !judged.isEmpty && judged.allSatisfy { $0.delay - $0.stood <= Self.limit })
        report.check(
            "\(title): each came while frames were flowing",
            !judged.isEmpty && judged.allSatisfy { $0.delay + $0.stood >= -Self.idle })
    }

    /// Those that `standstill` has written so far.
    private var standstillSpans: [Range<Int64>] {
        text(of: standstills).split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: " ").compactMap { Int64($0) }
            return numbers.count == 2 && numbers[0] < numbers[1] ? numbers[0]..<numbers[1] : nil
        }
    }

    /// With one digit after the point.
    private func ms(_ nanoseconds: Int64) -> Double { (Double(nanoseconds) / 100_000).rounded() / 10 }
}
