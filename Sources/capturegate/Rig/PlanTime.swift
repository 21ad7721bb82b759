import CaptureGate
import CaptureRig

/// Time of a plan's checks, as far as the plan states it: each check takes its `for`, and a parallel group takes as long as its
/// longest check. Starts, stops and commands take extra time.
struct PlanTime {
    private let steps: [[Expected]]

    /// Check with its expected time.
    private struct Expected {
        let name: String
        let check: String
        /// `nil` if the plan states none.
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
        /// Seconds that each kind of check took the last time.
        var taken: [String: Double] = [:]
    }

    /// Seconds left, and true if the time of every remaining check is known. A check that ran before is expected to take as long
    /// again.
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
    /// Duration of its capture in seconds; `nil` for a check without one.
    fileprivate var secondsOfCapture: Double? {
        guard case .duration(let time) = parameters["for"] else { return nil }
        return Double(time.nanoseconds) / 1e9
    }
}
