import CaptureGate
import Dispatch

/// Records what a permit allows: its microphones and cameras, each one track of the clip.
///
/// The clip starts where all devices deliver. It ends at its duration, to the frame; when it is stopped; or when a
/// device, the gate or the disk ends it. The file is valid then too, and `Clip.end` says why.
///
/// *session-bound*
public struct Recorder: ~Copyable, Sendable {
    private let devices: [OpenDevice]
    private let settings: RecorderSettings
    /// Beside those of the devices: the recorder's, and who finishes, shows and watches.
    private static let threads = 4

    /// Opens every device of a permit and negotiates; nothing is captured yet.
    ///
    /// - Parameters:
    ///   - permit: of microphones at the level `.record` and cameras at `.video`: where one is for less, none is opened.
    ///   - settings: what is wanted of the devices, and how it is stored.
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
            guard let part = permit.take(device.device.id) else { continue }
            do {
                devices.append(try await OpenDevice(part, settings: settings))
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
    ///   - duration: how long the clip becomes; `nil` until the task is cancelled.
    /// - Throws: `.usage`, `.fileExists`, `.inputOutput`; what keeps a file from coming to be.
    public consuming func record(to path: String, for duration: Duration? = nil) async throws(CaptureError) -> Clip {
        let target = try RecordingTarget(.file(path: path))
        return try await record(into: target, for: duration)
    }

    /// Records into a target that was made before.
    ///
    /// - Parameters:
    ///   - target: where the clip goes.
    ///   - others: where it goes as well, each with the tracks that its format can hold. One that fails is told of, and
    ///     does not end the others.
    ///   - duration: how long the clip becomes; where it is not said, the settings decide.
    ///   - control: ends the recording; so does cancelling the task.
    ///   - onEvent: called on the recorder's thread.
    /// - Throws: what keeps a file from coming to be.
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
                            try Self.run(
                                devices, target, others, settings, duration ?? settings.duration, control, onEvent)
                        })
                }
            }
        } onCancel: {
            control.stop()
        }
        for device in devices { await device.close() }
        return try result.get()
    }

    private static func run(
        _ devices: [OpenDevice], _ target: RecordingTarget, _ others: [RecordingTarget],
        _ settings: RecorderSettings, _ duration: Duration?, _ control: RecordingControl,
        _ onEvent: @escaping @Sendable (RecordingEvent) -> Void
    ) throws(CaptureError) -> Clip {
        let timeline = Timeline(duration: duration, silence: settings.untilSilence, onLoss: settings.onLoss)
        let formats = ([target] + others).map(\.format)
        for device in devices {
            for format in formats { try device.adapt(to: format, settings.encoders.videoCodec) }
        }
        let lanes = Self.lanes(
            devices, timeline, settings.sync, constantRate: formats.contains(where: \.hasConstantRate),
            mayLeave: settings.reattach != nil)
        defer {
            for lane in lanes { lane.source.release() }
            timeline.pace = nil
        }
        let preRoll = PreRoll(settings)
        if let preRoll { try prepare(lanes, preRoll, formats, settings.encoders) }
        if let preview = settings.preview, let camera = lanes.lazy.compactMap({ $0 as? VideoLane }).first {
            camera.preview = PreviewSource(camera.writtenTrack, preview) { onEvent(.preview($0)) }
        }
        let writer = try target.writer(
            and: others, lanes.map(\.writtenTrack),
            settings.labels.allowed(by: lanes.compactMap { $0.source.decision }),
            settings.encoders)
        let over = EndOfCapture(control, reattach: settings.reattach)
        over.watch(lanes.compactMap { $0.source.handle })
        for reader in ([target] + others).compactMap(\.reader) { reader.watch { over.look() } }
        let run = RecordingRun(
            lanes: lanes, writer: writer, timeline: timeline, control: control, over: over,
            reattachment: Reattachment(patience: settings.reattach, timeline: timeline),
            finishing: ([target] + others).compactMap(\.finishing), preRoll: preRoll,
            progressInterval: settings.progressInterval, report: onEvent)
        guard let run else {
            writer.discard()
            throw CaptureError(.usage, "A recording needs a microphone or a camera.")
        }
        return try run.run()
    }

    /// Has raw pictures wait as JPEG images where that is all that the clip has of them. Where another format wants the
    /// pictures themselves, they wait as they are.
    private static func prepare(
        _ lanes: [any Lane], _ preRoll: PreRoll, _ formats: [ClipFormat], _ encoders: EncoderSettings
    ) throws(CaptureError) {
        if preRoll.length > 0, formats.allSatisfy({ $0.keepsJPEG(as: encoders.videoCodec) }) {
            for case let camera as VideoLane in lanes { try camera.compress(encoders.mjpeg) }
        }
        try preRoll.check(lanes.map(\.writtenTrack))
    }

    private static func lanes(
        _ devices: [OpenDevice], _ timeline: Timeline, _ sync: SyncClock, constantRate: Bool,
        mayLeave: Bool
    ) -> [any Lane] {
        let microphones = devices.indices.filter { devices[$0].isMicrophone }
        let clock = sync.resolved(cameras: devices.count - microphones.count, microphones: microphones.count)
        return devices.indices.compactMap { index in
            devices[index].lane(
                timeline, SoundRole(clock, isFirst: index == microphones.first), constantRate: constantRate,
                mayLeave: mayLeave)
        }
    }
}
