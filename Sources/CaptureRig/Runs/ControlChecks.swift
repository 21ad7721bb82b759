import CaptureGate

extension CheckMakers {
    /// Checks of controls.
    static let control: [String: Maker] = ["camera.controls": controls, "sound.controls": controls]

    private static func controls(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let operation = DeviceOperation(try context.device(), purpose: "Try its controls, and set them back") {
            (permit: consuming DevicePermit) async throws(CaptureError) in
            let session = try await ControlSession(opening: permit)
            var trials = ControlTrials()
            var failure: CaptureError?
            do throws(CaptureError) { try trials.run(on: session) } catch { failure = error }
            await session.close(failure?.message ?? "\(trials.tried) controls tried and set back")
            if let failure { throw failure }
            return trials.findings
        }
        let findings = try await context.queue.run(operation)
        if findings.measures.isEmpty {
            throw CaptureError(.unavailable, "\(try context.device().id) has no control that can be tried.")
        }
        return findings
    }
}

extension ControlTrials {
    /// Nothing where there was no control to try.
    var findings: CheckFindings {
        guard tried > 0 else { return CheckFindings() }
        let named = mistakes + left
        let words = named.prefix(3).map { "\($0.control): \($0.text)" }
        let more = named.count > words.count ? "; and \(named.count - words.count) more" : ""
        return CheckFindings(
            [
                Measure("controls", Double(tried), "controls", .higher),
                Measure("wrong", Double(mistakes.count), "controls", .lower),
                Measure("left_changed", Double(left.count), "controls", .lower),
            ],
            message: named.isEmpty ? nil : words.joined(separator: "; ") + more + ".")
    }
}
