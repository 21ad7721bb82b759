import CaptureRealtime
import Gate

extension CaptureSession where Reader == AudioRing.Consumer, Format == AudioFormat {
    /// Goes on with a microphone that was unplugged and is back under the same id, with the same settings. What it would
    /// have heard meanwhile is lost, and told so in the next header. The permission is the session's own: where it was
    /// taken back meanwhile, nothing is opened.
    ///
    /// Call it after the capture has ended as `.deviceGone`; it waits for the device's opening, not for its return.
    ///
    /// - Throws: `.noDevice` while it is away, `.revoked`, `.expired`, `.notAsAsked` where it does otherwise now, and what
    ///   opening throws.
    public mutating func reattach() throws(CaptureError) {
        guard case .deviceGone = end else { return }
        try goOn(look().opened())
    }

    /// The same for who can't wait for that.
    ///
    /// - Returns: false while it is looked for and opened: call it again.
    /// - Throws: also `.stalled` where the opening does not return within 10 s.
    package mutating func reattach(by reopening: Reopening<OpenedMicrophone>) throws(CaptureError) -> Bool {
        guard case .deviceGone = end else { return true }
        guard let opened = try reopening.opened(look) else { return false }
        try goOn(opened)
        return true
    }

    private var look: @Sendable () throws(CaptureError) -> DeviceOpening<OpenedMicrophone> {
        let (core, settings) = (core, PCMSettings(format, period: frameInterval))
        return { () throws(CaptureError) in
            let fresh = try CaptureCore(resuming: core)
            return DeviceOpening(core: fresh) { () throws(RealtimeFault) in
                try OpenedMicrophone.microphone(fresh, settings)
            }
        }
    }

    private mutating func goOn(_ opened: consuming OpenedMicrophone) throws(CaptureError) {
        let core = opened.core
        // A name of ALSA's configuration may lead elsewhere by now, which nobody was asked about.
        guard core.isAdmitted(hardware: opened.hardware) else { throw core.isOtherwise("as other hardware") }
        let got = AudioFormat(opened.settings)
        guard got == format else { throw core.isOtherwise("with \(got.phrase); it had \(format.phrase)") }
        goOn(core, opened.stream, opened.reader, rate: Double(format.sampleRate))
    }
}

extension CaptureSession where Reader == VideoRing.Consumer, Format == VideoFormat {
    /// Goes on with a camera that was unplugged and is back under the same id, with the same settings. What it would have
    /// seen meanwhile is lost, and told so in the next header. The permission is the session's own: where it was taken
    /// back meanwhile, nothing is opened.
    ///
    /// Call it after the capture has ended as `.deviceGone`, or as `.signalChanged` for a signal that is back; it waits for
    /// the device's opening, not for its return.
    ///
    /// - Throws: `.noDevice` while it is away, `.unavailable` while there is no signal, `.revoked`, `.expired`, `.notAsAsked` where it does otherwise now, and what
    ///   opening throws.
    public mutating func reattach() throws(CaptureError) {
        guard mayReturn else { return }
        try goOn(look().opened())
    }

    /// The same for who can't wait for that.
    ///
    /// - Returns: false while it is looked for and opened: call it again.
    /// - Throws: also `.stalled` where the opening does not return within 10 s.
    package mutating func reattach(by reopening: Reopening<OpenedCamera>) throws(CaptureError) -> Bool {
        guard mayReturn else { return true }
        guard let opened = try reopening.opened(look) else { return false }
        try goOn(opened)
        return true
    }

    private var mayReturn: Bool {
        switch end {
        case .deviceGone, .signalChanged: true
        default: false
        }
    }

    /// What the camera itself delivers, where its pictures are converted.
    private var delivered: VideoFormat { pictures?.source ?? format }

    private var look: @Sendable () throws(CaptureError) -> DeviceOpening<OpenedCamera> {
        let (core, settings) = (core, CameraSettings(delivered, of: source))
        return { () throws(CaptureError) in
            let fresh = try CaptureCore(resuming: core)
            return DeviceOpening(core: fresh) { () throws(RealtimeFault) in
                try OpenedCamera.camera(fresh, settings)
            }
        }
    }

    private mutating func goOn(_ opened: consuming OpenedCamera) throws(CaptureError) {
        let core = opened.core
        // Before its format: without a signal that is whatever the driver makes up.
        if opened.signal != .present { throw opened.signal.error(core.device.description) }
        let got = VideoFormat(opened.format)
        guard got == delivered else { throw core.isOtherwise("with \(got.phrase); it had \(delivered.phrase)") }
        if opened.isCovered { throw .privacyShutter(closedOn: core.device.description) }
        goOn(core, opened.stream, opened.reader, rate: delivered.frameRate.framesPerSecond)
    }
}

extension CaptureCore {
    /// - Parameter shape: how it came back.
    fileprivate func isOtherwise(_ shape: String) -> CaptureError {
        CaptureError(
            .notAsAsked, "\(QuestionText.visible(device.name)) [\(device.id)] was unplugged and came back \(shape).",
            remedies: [Remedy("Start a new recording.", command: "capturegate devices")])
    }
}

extension AudioFormat {
    fileprivate var phrase: String {
        "\(sampleRate) Hz, \(channels) channel\(channels == 1 ? "" : "s"), \(sampleFormat.rawValue)"
    }
}

extension VideoFormat {
    fileprivate var phrase: String { "\(width)x\(height) \(pixelFormat) at \(frameRate) a second" }
}

extension PCMSettings {
    /// - Parameter period: nanoseconds.
    fileprivate init(_ format: AudioFormat, period: Int64) {
        let frames = Double(period) * Double(format.sampleRate) / 1e9
        self.init(
            rate: format.sampleRate, channels: format.channels, format: format.sampleFormat.pcm,
            periodFrames: Int(frames.rounded()))
    }
}

extension CameraSettings {
    /// - Parameter source: input, standard and timings.
    fileprivate init(_ format: VideoFormat, of source: CameraSettings) {
        self = source
        (width, height, fourcc) = (format.width, format.height, format.pixelFormat.rawValue)
        (fpsNumerator, fpsDenominator) = (format.frameRate.numerator, format.frameRate.denominator)
    }
}

/// What opens a device that was unplugged and is back.
struct DeviceOpening<Value: ~Copyable & Sendable>: Sendable {
    let core: CaptureCore
    let open: @Sendable () throws(RealtimeFault) -> Value

    /// Waits for it.
    func opened() throws(CaptureError) -> Value { try core.value(of: OpenResult(open)) }
}

/// Looks for a device that was unplugged, and opens it if it is back, for somebody who can't wait for that: it goes on
/// beside, and is asked after. Who is released meanwhile lets go of the device.
///
/// *session-bound*
package final class Reopening<Value: ~Copyable & Sendable> {
    /// It is there, and what came of its opening.
    private struct Found: Sendable {
        let core: CaptureCore
        let opening: OpenResult<Value>
    }

    private final class Answer: Sendable {
        let outcome = Locked<Result<Found, CaptureError>?>(nil)

        func find(_ look: @Sendable () throws(CaptureError) -> DeviceOpening<Value>) async {
            let result: Result<Found, CaptureError>
            switch Result(catching: look) {
            case .failure(let error): result = .failure(error)
            case .success(let found):
                let opening = await OpenResult.of(found.open, on: "capturegate.\(found.core.device.id)")
                result = .success(Found(core: found.core, opening: opening))
            }
            outcome.withLock { $0 = result }
        }
    }

    private var pending: (answer: Answer, task: Task<Void, Never>)?

    package init() {}

    deinit { pending?.task.cancel() }

    /// - Parameter look: finds the device; throws while it is away. Called where nothing is under way.
    /// - Returns: `nil` while it is under way.
    /// - Throws: why it is not open. Either way it is not under way any more.
    func opened(
        _ look: @escaping @Sendable () throws(CaptureError) -> DeviceOpening<Value>
    ) throws(CaptureError) -> Value? {
        guard let (answer, _) = pending else {
            let answer = Answer()
            pending = (answer, Task { await answer.find(look) })
            return nil
        }
        guard let outcome = answer.outcome.withLock({ $0.take() }) else { return nil }
        pending = nil
        let found = try outcome.get()
        return try found.core.value(of: found.opening)
    }
}
