import CSystem
import CaptureBase
import CaptureRealtime
import Gate

/// What a program would like of a microphone; what it does not say is the device's choice.
///
/// *thread-safe*
public struct AudioSettings: Hashable, Sendable {
    /// Hz; 48000 where not said.
    public var sampleRate: Int?
    /// 2 where not said and the device can.
    public var channels: Int?
    /// `.s16` where not said and the device can.
    public var sampleFormat: SampleFormat?
    /// From one piece of sound to the next, 1 ms to 1 s: short to hear soon, long to wake up seldom. 10 ms where not
    /// said; the device takes what comes nearest, in a strict capture too.
    public var period: Duration?
    /// Refuse to open where the device would do anything else than what is said.
    public var isStrict: Bool
    /// Of the built-in tone: whether each whole second of CLOCK_MONOTONIC begins with a click, for which the built-in picture
    /// flashes; no other microphone does so.
    public var claps = false

    public init(
        sampleRate: Int? = nil, channels: Int? = nil, sampleFormat: SampleFormat? = nil, period: Duration? = nil,
        isStrict: Bool = false
    ) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.sampleFormat = sampleFormat
        self.period = period
        self.isStrict = isStrict
    }

    /// What of this the device does otherwise, a sentence each.
    func differences(from format: AudioFormat) -> [String] {
        var differences: [String] = []
        if let sampleRate, sampleRate != format.sampleRate {
            differences.append("sample rate \(sampleRate) Hz asked, \(format.sampleRate) Hz got")
        }
        if let channels, channels != format.channels {
            differences.append("\(channels) channels asked, \(format.channels) got")
        }
        if let sampleFormat, sampleFormat != format.sampleFormat {
            differences.append("\(sampleFormat.rawValue) asked, \(format.sampleFormat.rawValue) got")
        }
        return differences
    }
}

extension CaptureSession where Reader == AudioRing.Consumer, Format == AudioFormat {
    /// Opens the microphone the permit names and negotiates; nothing is captured before `start()`.
    ///
    /// - Throws: `.notAuthorized` where the permission has gone meanwhile or is for less than `.record`, `.busy`, `.noDevice`, `.stalled` where it does not
    ///   answer within 10 s, `.cancelled` where the task is, and `.notAsAsked` where the settings are strict and the device
    ///   would do otherwise. The C functions are `snd_pcm_open` and `snd_pcm_hw_params`.
    public init(
        opening permit: consuming DevicePermit, settings: AudioSettings = AudioSettings()
    ) async throws(CaptureError) {
        try await self.init(opening: permit, settings: settings, for: .record)
    }

    /// The same for who lends less than sound to the program.
    ///
    /// - Parameter level: the least that is needed for that.
    package init(
        opening permit: consuming DevicePermit, settings: AudioSettings, for level: AccessLevel
    ) async throws(CaptureError) {
        let core = try await CaptureCore(permit, as: .microphone, for: level)
        let opened = try await core.opening { () throws(RealtimeFault) in
            core.device.isBuiltIn
                ? try OpenedMicrophone.tone(core, settings) : try OpenedMicrophone.microphone(core, settings.pcm)
        }
        try await core.admit(hardware: opened.hardware)
        try await self.init(core, opened, settings)
    }

    private init(
        _ core: CaptureCore, _ opened: consuming OpenedMicrophone, _ settings: AudioSettings
    ) async throws(CaptureError) {
        let format = AudioFormat(opened.settings)
        let differences = settings.differences(from: format)
        if settings.isStrict, !differences.isEmpty { throw await core.notAsAsked(differences) }
        self.init(
            core, opened.stream, opened.reader, format: format, frameInterval: opened.settings.periodNanoseconds,
            differences: differences)
    }
}

/// A microphone after negotiation.
package struct OpenedMicrophone: ~Copyable, Sendable {
    let core: CaptureCore
    let settings: PCMSettings
    /// What the name has led to; `nil` for the built-in tone.
    var hardware: PCMHardware?
    var stream: CaptureStream
    var reader: AudioRing.Consumer

    static func microphone(_ core: CaptureCore, _ asked: PCMSettings) throws(RealtimeFault) -> OpenedMicrophone {
        let source = try PCMSource(opening: core.device.pcmName ?? "", asked: asked)
        guard DeviceCatalog.isStillAtNode(core.device) else { throw RealtimeFault(.openPCM, result: -ENODEV) }
        let (got, hardware) = (source.settings, source.hardware)
        let capture = try AudioCapture(source, control: core.control, counters: core.counters)
        return OpenedMicrophone(
            core: core, settings: got, hardware: hardware, stream: .microphone(capture.stream), reader: capture.consumer
        )
    }

    static func tone(_ core: CaptureCore, _ asked: AudioSettings) throws(RealtimeFault) -> OpenedMicrophone {
        let source = try TestTone(settings: asked.pcm, claps: asked.claps)
        let got = source.settings
        let capture = try AudioCapture(source, control: core.control, counters: core.counters)
        return OpenedMicrophone(core: core, settings: got, stream: .tone(capture.stream), reader: capture.consumer)
    }
}

extension AudioSettings {
    /// The same as the capture loop calls it.
    fileprivate var pcm: PCMSettings {
        PCMSettings(
            rate: sampleRate ?? 48_000, channels: channels ?? 2, format: (sampleFormat ?? .s16).pcm,
            periodTime: periodTime)
    }

    /// Nanoseconds; 0 where nothing is said.
    private var periodTime: Int64 {
        guard let period else { return 0 }
        return Int64((min(max(period / .seconds(1), 0.001), 1) * 1e9).rounded())
    }
}

extension AudioFormat {
    init(_ settings: PCMSettings) {
        self.init(
            sampleRate: settings.rate, channels: settings.channels, sampleFormat: SampleFormat(settings.format))
    }
}
