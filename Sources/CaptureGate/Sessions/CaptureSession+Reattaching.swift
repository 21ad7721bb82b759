import CaptureRealtime
import Gate

extension CaptureSession where Format == AudioFormat {
    /// Continues with a microphone that was unplugged and is back under the same id, with the same settings.
    ///
    /// The audio in between is lost, which the next header reports. The session's permission is used: if it was revoked meanwhile,
    /// nothing is opened. Call it after the capture has ended as `.deviceGone`. It waits for the device's opening, not for its
    /// return.
    ///
    /// - Throws: `.noDevice` while it is missing, `.revoked`, `.expired`, `.notAsAsked` if its format differs now, and the errors
    ///   of opening.
    ///   the errors of opening.
    public mutating func reattach() throws(CaptureError) {
        guard case .deviceGone = end else { return }
        try goOn(look().opened())
    }

    /// Continues without waiting for the opening, for callers that must not block.
    ///
    /// - Parameter reopening: holds the opening between two calls.
    /// - Returns: false while the device is searched for and opened: call it again.
    /// - Throws: also `.stalled` if the opening does not return within 10 s.
    package mutating func reattach(by reopening: Reopening<OpenedMicrophone>) throws(CaptureError) -> Bool {
        guard case .deviceGone = end else { return true }
        guard let opened = try reopening.opened(look) else { return false }
        try goOn(opened)
        return true
    }

    /// Search for the device, for any thread: it holds the core and the settings, not the session.
    private var look: @Sendable () throws(CaptureError) -> DeviceOpening<OpenedMicrophone> {
        let (core, settings) = (core, PCMSettings(formatOfDevice, period: frameInterval))
        return { () throws(CaptureError) in
            let fresh = try CaptureCore(resuming: core)
            return DeviceOpening(core: fresh) { () throws(CaptureError) in
                try OpenedMicrophone.opened(fresh, settings)
            }
        }
    }

    /// Takes over the opened device if it is the same as before.
    private mutating func goOn(_ opened: consuming OpenedMicrophone) throws(CaptureError) {
        let core = opened.core
        // A name of ALSA's configuration may lead to other hardware by now, for which nobody gave permission.
        guard core.isAdmitted(hardware: opened.hardware) else { throw core.isOtherwise("as different hardware") }
        let (got, had) = (AudioFormat(opened.settings), formatOfDevice)
        guard got == had else { throw core.isOtherwise("with \(got.phrase) instead of \(had.phrase)") }
        goOn(core, opened.stream, .audio(opened.reader), rate: Double(had.sampleRate))
    }
}

extension CaptureSession where Format == VideoFormat {
    /// Continues with a camera that was unplugged and is back under the same id, with the same settings.
    ///
    /// The frames in between are lost, which the next header reports. The session's permission is used: if it was revoked
    /// meanwhile, nothing is opened. Call it after the capture has ended as `.deviceGone`, or as `.signalChanged` for a signal
    /// that is back. It waits for the device's opening, not for its return.
    ///
    /// - Throws: `.noDevice` while it is missing, `.unavailable` while there is no signal, `.revoked`, `.expired`, `.notAsAsked`
    ///   if its format differs now, and the errors of opening.
    public mutating func reattach() throws(CaptureError) {
        guard mayReturn else { return }
        try goOn(look().opened())
    }

    /// Continues without waiting for the opening, for callers that must not block.
    ///
    /// - Parameter reopening: holds the opening between two calls.
    /// - Returns: false while the device is searched for and opened: call it again.
    /// - Throws: also `.stalled` if the opening does not return within 10 s.
    package mutating func reattach(by reopening: Reopening<OpenedCamera>) throws(CaptureError) -> Bool {
        guard mayReturn else { return true }
        guard let opened = try reopening.opened(look) else { return false }
        try goOn(opened)
        return true
    }

    /// True for ends that a replugged device or cable undoes.
    private var mayReturn: Bool {
        switch end {
        case .deviceGone, .signalChanged: true
        default: false
        }
    }

    /// Format of the camera's own frames, if they are converted.
    private var delivered: VideoFormat { pictures?.source ?? formatOfDevice }

    /// Search for the device, for any thread: it holds the core and the settings, not the session.
    private var look: @Sendable () throws(CaptureError) -> DeviceOpening<OpenedCamera> {
        let (core, settings) = (core, CameraSettings(delivered, of: source))
        return { () throws(CaptureError) in
            let fresh = try CaptureCore(resuming: core)
            return DeviceOpening(core: fresh) { () throws(CaptureError) in
                try OpenedCamera.opened(fresh, settings)
            }
        }
    }

    /// Takes over the opened device if it is the same as before.
    private mutating func goOn(_ opened: consuming OpenedCamera) throws(CaptureError) {
        let core = opened.core
        // Before the format: without a signal, the driver reports an arbitrary one.
        if opened.signal != .present { throw opened.signal.error(core.device.description) }
        let got = VideoFormat(opened.format)
        guard got == delivered else { throw core.isOtherwise("with \(got.phrase) instead of \(delivered.phrase)") }
        if opened.isCovered { throw .privacyShutter(closedOn: core.device.description) }
        goOn(core, opened.stream, .video(opened.reader), rate: delivered.frameRate.framesPerSecond)
    }
}

extension CaptureCore {
    /// Error for a device that came back with other properties: a file has one format.
    ///
    /// - Parameter shape: words for how it came back.
    fileprivate func isOtherwise(_ shape: String) -> CaptureError {
        CaptureError(
            .notAsAsked, "\(QuestionText.visible(device.name)) [\(device.id)] was unplugged and came back \(shape).",
            remedies: [Remedy("Start a new recording.", .listDevices)])
    }
}

extension AudioFormat {
    /// Words for an error's text.
    fileprivate var phrase: String {
        "\(sampleRate) Hz, \(channels) channel\(channels == 1 ? "" : "s"), \(sampleFormat.rawValue)"
    }
}

extension VideoFormat {
    /// Words for an error's text.
    fileprivate var phrase: String { "\(width)x\(height) \(pixelFormat) at \(frameRate) fps" }
}

extension PCMSettings {
    /// Settings that ask for exactly a format.
    ///
    /// - Parameters:
    ///   - format: format of the capture before.
    ///   - period: ns.
    fileprivate init(_ format: AudioFormat, period: Int64) {
        let frames = Double(period) * Double(format.sampleRate) / 1e9
        self.init(
            rate: format.sampleRate, channels: format.channels, format: format.sampleFormat.pcm,
            periodFrames: Int(frames.rounded()))
    }
}

extension CameraSettings {
    /// Settings that ask for exactly a format.
    ///
    /// - Parameters:
    ///   - format: format of the capture before.
    ///   - source: input, standard and timings.
    fileprivate init(_ format: VideoFormat, of source: CameraSettings) {
        self = source
        (width, height, fourcc) = (format.width, format.height, format.pixelFormat.rawValue)
        (fpsNumerator, fpsDenominator) = (format.frameRate.numerator, format.frameRate.denominator)
    }
}

/// Found device, and the closure that opens it.
struct DeviceOpening<Value: ~Copyable & Sendable>: Sendable {
    /// Core of the resumed capture.
    let core: CaptureCore
    /// Opens the device; may block.
    let open: @Sendable () throws(CaptureError) -> Value

    /// Opens the device on the caller's thread.
    func opened() throws(CaptureError) -> Value { try core.value(of: OpenResult(open)) }
}

/// Search for an unplugged device in the background, for a caller that can't wait.
///
/// It continues between two calls. If the object is released meanwhile, the device is closed again.
///
/// *session-bound*
package final class Reopening<Value: ~Copyable & Sendable> {
    /// Device that is back, and the result of its opening.
    private struct Found: Sendable {
        let core: CaptureCore
        let opening: OpenResult<Value>
    }

    /// Result of one search, written by its task and taken by the caller.
    private final class Answer: Sendable {
        let outcome = Locked<Result<Found, CaptureError>?>(nil)

        /// Searches and opens; never throws, since nobody awaits it.
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

    /// Search under way.
    private var pending: (answer: Answer, task: Task<Void, Never>)?

    /// Makes one without a search.
    package init() {}

    /// Cancels the search; a device that it opens is released unused.
    deinit { pending?.task.cancel() }

    /// Starts a search, or takes its result.
    ///
    /// - Parameter look: finds the device; throws while it is missing. Called when no search is running.
    /// - Returns: `nil` while the search is running.
    /// - Throws: reason why the device is not open. The next call starts another search.
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
