import CaptureGate

/// Everything that a check works with.
///
/// *thread-safe*
package struct CheckContext: Sendable {
    package let planned: PlannedCheck
    /// One for each of the check's kinds, in their order; empty for a check of the machine.
    package let devices: [Device]
    /// Captures of these devices.
    package let streams: any StreamSource
    /// Queue whose operations have to pass the gate, for checks that open devices otherwise.
    package let queue: GateQueue
    package let gatekeeper: Gatekeeper
    package let golden: GoldenFiles
    package let evidence: EvidenceFolder
    package let commands: CommandRunner

    package init(
        _ planned: PlannedCheck, _ devices: [Device], streams: any StreamSource, gatekeeper: Gatekeeper,
        golden: GoldenFiles, evidence: EvidenceFolder, commands: CommandRunner
    ) {
        self.planned = planned
        self.devices = devices
        self.streams = streams
        self.gatekeeper = gatekeeper
        queue = GateQueue(gatekeeper: gatekeeper)
        self.golden = golden
        self.evidence = evidence
        self.commands = commands
    }

    /// The device of a check that has one.
    ///
    /// - Throws: `.usage` for a check without a device.
    package func device() throws(CaptureError) -> Device {
        if let device = devices.first { return device }
        throw CaptureError(.usage, "\(planned.name) has no device.")
    }
}

extension CheckContext {
    /// A duration among the check's parameters.
    package func duration(_ name: String) -> Duration? {
        if case .duration(let time) = planned.parameters[name] { time } else { nil }
    }

    /// A whole number among the check's parameters.
    package func count(_ name: String) -> Int? {
        if case .count(let count) = planned.parameters[name] { count } else { nil }
    }

    /// Number among the check's parameters, whole or not.
    package func number(_ name: String) -> Double? {
        switch planned.parameters[name] {
        case .number(let number): number
        case .count(let count): Double(count)
        default: nil
        }
    }

    /// A word among the check's parameters.
    package func word(_ name: String) -> String? {
        if case .word(let word) = planned.parameters[name] { word } else { nil }
    }

    /// A list of words among the check's parameters.
    package func words(_ name: String) -> [String]? {
        if case .words(let words) = planned.parameters[name] { words } else { nil }
    }

    /// A program among the check's parameters.
    package func command(_ name: String) -> PlanCommand? {
        if case .command(let command) = planned.parameters[name] { command } else { nil }
    }

    /// The capture that the parameters for format, size, rate, channels and time ask for.
    ///
    /// - Parameter standard: time of a check that has no parameter for it.
    /// - Throws: `.usage` for a format that there is not.
    package func capture(for standard: Duration = .seconds(3)) throws(CaptureError) -> StreamCapture {
        var capture = StreamCapture(for: duration("for") ?? standard)
        if case .size(let width, let height) = planned.parameters["size"] {
            (capture.video.width, capture.video.height) = (width, height)
        }
        switch planned.parameters["rate"] {
        case .rate(let numerator, let denominator): capture.video.frameRate = FrameRate(numerator, denominator)
        case .count(let rate): capture.audio.sampleRate = rate
        default: break
        }
        capture.audio.channels = count("channels")
        guard let format = word("format") else { return capture }
        // A name that is both means each: only the settings of the device's kind are used.
        capture.video.pixelFormat = PixelFormat(format)
        capture.audio.sampleFormat = SampleFormat(rawValue: format)
        if capture.video.pixelFormat == nil, capture.audio.sampleFormat == nil {
            throw CaptureError(.usage, "\(format) is not a pixel format or a sample format.")
        }
        return capture
    }
}

/// Ways in which the checks of the catalogue are made.
///
/// *thread-safe*
package enum CheckMakers {
    /// Makes one check. It throws where the device can't be measured; what the numbers mean is the limits' to say.
    package typealias Maker = @Sendable (CheckContext) async throws(CaptureError) -> CheckFindings

    /// By the name of the check.
    package static let all: [String: Maker] = [
        stream, picture, sound, start, mode, control, together, cable, machine,
    ].reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }
}

extension CaptureError {
    /// Error of a check that was cut off by the end of its plan.
    static var interrupted: CaptureError { CaptureError(.cancelled, "The plan was interrupted.") }

    /// - Throws: `.cancelled` if the task is: the numbers would be about a part.
    static func checkInterruption() throws(CaptureError) {
        if Task.isCancelled { throw .interrupted }
    }
}

/// Outcome of a body that may throw, for what has to be done in either case.
func outcome<Output>(
    of body: () async throws(CaptureError) -> Output
) async -> Result<Output, CaptureError> {
    do throws(CaptureError) { return .success(try await body()) } catch { return .failure(error) }
}

extension Result {
    /// The error of a failure.
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
