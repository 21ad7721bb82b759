import CaptureEncoding
import CaptureGate
import LinuxSystem

/// Output of a recording: a file or a device. Create it before the operation asks for a device, so that an existing file or a
/// read-only directory is reported first.
///
/// *thread-safe*
public final class RecordingTarget: Sendable {
    public let format: ClipFormat
    let finishing: FinishingQueue?
    let destination: ClipDestination
    private let replacing: Bool
    private let names: PartNames?
    private let segment: Duration?
    private let maxBytes: Int64?
    private let buffer: Int
    private let output: Locked<ClipOutput?>
    /// Reader of standard output; `nil` for a file.
    let reader: OutputReader?
    /// Device that shows the frames; `nil` for files and streams.
    private let device: (any FrameOutput)?
    /// Writer of the format's files, if it is the program's own.
    private let container: OwnContainer?

    /// - Parameters:
    ///   - destination: a file, standard output, nothing, or a node that accepts frames, which is opened here.
    ///   - format: format of the clip; `nil` chooses it by the file's ending.
    ///   - container: the program's own container, in place of a format; `nil` for none.
    ///   - replacing: true if an existing file may be replaced.
    ///   - segment: length of each file of a segmented clip, at least 100 ms. The files of `clip.mkv` are called `clip-0001.mkv`,
    ///     `clip-0002.mkv` and so on; those of `clip-%H%M%S.mkv` are named by their time of beginning. `nil` for one file.
    ///   - keep: number of finished segments to keep, at least 1: the oldest of this recording is removed. `nil` keeps all.
    ///   - maxBytes: maximum size of a file. It ends the recording or, with segments, the segment: there a video frame much larger
    ///     than all before it may make a file larger, but not the first one.
    ///   - buffer: bytes of the clip that may wait in memory for a slow disk or a reader that pauses; beyond that, frames are
    ///     lost. 0 for no buffer.
    /// - Throws: `.usage` for an unknown ending and for values out of range, `.fileExists`, `.inputOutput` for a directory that
    ///   can't be written; for a node `.noDevice`, `.busy`, `.notAuthorized`, and `.usage` if it accepts no frames, or for a
    ///   setting about files.
    public init(
        _ destination: ClipDestination, format: ClipFormat? = nil, container: OwnContainer? = nil,
        replacing: Bool = false, segment: Duration? = nil, keep: Int? = nil, maxBytes: Int64? = nil,
        buffer: Int = 64_000_000
    ) throws(CaptureError) {
        if container != nil {
            self.format = .own
        } else if let format {
            self.format = format
        } else {
            self.format = try ClipFormat(for: destination)
        }
        self.container = container
        try Self.check(segment, keep, maxBytes)
        self.destination = destination
        self.replacing = replacing
        self.segment = segment
        self.maxBytes = maxBytes
        self.buffer = buffer
        names = segment == nil ? nil : try PartNames(destination)
        finishing = segment == nil ? nil : FinishingQueue(keep: keep)
        if case .videoOutput(let path) = destination {
            guard maxBytes == nil, container == nil else {
                throw CaptureError(.usage, "\(destination) is a device, so it has no maximum size and no container.")
            }
            device = try VideoOutputNode(opening: path)
            reader = nil
            output = Locked(nil)
            return
        }
        device = nil
        if !replacing { try names?.checkFree() }
        let opened = try ClipOutput(opening: names?.place(1) ?? destination, replacing: replacing)
        reader = opened.reader
        output = Locked(opened)
    }

    /// Target that shows frames by a device.
    /// - Parameter device: not begun.
    init(_ device: any FrameOutput) {
        self.device = device
        format = .v4l2
        destination = .videoOutput(path: device.path)
        (replacing, names, segment, maxBytes, buffer) = (false, nil, nil, nil, 0)
        (finishing, reader, container) = (nil, nil, nil)
        output = Locked(nil)
    }

    private static func check(_ segment: Duration?, _ keep: Int?, _ maxBytes: Int64?) throws(CaptureError) {
        if let keep, keep < 1 || segment == nil {
            throw CaptureError(
                .usage, segment == nil ? "--keep needs --segment." : "--keep must be at least 1.",
                remedies: [
                    Remedy(segment == nil ? "Add --segment and a time, such as 10m." : "Choose --keep 1 or more.")
                ])
        }
        if let segment, segment < .milliseconds(100) {
            throw CaptureError(.usage, "A segment must be at least 100 ms long.")
        }
        if let maxBytes, maxBytes < 100_000 {
            throw CaptureError(.usage, "The maximum size must be at least 100000 bytes.")
        }
    }

    /// Name of the file until it is finished, or the pattern of the segments' names; `nil` without a file.
    public var partialName: String? {
        guard case .file(let path) = destination else { return nil }
        return ClipOutput.partial(of: names?.pattern ?? path)
    }

    /// Removes the output of a recording that never came to be.
    public func discard() {
        device?.end(isNormal: false)
        output.withLock { output in
            if var taken = output.take() { taken.discard() }
        }
    }

    /// True if the frames of a camera can be had as they come, without libv4lconvert.
    /// - Parameters:
    ///   - format: of the camera's frames.
    ///   - codec: of the clip.
    func takes(_ format: VideoFormat, as codec: VideoCodec) -> Bool {
        device?.takes(format) ?? self.format.takes(format, as: codec)
    }

    /// Writer for the tracks. Call it once.
    /// - Parameters:
    ///   - tracks: tracks of the clip, as this target gets them.
    ///   - labels: labels of the clip.
    ///   - settings: settings of the encoders.
    ///   - moments: times at which the frames were captured, for a device.
    func writer(
        _ tracks: [ClipTrack], _ labels: ClipLabels, _ settings: EncoderSettings,
        at moments: CaptureMoments = CaptureMoments()
    ) throws(CaptureError) -> any ClipWriter {
        if let device { return try FrameOutputWriter(device, tracks: tracks, moments: moments) }
        guard let segment, let finishing else {
            let writer = try writer(on: try take(), tracks, labels, settings)
            return maxBytes.map { LimitedWriter(writer, most: $0) } ?? writer
        }
        return try SegmentedWriter(
            format, tracks: tracks, path: destination.description,
            limits: SegmentLimits(duration: segment.nanoseconds, bytes: maxBytes), finishing: finishing
        ) { [self] (number) throws(CaptureError) in
            try writer(on: try open(number), tracks, labels, settings)
        }
    }

    private func writer(
        on output: consuming ClipOutput, _ tracks: [ClipTrack], _ labels: ClipLabels, _ settings: EncoderSettings
    ) throws(CaptureError) -> any ClipWriter {
        var output = output
        // A segment ends before the limit; a little more in one is better than nothing from then on.
        output.limit = segment == nil ? maxBytes : nil
        output.finishing = finishing
        try output.buffer(buffer)
        if let container {
            return try container.writer(on: output, tracks: tracks, labels: labels, settings: settings)
        }
        return try format.writer(on: output, tracks: tracks, labels: labels, settings: settings)
    }

    private func open(_ number: Int) throws(CaptureError) -> ClipOutput {
        guard number > 1, let names else { return try take() }
        return try ClipOutput(opening: names.place(number), replacing: replacing)
    }

    private func take() throws(CaptureError) -> ClipOutput {
        guard let output = output.withLock({ $0.take() }) else {
            throw CaptureError(.usage, "A recording target can be used only once.")
        }
        return output
    }
}

extension RecordingTarget {
    /// Writer for this target and others.
    /// - Parameters:
    ///   - others: may be empty.
    ///   - tracks: tracks of the clip.
    ///   - labels: labels of the clip.
    ///   - settings: settings of the encoders.
    ///   - moments: times at which the frames were captured.
    /// - Throws: as `writer(_:_:_:at:)`; nothing is left behind then.
    func writer(
        and others: [RecordingTarget], _ tracks: [ClipTrack], _ labels: ClipLabels, _ settings: EncoderSettings,
        at moments: CaptureMoments = CaptureMoments()
    ) throws(CaptureError) -> any ClipWriter {
        if others.isEmpty { return try writer(tracks, labels, settings, at: moments) }
        let targets = [self] + others
        let places = targets.map { $0.places(of: tracks, isFirst: $0 === self) }
        let codecs = targets.map { $0.sharedCodec(settings) }
        var branches: [TeeBranch] = []
        var shared: [SharedEncoding] = []
        do throws(CaptureError) {
            var encoders: [VideoCodec: SharedEncoders] = [:]
            for codec in VideoCodec.allCases {
                let stored = zip(codecs, places).filter { $0.0 == codec }.map(\.1)
                encoders[codec] = try Self.encoders(of: tracks, stored, codec, settings)
            }
            for (target, (codec, places)) in zip(targets, zip(codecs, places)) {
                let own = codec.flatMap { encoders[$0] }?.coded(tracks) ?? tracks
                branches.append(try target.branch(own, places, labels, settings, at: moments))
            }
            for codec in VideoCodec.allCases {
                guard let encoders = encoders[codec] else { continue }
                let storing = zip(codecs, branches).filter { $0.0 == codec }.map(\.1)
                shared.append(SharedEncoding(encoders, branches: storing))
            }
        } catch {
            for branch in branches { branch.discard() }
            throw error
        }
        return TeeWriter(tracks, branches: branches, shared: shared)
    }

    /// Codec whose packets this target may share with others.
    ///
    /// A segment begins with a key frame, which other outputs do not have there. So only images can be shared then.
    private func sharedCodec(_ settings: EncoderSettings) -> VideoCodec? {
        let codec = format.videoCodec(settings)
        return segment == nil || codec == .mjpeg ? codec : nil
    }

    /// Encoders of the tracks that targets store in one codec.
    /// - Parameters:
    ///   - tracks: of the capture.
    ///   - stored: places of the tracks in each of the targets.
    ///   - codec: of the targets.
    ///   - settings: of the encoders.
    /// - Returns: `nil` if no two targets store the same track.
    private static func encoders(
        of tracks: [ClipTrack], _ stored: [[Int?]], _ codec: VideoCodec, _ settings: EncoderSettings
    ) throws(CaptureError) -> SharedEncoders? {
        let uses = tracks.indices.map { track in
            codec.encodes(tracks[track]) ? stored.count { $0[track] != nil } : 0
        }
        guard uses.contains(where: { $0 > 1 }) else { return nil }
        var settings = settings
        settings.videoCodec = codec
        return try SharedEncoders(zip(tracks, uses).map { track, uses in uses > 0 ? track : nil }, settings)
    }

    /// Index in this target's clip of each track of the capture; `nil` if the format can't hold it.
    /// - Parameter isFirst: true for the clip's own output, which must hold all tracks.
    private func places(of tracks: [ClipTrack], isFirst: Bool) -> [Int?] {
        var count = 0
        return tracks.map { track -> Int? in
            guard isFirst || format.kinds.contains(track.kind) && (count == 0 || format.holdsSeveral) else {
                return nil
            }
            defer { count += 1 }
            return count
        }
    }

    /// - Parameters:
    ///   - tracks: of the capture, as this target gets them.
    ///   - places: of the tracks in its clip.
    ///   - labels: of the clip.
    ///   - settings: of the encoders.
    ///   - moments: at which the frames were captured.
    private func branch(
        _ tracks: [ClipTrack], _ places: [Int?], _ labels: ClipLabels, _ settings: EncoderSettings,
        at moments: CaptureMoments
    ) throws(CaptureError) -> TeeBranch {
        let own = zip(tracks, places).compactMap { track, index in index == nil ? nil : track }
        return TeeBranch(
            path: destination.description, writer: try writer(own, labels, settings, at: moments), tracks: places)
    }
}

/// A video node is such an output.
extension VideoOutputNode: FrameOutput {}

extension ClipDestination {
    /// Refuses a device that is captured at the same time: it would be shown its own frames, and the node would give other
    /// programs the frames of the camera.
    /// - Parameter devices: captured devices.
    /// - Throws: `.usage`.
    package func check(against devices: [Device]) throws(CaptureError) {
        guard case .videoOutput(let path) = self, case .success(let status) = FileStatus.of(path) else { return }
        let same = devices.first { device in
            device.nodes.contains { (try? FileStatus.of($0).get())?.node == status.node }
        }
        guard let same else { return }
        throw CaptureError(
            .usage, "\(path) is the camera \(same.name) itself, which can't be its own output.",
            remedies: [Remedy("Choose another output or another camera.")])
    }
}

extension ClipFormat {
    /// Checks that a further output of the format can hold any of the tracks, before anybody is asked for a device.
    /// - Parameter kinds: one entry per track.
    /// - Throws: `.usage`.
    public func checkTee(_ kinds: [MediaKind]) throws(CaptureError) {
        if let kind = kinds.first, !kinds.contains(where: self.kinds.contains) { try check([kind]) }
    }
}
