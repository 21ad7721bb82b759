import CaptureRealtime
import Gate

/// A microphone that is open, and the ring its periods go through.
///
/// One reader at a time. The microphone is closed when the value is released, or sooner when the gate says so.
///
/// *session-bound*
public struct AudioSession: ~Copyable, Sendable {
    private let core: CaptureCore
    private var track: Track?
    private var reader: AudioRing.Consumer
    /// What the microphone delivers.
    public let format: AudioFormat
    /// What was asked for and is otherwise, a sentence each.
    public let differences: [String]
    /// Frames in a period.
    public let periodFrames: Int

    /// The two kinds of source a microphone can be.
    private enum Track: ~Copyable, Sendable {
        case pcm(AudioTrack<PCMSource>)
        case tone(AudioTrack<TestTone>)
    }

    /// Opens the microphone the permit names and negotiates; nothing is captured before `start()`.
    ///
    /// - Throws: `.notAuthorized` where the permission has gone meanwhile, `.busy`, `.noDevice`, and `.notAsAsked` where
    ///   the settings are strict and the device would do otherwise. The C functions are `snd_pcm_open` and
    ///   `snd_pcm_hw_params`.
    public init(
        opening permit: consuming DevicePermit, settings: AudioSettings = AudioSettings()
    ) async throws(CaptureError) {
        let core = try await CaptureCore(permit, as: .microphone)
        let asked = PCMSettings(
            rate: settings.sampleRate ?? 48_000, channels: settings.channels ?? 2,
            format: (settings.sampleFormat ?? .s16).pcm)
        let got: PCMSettings
        if core.device.isBuiltIn {
            let source = try await core.opening { () throws(RealtimeFault) in try TestTone(settings: asked) }
            got = source.settings
            let capture = try await core.opening { () throws(RealtimeFault) in
                try AudioCapture(source, control: core.control, counters: core.counters)
            }
            track = .tone(capture.track)
            reader = capture.consumer
        } else {
            let name = core.device.pcmName ?? ""
            let source = try await core.opening { () throws(RealtimeFault) in
                try PCMSource(opening: name, asked: asked)
            }
            got = source.settings
            let capture = try await core.opening { () throws(RealtimeFault) in
                try AudioCapture(source, control: core.control, counters: core.counters)
            }
            track = .pcm(capture.track)
            reader = capture.consumer
        }
        self.core = core
        format = AudioFormat(
            sampleRate: got.rate, channels: got.channels, sampleFormat: SampleFormat(got.format))
        periodFrames = got.periodFrames
        differences = settings.differences(from: format)
    }
}
