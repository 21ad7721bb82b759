import CaptureGate

extension CheckMakers {
    /// Highest level in dBFS that a step of the gain may lead to: beyond it the tone would be clipped.
    private static let highest = -3.0

    /// Records a steady tone at steps of the gain, and muted.
    static func level(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let mixer = context.streams.mixer(of: try context.device(), through: context.queue)
        let controls = try GainControls(
            named: context.word("control") ?? "capture_volume", mute: context.word("mute"),
            among: try await mixer.controls())
        let findings = await outcome(of: { () async throws(CaptureError) in
            let tone = context.number("tone") ?? 997
            return try await context.playing([tone, tone]) { () async throws(CaptureError) in
                try await levels(of: controls, on: mixer, context)
            }
        })
        // A task that was cancelled can't open the mixer any more, and the gain must be set back in any case.
        let failure = await Task { await controls.setBack(on: mixer) }.value
        if let failure, case .success = findings {
            throw CaptureError(.unavailable, "The gain could not be set back: \(failure.message)")
        }
        return try findings.get()
    }

    private static func levels(
        of controls: GainControls, on mixer: any SoundMixer, _ context: CheckContext
    ) async throws(CaptureError) -> CheckFindings {
        if let mute = controls.mute { _ = try await mixer.set(controls.value(isMuted: false), of: mute) }
        let steps = GainSteps(try await steps(of: controls, on: mixer, context))
        guard steps.steps.count >= 2 else {
            throw CaptureError(
                .unavailable, "\(controls.gain.name) has no two steps at which the tone would not be clipped.",
                remedies: [Remedy("Play the tone more softly, or name another control.")])
        }
        var findings = CheckFindings(steps.measures, series: [steps.series])
        guard let mute = controls.mute else {
            findings.absent = ["mute_level"]
            findings.message = "The card has no switch that mutes."
            return findings
        }
        _ = try await mixer.set(controls.value(isMuted: true), of: mute)
        let muted = try await context.heard(for: .seconds(1))
        findings.measures.append(SoundMeasures(muted.channels, rate: muted.rate).muteMeasure)
        return findings
    }

    /// Levels from the lowest gain upwards, up to that by which the tone would be clipped if the steps were right.
    private static func steps(
        of controls: GainControls, on mixer: any SoundMixer, _ context: CheckContext
    ) async throws(CaptureError) -> [GainSteps.Step] {
        var steps: [GainSteps.Step] = []
        for setting in controls.settings {
            let control = try await mixer.set(.integer(setting), of: controls.gain)
            // The lowest step of some controls is silence, which has no decibels.
            guard let gain = control.decibels?.value else { continue }
            if let first = steps.first, (first.level ?? 0) + gain - first.gain > highest { break }
            let tones = ChannelTones(try await context.heard(for: .seconds(1)))
            steps.append(GainSteps.Step(gain: gain, level: tones.level))
        }
        return steps
    }
}
