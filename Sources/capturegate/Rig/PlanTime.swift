import CaptureGate
import CaptureRig

/// Time of a plan's checks, as far as the plan tells it: each check takes its `for`, those of a parallel group together the
/// longest. Starts and stops come on top, and commands.
struct PlanTime {
    private let steps: [[Expected]]

    /// A check that is expected to take its time.
    private struct Expected {
        let name: String
        let check: String
        /// `nil` where the plan tells none.
        let seconds: Double?
    }

    init(_ plan: RigPlan) {
        steps = plan.steps.map { step in
            step.checks.map { Expected(name: $0.name, check: $0.check, seconds: $0.secondsOfCapture) }
        }
    }

    /// Seconds of the whole plan.
    var least: Double { steps.reduce(0) { $0 + ($1.compactMap(\.seconds).max() ?? 0) } }

    /// Progress by which the time left is estimated.
    struct Progress {
        /// Seconds of each running check, by its name.
        var running: [String: Double] = [:]
        /// Names of checks with a result.
        var ended: Set<String> = []
        /// Seconds that a check of the catalogue has taken, the last time.
        var taken: [String: Double] = [:]
    }

    /// Seconds left, and true if each of the checks left tells its time. A check that was made before is expected to take
    /// as long again.
    func left(_ progress: Progress) -> (seconds: Double, isWhole: Bool) {
        var (total, isWhole) = (0.0, true)
        for step in steps {
            var longest = 0.0
            for check in step where !progress.ended.contains(check.name) {
                let expected = progress.taken[check.check] ?? check.seconds
                isWhole = isWhole && expected != nil
                longest = max(longest, (expected ?? 0) - (progress.running[check.name] ?? 0))
            }
            total += longest
        }
        return (total, isWhole)
    }
}

extension PlannedCheck {
    /// Seconds that it captures; `nil` for a check without such a time.
    fileprivate var secondsOfCapture: Double? {
        guard case .duration(let time) = parameters["for"] else { return nil }
        return Double(time.nanoseconds) / 1e9
    }
}
