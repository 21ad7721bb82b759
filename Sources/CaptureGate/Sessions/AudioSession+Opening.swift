import CSystem
import CaptureRealtime
import Gate

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
