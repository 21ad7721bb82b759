import CaptureGate

/// Mixer of a microphone's card, as far as a check sets it.
///
/// *thread-safe*
package protocol SoundMixer: Sendable {
    /// The controls that concern the microphone, with their present values.
    func controls() async throws(CaptureError) -> [DeviceControl]

    /// Sets a control.
    ///
    /// - Returns: the control as it was read back.
    /// - Throws: `.notAsAsked` if it did not take the value.
    func set(_ value: ControlValue, of control: DeviceControl) async throws(CaptureError) -> DeviceControl
}

/// Mixer with the gate's permission. It is opened for each access: between accesses there are captures, which have their own
/// permits.
///
/// *thread-safe*
struct GatedMixer: SoundMixer {
    let queue: GateQueue
    let device: Device

    func controls() async throws(CaptureError) -> [DeviceControl] {
        try await open("controls read") { session throws(CaptureError) in try session.controls() }
    }

    func set(_ value: ControlValue, of control: DeviceControl) async throws(CaptureError) -> DeviceControl {
        let change = try await open("\(control.name) set") { session throws(CaptureError) in
            try session.set(control, to: value)
        }
        guard change.isAsAsked else {
            throw CaptureError(.notAsAsked, "The control \(control.name) has another value than the one that was set.")
        }
        return change.control
    }

    private func open<Output: Sendable>(
        _ outcome: String, _ body: @escaping @Sendable (borrowing ControlSession) throws(CaptureError) -> Output
    ) async throws(CaptureError) -> Output {
        try await queue.run(
            DeviceOperation(device, purpose: "Test the gain, and restore it") {
                (permit: consuming DevicePermit) async throws(CaptureError) -> Output in
                let session = try await ControlSession(opening: permit)
                let output: Output
                do throws(CaptureError) {
                    output = try body(session)
                } catch {
                    await session.close(error.message)
                    throw error
                }
                await session.close(outcome)
                return output
            })
    }
}

/// Controls of a check of the gain.
///
/// *thread-safe*
struct GainControls: Sendable {
    let gain: DeviceControl
    /// Switch that mutes; `nil` if the card has none.
    let mute: DeviceControl?

    /// Name of the gain where a plan names none, which is the kernel's for that of a card with one input.
    static let usualName = "capture_volume"
    /// Most settings of the gain that are tried.
    private static let most: Int64 = 6

    /// - Parameters:
    ///   - name: of the gain's control.
    ///   - mute: name of the switch; without one it is the switch that is called as the gain is.
    ///   - controls: all of the card.
    /// - Throws: `.usage` with the names that there are.
    init(named name: String, mute: String?, among controls: [DeviceControl]) throws(CaptureError) {
        gain = try Self.control(name, among: Self.gains(among: controls), "gain in decibels")
        let switches = controls.filter { $0.kind == .boolean && !$0.flags.contains(.readOnly) }
        if let mute {
            self.mute = try Self.control(mute, among: switches, "switch")
        } else {
            let stem = gain.name.hasSuffix("_volume") ? String(gain.name.dropLast(7)) : gain.name
            self.mute = switches.first { $0.name == stem + "_switch" || $0.name == stem + "_mute" }
        }
    }

    /// Controls that can be set to a gain in decibels.
    static func gains(among controls: [DeviceControl]) -> [DeviceControl] {
        controls.filter { $0.kind == .integer && $0.decibels != nil && !$0.flags.contains(.readOnly) }
    }

    /// Name of the gain that a plan means: the one that it names, otherwise the card's only one, whatever that is called.
    ///
    /// - Parameter asked: `nil`, or the usual name, if the plan names none.
    static func name(_ asked: String?, among controls: [DeviceControl]) -> String {
        if let asked, asked != usualName { return asked }
        let gains = gains(among: controls)
        return gains.count == 1 ? gains[0].name : usualName
    }

    private static func control(
        _ name: String, among controls: [DeviceControl], _ what: String
    ) throws(CaptureError) -> DeviceControl {
        if let control = controls.first(where: { $0.name == name }) { return control }
        let names = controls.map(\.name).joined(separator: ", ")
        let found = names.isEmpty ? "It has none." : "It has \(names)."
        throw CaptureError(.usage, "The card has no \(what) with the name \(name). \(found)")
    }

    /// Settings from the lowest to the highest gain, at equal distances.
    var settings: [Int64] {
        let (span, isTooLarge) = gain.range.upperBound.subtractingReportingOverflow(gain.range.lowerBound)
        guard !isTooLarge, span > 0, span < 1 << 32 else { return [] }
        let steps = min(span / gain.step, Self.most - 1)
        guard steps > 0 else { return [] }
        return (0...steps).map { gain.range.lowerBound + span * $0 / steps / gain.step * gain.step }
    }

    /// Value of the switch for an active or a muted microphone. The kernel's switches let sound pass when they are on.
    func value(isMuted: Bool) -> ControlValue {
        let mutesWhenOn = mute.map { $0.name.hasSuffix("mute") } ?? false
        return .integer(isMuted == mutesWhenOn ? 1 : 0)
    }

    /// Sets both back to what they were.
    ///
    /// - Returns: the first error.
    func setBack(on mixer: any SoundMixer) async -> CaptureError? {
        var failure: CaptureError?
        for control in [gain, mute].compactMap({ $0 }) {
            guard let value = control.value else { continue }
            let result = await outcome(of: { () async throws(CaptureError) in try await mixer.set(value, of: control) })
            if case .failure(let error) = result { failure = failure ?? error }
        }
        return failure
    }
}

extension CheckMakers {
    /// Highest level in dBFS that a step of the gain may lead to: beyond it the tone would be clipped.
    private static let highest = -3.0

    /// Records a steady tone at steps of the gain, and muted.
    static func level(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let mixer = context.streams.mixer(of: try context.device(), through: context.queue)
        let all = try await mixer.controls()
        let name = GainControls.name(context.word("control"), among: all)
        // Many a microphone has no gain at all. Another one that the plan names must be there.
        if name == GainControls.usualName, GainControls.gains(among: all).isEmpty {
            return .skipped("The card has no gain in decibels that can be set.")
        }
        let controls = try GainControls(
            named: name, mute: context.word("mute"), among: all)
        let findings = await outcome(of: { () async throws(CaptureError) in
            let tone = context.number("tone") ?? 997
            return try await context.playing([tone, tone]) { () async throws(CaptureError) in
                try await levels(of: controls, on: mixer, context)
            }
        })
        // A task that was cancelled can't open the mixer any more, and the gain must be set back in any case.
        let failure = await Task { await controls.setBack(on: mixer) }.value
        if let failure, case .success = findings {
            throw CaptureError(.unavailable, "The gain could not be restored: \(failure.message)")
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
                .unavailable, "\(controls.gain.name) does not have two steps without clipping.",
                remedies: [Remedy("Play the tone more quietly, or name another control.")])
        }
        var findings = CheckFindings(steps.measures, series: [steps.series])
        guard let mute = controls.mute else {
            findings.absent = ["mute_level"]
            findings.message = "The card has no mute switch."
            return findings
        }
        _ = try await mixer.set(controls.value(isMuted: true), of: mute)
        let muted = try await context.heard(for: .seconds(1))
        findings.measures.append(SoundMeasures(muted.channels, rate: muted.rate).muteMeasure)
        return findings
    }

    /// Levels from the lowest gain upwards, up to the one at which the tone would be clipped if the steps were right.
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
