import CaptureEncoding
import CaptureGate

/// Assembly of one recording, on the recorder's thread: the tracks of the devices, the writer of the outputs, and the driver.
struct Recording {
    let devices: [OpenDevice]
    /// Outputs, the clip's own first.
    let targets: [RecordingTarget]
    let settings: RecorderSettings
    let control: RecordingControl
    /// True if devices continue to run after the clip.
    let keepsDevices: Bool
    let onEvent: @Sendable (RecordingEvent) -> Void

    init(
        _ devices: [OpenDevice], _ targets: [RecordingTarget], _ settings: RecorderSettings,
        _ control: RecordingControl, keepsDevices: Bool = false,
        onEvent: @escaping @Sendable (RecordingEvent) -> Void
    ) {
        (self.devices, self.targets, self.settings) = (devices, targets, settings)
        (self.control, self.keepsDevices, self.onEvent) = (control, keepsDevices, onEvent)
    }

    private var formats: [ClipFormat] { targets.map(\.format) }

    func run(for duration: Duration?) throws(CaptureError) -> Clip {
        for device in devices {
            for target in targets {
                try target.destination.check(against: [device.device].compactMap(\.self))
                try device.adapt(to: target, settings.encoders.videoCodec, mayConvert: !keepsDevices)
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
            chapterTitles: settings.chapterTitles, keepsDevices: keepsDevices)
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
    /// themselves, they are kept unchanged.
    private func prepare(_ tracks: [any TrackRecorder], _ preRoll: PreRoll) throws(CaptureError) {
        let encoders = settings.encoders
        if preRoll.length > 0, formats.allSatisfy({ $0.keepsJPEG(encoders) }) {
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
        let stop = StopMonitor(control, reattach: settings.reattach, keepsDevices: keepsDevices)
        stop.watch(tracks.compactMap { $0.source.handle })
        for reader in targets.compactMap(\.reader) { reader.watch { stop.look() } }
        return stop
    }
}
