import CaptureGate

extension CheckMakers {
    /// Checks of the machine and the gate.
    static let machine: [String: Maker] = [
        "host.scheduling": scheduling, "gate.holds": gate, "camera.soak": soak, "sync.soak": soakOfBoth,
    ]

    private static func gate(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        try await GateTrial(context).findings(on: context.device())
    }

    private static func scheduling(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let wakeups = try await Wakeups.measured(for: context.duration("for") ?? .seconds(5))
        if Task.isCancelled { throw CaptureError(.cancelled, "The plan was interrupted.") }
        return CheckFindings(
            wakeups.measures,
            series: [
                .histogram(
                    "wakeups", x: "lateness (us)", y: "wake-ups", wakeups.lateness.map { Double($0) / 1000 }, finest: 1)
            ], message: "The thread's priority is \(wakeups.priority).")
    }
}
