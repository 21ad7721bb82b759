import CaptureEncoding
import CaptureGate
import Dispatch

/// Recorder of the devices that a permit allows: its microphones and cameras, each one track of the clip.
///
/// The clip starts where all devices deliver. It ends at its duration, to the frame; when it is stopped; or when a
/// device, the gate or the disk ends it. The file is valid then too, and `Clip.end` gives the reason.
///
/// *session-bound*
public struct Recorder: ~Copyable, Sendable {
    private let devices: [OpenDevice]
    private let settings: RecorderSettings
    /// Threads beside those of the devices: of the recorder, of finishing, of the preview and of the monitor.
    private static let threads = 4

    /// Opens every device of a permit and negotiates; nothing is captured yet.
    ///
    /// - Parameters:
    ///   - permit: of microphones at the level `.record` and cameras at `.video`: where one is for less, none is opened.
    ///   - settings: of the devices and of the clip.
    /// - Throws: as `AudioSession` and `VideoSession`; devices that were opened before are closed again. `.unavailable`
    ///   where the system has not as many threads for it as it takes.
    public init(
        opening permit: consuming Permit, settings: RecorderSettings = RecorderSettings()
    ) async throws(CaptureError) {
        var permit = permit
        try await permit.requireFrames()
        try Provision.checkThreads(permit.devices.count * 3 + Self.threads)
        var devices: [OpenDevice] = []
        for device in permit.devices {
            guard let own = permit.take(device.device.id) else { continue }
            do {
                devices.append(try await OpenDevice(own, settings: settings))
            } catch {
                for device in devices { await device.close() }
                throw error
            }
        }
        self.devices = devices
        self.settings = settings
    }

    /// Records into a new file, in the format its ending names.
    ///
    /// - Parameters:
    ///   - path: ends in `.wav`, `.flac`, `.opus`, `.mkv`, `.mka`, `.mjpeg` or `.y4m`; must not exist.
    ///   - duration: of the clip; `nil` until the task is cancelled.
    /// - Throws: `.usage`, `.fileExists`, `.inputOutput`, where no file came to be.
    public consuming func record(to path: String, for duration: Duration? = nil) async throws(CaptureError) -> Clip {
        let target = try RecordingTarget(.file(path: path))
        return try await record(into: target, for: duration)
    }

    /// Records into a target that was made before.
    ///
    /// - Parameters:
    ///   - target: output of the clip.
    ///   - others: further outputs, each with the tracks that its format can hold. One that fails is told of, and does not
    ///     end the others.
    ///   - duration: of the clip; the settings' where it is `nil`.
    ///   - control: ends the recording; so does cancelling the task.
    ///   - onEvent: called on the recorder's thread.
    /// - Throws: where no file came to be.
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
                            try Recording(devices, [target] + others, settings, control, onEvent)
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

/// Assembly of one recording, on the recorder's thread: the tracks of the devices, the writer of the outputs, and the driver.
private struct Recording {
    let devices: [OpenDevice]
    /// Outputs, the clip's own first.
    let targets: [RecordingTarget]
    let settings: RecorderSettings
    let control: RecordingControl
    let onEvent: @Sendable (RecordingEvent) -> Void

    init(
        _ devices: [OpenDevice], _ targets: [RecordingTarget], _ settings: RecorderSettings,
        _ control: RecordingControl, _ onEvent: @escaping @Sendable (RecordingEvent) -> Void
    ) {
        (self.devices, self.targets, self.settings) = (devices, targets, settings)
        (self.control, self.onEvent) = (control, onEvent)
    }

    private var formats: [ClipFormat] { targets.map(\.format) }

    func run(for duration: Duration?) throws(CaptureError) -> Clip {
        for device in devices {
            for target in targets {
                try target.destination.check(against: [device.device].compactMap(\.self))
                try device.adapt(to: target, settings.encoders.videoCodec)
            }
        }
        let (clip, losses) = (ClipClock(duration: duration), LossLog(settings.onLoss))
        let silence = settings.untilSilence.map(SilenceDetector.init)
        let tracks = tracks(clip, losses, silence)
        let preRoll = PreRoll(settings)
        if let preRoll { try prepare(tracks, preRoll) }
        if let camera = tracks.first(where: { !$0.isAudio })?.track.video {
            clip.cut(onFramesOf: camera.frameRate.frameNanoseconds)
        }
        try showPreview(of: tracks)
        let writer = try writer(for: tracks, at: clip.moments)
        let stop = monitor(tracks)
        let setup = RecordingDriver.Setup(
            tracks: tracks, writer: writer, clip: clip, losses: losses, silence: silence, control: control, stop: stop,
            reattachment: Reattachment(patience: settings.reattach, clip: clip), preRoll: preRoll,
            chapterTitles: settings.chapterTitles)
        let reporter = RecordingReporter(
            tracks, writer: writer, losses: losses, finishing: targets.compactMap(\.finishing),
            interval: settings.progressInterval, report: onEvent)
        guard let driver = RecordingDriver(setup, reporter: reporter) else {
            writer.discard()
            throw CaptureError(.usage, "A recording needs a microphone or a camera.")
        }
        return try driver.run()
    }

    private func tracks(_ clip: ClipClock, _ losses: LossLog, _ silence: SilenceDetector?) -> [any TrackRecorder] {
        let microphones = devices.indices.filter { devices[$0].isMicrophone }
        let clock = settings.sync.resolved(
            cameras: devices.count - microphones.count, microphones: microphones.count)
        let constantRate = formats.contains(where: \.hasConstantRate)
        return devices.indices.compactMap { index -> (any TrackRecorder)? in
            switch devices[index] {
            case .microphone(let owner):
                AudioTrackRecorder(
                    owner, clip, losses, silence: silence,
                    role: SyncRole(clock, isFirst: index == microphones.first))
            case .camera(let owner):
                VideoTrackRecorder(
                    owner, clip, losses, constantRate: constantRate, mayLeave: settings.reattach != nil)
            }
        }
    }

    /// Keeps raw video of the pre-roll as JPEG images if that is all the clip stores of it. If another output needs the frames
    /// themselves, they are kept as they are.
    private func prepare(_ tracks: [any TrackRecorder], _ preRoll: PreRoll) throws(CaptureError) {
        let encoders = settings.encoders
        if preRoll.length > 0, formats.allSatisfy({ $0.keepsJPEG(as: encoders.videoCodec) }) {
            for case let camera as VideoTrackRecorder in tracks { try camera.compress(encoders.mjpeg) }
        }
        try preRoll.check(tracks.map(\.writtenTrack))
    }

    /// - Throws: `.usage` for a camera's own stream, which nothing here decodes.
    private func showPreview(of tracks: [any TrackRecorder]) throws(CaptureError) {
        let camera = tracks.lazy.compactMap { $0 as? VideoTrackRecorder }.first
        guard let preview = settings.preview, let camera else { return }
        if let format = camera.track.video?.pixelFormat, format.isPredicted {
            throw format.cannotBePassed
        }
        let onEvent = onEvent
        camera.preview = PreviewSource(camera.writtenTrack, preview) { onEvent(.preview($0)) }
    }

    private func writer(
        for tracks: [any TrackRecorder], at moments: CaptureMoments
    ) throws(CaptureError) -> any ClipWriter {
        let written = tracks.map(\.writtenTrack)
        let own = Dictionary(uniqueKeysWithValues: settings.conversionOf.map { ($0.key.rawValue, $0.value) })
        return try settings.conversion.writer(for: written, own: own) { stored throws(CaptureError) in
            try targets[0].writer(
                and: Array(targets.dropFirst()), stored,
                settings.labels.allowed(by: tracks.compactMap { $0.source.decision }), settings.encoders, at: moments)
        }
    }

    private func monitor(_ tracks: [any TrackRecorder]) -> StopMonitor {
        let stop = StopMonitor(control, reattach: settings.reattach)
        stop.watch(tracks.compactMap { $0.source.handle })
        for reader in targets.compactMap(\.reader) { reader.watch { stop.look() } }
        return stop
    }
}
