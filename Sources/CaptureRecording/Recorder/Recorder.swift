import CaptureEncoding
import CaptureGate
import Dispatch

/// Recorder of the devices that a permit allows: its microphones and cameras, each one track of the clip.
///
/// The clip starts when all devices deliver. It ends at its duration, to the frame; when it is stopped; or when a device, the gate
/// or the disk ends it. The file is valid in each case, and `Clip.end` gives the reason.
///
/// *session-bound*
public struct Recorder: ~Copyable, Sendable {
    private let devices: [OpenDevice]
    private let settings: RecorderSettings
    /// Opens every device of a permit and negotiates; nothing is captured yet.
    ///
    /// - Parameters:
    ///   - permit: permit for microphones at the level `.record` and cameras at `.video`. If one has a lower level, none is
    ///     opened.
    ///   - settings: settings of the devices and of the clip.
    /// - Throws: as `AudioSession` and `VideoSession`; devices that were opened before are closed again. `.unavailable` if the
    ///   system lacks threads for it.
    public init(
        opening permit: consuming Permit, settings: RecorderSettings = RecorderSettings()
    ) async throws(CaptureError) {
        devices = try await OpenDevice.all(of: permit, settings)
        self.settings = settings
    }

    /// Records into a new file, in the format of its ending.
    ///
    /// - Parameters:
    ///   - path: ends in one of the `endings` of a `ClipFormat`, such as `.wav`, `.flac`, `.opus`, `.mkv`, `.mka`, `.mjpeg` or
    ///     `.y4m`. H.264 and AAC for `.mp4` and `.m4a` require the trait MP4, VP8 and VP9 for `.webm` the trait WebM. The file
    ///     must not exist.
    ///   - duration: duration of the clip; `nil` until the task is cancelled.
    /// - Throws: `.usage`, `.fileExists`, `.inputOutput`, if no file was created.
    public consuming func record(to path: String, for duration: Duration? = nil) async throws(CaptureError) -> Clip {
        let target = try RecordingTarget(.file(path: path))
        return try await record(into: target, for: duration)
    }

    /// Records into an existing target.
    ///
    /// - Parameters:
    ///   - target: output of the clip.
    ///   - others: further outputs, each with the tracks that its format can hold. A failed one is reported, and does not end the
    ///     others.
    ///   - duration: duration of the clip; `nil` uses the settings'.
    ///   - control: ends the recording; so does cancelling the task.
    ///   - onEvent: called on the recorder's thread.
    /// - Throws: if no file was created.
    public consuming func record(
        into target: RecordingTarget, and others: [RecordingTarget] = [], for duration: Duration? = nil,
        control: RecordingControl? = nil,
        onEvent: @escaping @Sendable (RecordingEvent) -> Void = { _ in }
    ) async throws(CaptureError) -> Clip {
        let control = if let control { control } else { try RecordingControl() }
        let (devices, settings) = (devices, settings)
        let queue = DispatchQueue(label: "capturegate.recorder")
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(
                        returning: Result { () throws(CaptureError) in
                            try Recording(devices, [target] + others, settings, control, onEvent: onEvent)
                                .run(for: duration ?? settings.duration)
                        })
                }
            }
        } onCancel: {
            control.stop()
        }
        for device in devices { await device.close() }
        return try result.get()
    }
}
