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
        let fresh = try CaptureCore(resuming: core)
        let opened: OpenedMicrophone
        do {
            opened = try OpenedMicrophone.microphone(fresh, PCMSettings(format))
        } catch {
            throw DeviceFault(device: fresh.device).error(error)
        }
        guard AudioFormat(opened.settings) == format else { throw fresh.isOtherwise }
        goOn(fresh, opened.track, opened.reader, rate: Double(format.sampleRate))
    }
}

extension CaptureSession where Reader == VideoRing.Consumer, Format == VideoFormat {
    /// Goes on with a camera that was unplugged and is back under the same id, with the same settings. What it would have
    /// seen meanwhile is lost, and told so in the next header. The permission is the session's own: where it was taken
    /// back meanwhile, nothing is opened.
    ///
    /// Call it after the capture has ended as `.deviceGone`; it waits for the device's opening, not for its return.
    ///
    /// - Throws: `.noDevice` while it is away, `.revoked`, `.expired`, `.notAsAsked` where it does otherwise now, and what
    ///   opening throws.
    public mutating func reattach() throws(CaptureError) {
        guard case .deviceGone = end else { return }
        let fresh = try CaptureCore(resuming: core)
        // What the camera itself delivers, where its pictures are converted.
        let format = pictures?.source ?? format
        let opened: OpenedCamera
        do {
            opened = try OpenedCamera.camera(fresh, CameraSettings(format))
        } catch {
            throw DeviceFault(device: fresh.device).error(error)
        }
        guard VideoFormat(opened.format) == format else { throw fresh.isOtherwise }
        if opened.isCovered { throw .privacyShutter(closedOn: fresh.device.description) }
        goOn(fresh, opened.track, opened.reader, rate: format.frameRate.framesPerSecond)
    }
}

extension CaptureCore {
    fileprivate var isOtherwise: CaptureError {
        CaptureError(
            .notAsAsked, "\(device.description.name) [\(device.id)] came back with another format than it had.",
            remedies: [Remedy("Start a new recording.", command: "capturegate devices")])
    }
}

extension PCMSettings {
    fileprivate init(_ format: AudioFormat) {
        self.init(rate: format.sampleRate, channels: format.channels, format: format.sampleFormat.pcm)
    }
}

extension CameraSettings {
    fileprivate init(_ format: VideoFormat) {
        self.init(
            width: format.width, height: format.height, fourcc: format.pixelFormat.rawValue,
            fpsNumerator: format.frameRate.numerator, fpsDenominator: format.frameRate.denominator)
    }
}
