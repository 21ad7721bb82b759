import CaptureEncoding
import CaptureGate
import LinuxSystem

/// Output of a recording, a file or a device, made before anybody is asked for a device: a file that exists already and a directory that can't
/// be written are told first.
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

    /// - Parameters:
    ///   - destination: a file, standard output, nothing, or a node that takes pictures, which is opened here.
    ///   - format: of the clip; by the file's ending where it is `nil`.
    ///   - replacing: true where an existing file may be replaced.
    ///   - segment: length of each file of a segmented clip, at least 100 ms; the files of `clip.mkv` are called
    ///     `clip-0001.mkv`, `clip-0002.mkv` and so on; those of `clip-%H%M%S.mkv` by the moment at which they begin. `nil` for
    ///     one file.
    ///   - keep: finished segments that are kept, at least 1: the oldest of this recording is removed. `nil` keeps all.
    ///   - maxBytes: greatest size of a file. It ends the recording or, with segments, the segment: there a video frame much
    ///     larger than all before it may make a file larger, but not the first one.
    ///   - buffer: bytes of the clip that may wait in memory for a slow disk or a reader that pauses; with more, frames are
    ///     lost. 0 lets none wait.
    /// - Throws: `.usage` for an unknown ending and for values out of range, `.fileExists`, `.inputOutput` for a directory
    ///   that can't be written; of a node that takes pictures `.noDevice`, `.busy`, `.notAuthorized`, and `.usage` for one that
    ///   takes none, and for what is about files.
    public init(
        _ destination: ClipDestination, format: ClipFormat? = nil, replacing: Bool = false, segment: Duration? = nil,
        keep: Int? = nil, maxBytes: Int64? = nil, buffer: Int = 64_000_000
    ) throws(CaptureError) {
        if let format { self.format = format } else { self.format = try ClipFormat(for: destination) }
        try Self.check(segment, keep, maxBytes)
        self.destination = destination
        self.replacing = replacing
        self.segment = segment
        self.maxBytes = maxBytes
        self.buffer = buffer
        names = segment == nil ? nil : try PartNames(destination)
        finishing = segment == nil ? nil : FinishingQueue(keep: keep)
        if case .videoOutput(let path) = destination {
            guard maxBytes == nil else {
                throw CaptureError(.usage, "\(destination) is a device, and has no size.")
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
        (finishing, reader) = (nil, nil)
        output = Locked(nil)
    }

    private static func check(_ segment: Duration?, _ keep: Int?, _ maxBytes: Int64?) throws(CaptureError) {
        if let keep, keep < 1 || segment == nil {
            throw CaptureError(
                .usage, segment == nil ? "Only segments can be kept or removed." : "At least one segment is kept.",
                remedies: [Remedy(segment == nil ? "Add --segment and a time, such as 10m." : "Say --keep 1 or more.")])
        }
        if let segment, segment < .milliseconds(100) {
            throw CaptureError(.usage, "A segment lasts at least 100 ms.")
        }
        if let maxBytes, maxBytes < 100_000 {
            throw CaptureError(.usage, "A clip's greatest size is at least 100000 bytes.")
        }
    }

    /// Name of the file until it is finished, or the pattern of the segments' names; `nil` where there is no file.
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
    ///   - tracks: of the clip, as this target gets them.
    ///   - labels: of the clip.
    ///   - settings: of the encoders.
    ///   - moments: at which the frames were captured, for a device.
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
        return try format.writer(on: output, tracks: tracks, labels: labels, settings: settings)
    }

    private func open(_ number: Int) throws(CaptureError) -> ClipOutput {
        guard number > 1, let names else { return try take() }
        return try ClipOutput(opening: names.place(number), replacing: replacing)
    }

    private func take() throws(CaptureError) -> ClipOutput {
        guard let output = output.withLock({ $0.take() }) else {
            throw CaptureError(.usage, "A recording target is for one recording.")
        }
        return output
    }
}

extension RecordingTarget {
    /// Writer for this target and others.
    /// - Parameters:
    ///   - others: may be none.
    ///   - tracks: of the clip.
    ///   - labels: of the clip.
    ///   - settings: of the encoders.
    ///   - moments: at which the frames were captured.
    /// - Throws: as `writer(_:_:_:at:)`; nothing is left behind then.
    func writer(
        and others: [RecordingTarget], _ tracks: [ClipTrack], _ labels: ClipLabels, _ settings: EncoderSettings,
        at moments: CaptureMoments = CaptureMoments()
    ) throws(CaptureError) -> any ClipWriter {
        if others.isEmpty { return try writer(tracks, labels, settings, at: moments) }
        let sharers = sharers(with: others, tracks, settings.videoCodec)
        var compressors: [FrameCompressor?] = []
        var branches: [TeeBranch] = []
        do throws(CaptureError) {
            compressors = try sharers.isEmpty ? [] : Self.compressors(of: tracks, settings.mjpeg)
            let images = zip(tracks, compressors).map { $0.compressed(by: $1) }
            for target in [self] + others {
                let own = sharers.contains { $0 === target } ? images : tracks
                branches.append(try target.branch(own, labels, settings, at: moments, isFirst: target === self))
            }
        } catch {
            for branch in branches { branch.discard() }
            throw error
        }
        guard !sharers.isEmpty else { return TeeWriter(tracks, branches: branches) }
        let sharing = zip([self] + others, branches).filter { pair in sharers.contains { $0 === pair.0 } }.map(\.1)
        let shared = SharedEncoding(compressors, branches: sharing, tracks: tracks)
        return TeeWriter(tracks, branches: branches, shared: shared)
    }

    /// Targets that store JPEG images of a raw track, if several do: with the same parameters, these are the same images.
    private func sharers(
        with others: [RecordingTarget], _ tracks: [ClipTrack], _ codec: VideoCodec
    ) -> [RecordingTarget] {
        let raw = tracks.indices.filter { tracks[$0].isRawVideo }
        let storing = ([self] + others).filter { target in
            let places = target.places(of: tracks, isFirst: target === self)
            return target.format.keepsJPEG(as: codec) && raw.contains { places[$0] != nil }
        }
        let isShared = raw.contains { track in
            storing.count { $0.places(of: tracks, isFirst: $0 === self)[track] != nil } > 1
        }
        return isShared ? storing : []
    }

    private static func compressors(
        of tracks: [ClipTrack], _ parameters: MJPEGParameters
    ) throws(CaptureError) -> [FrameCompressor?] {
        var compressors: [FrameCompressor?] = []
        for track in tracks {
            let format = track.isRawVideo ? track.video : nil
            compressors.append(
                try format.map { (format) throws(CaptureError) in try FrameCompressor(format, parameters) })
        }
        return compressors
    }

    /// Index in this target's clip of each track of the capture; `nil` where the format can't hold it.
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
    ///   - tracks: of the clip, as this target gets them.
    ///   - labels: of the clip.
    ///   - settings: of the encoders.
    ///   - moments: at which the frames were captured.
    ///   - isFirst: true for the clip's own output.
    private func branch(
        _ tracks: [ClipTrack], _ labels: ClipLabels, _ settings: EncoderSettings, at moments: CaptureMoments,
        isFirst: Bool
    ) throws(CaptureError) -> TeeBranch {
        let places = places(of: tracks, isFirst: isFirst)
        let own = zip(tracks, places).compactMap { track, index in index == nil ? nil : track }
        return TeeBranch(
            path: destination.description, writer: try writer(own, labels, settings, at: moments), tracks: places)
    }
}

/// A video node is such an output.
extension VideoOutputNode: FrameOutput {}

extension ClipDestination {
    /// Refuses a device that is captured at the same time: it would be shown its own pictures, and other programs would get
    /// what the camera delivers from the node that was asked about.
    /// - Parameter devices: that are captured.
    /// - Throws: `.usage`.
    package func check(against devices: [Device]) throws(CaptureError) {
        guard case .videoOutput(let path) = self, case .success(let status) = FileStatus.of(path) else { return }
        let same = devices.first { device in
            device.nodes.contains { (try? FileStatus.of($0).get())?.node == status.node }
        }
        guard let same else { return }
        throw CaptureError(
            .usage, "\(path) is the node of \(same.name), which is captured: it can't show its own pictures.",
            remedies: [Remedy("Name another output, or another camera.")])
    }
}

extension ClipFormat {
    /// Checks that a further output of the format can hold any of the tracks, before anybody is asked for a device.
    /// - Parameter kinds: one entry a track.
    /// - Throws: `.usage`.
    public func checkTee(_ kinds: [MediaKind]) throws(CaptureError) {
        if let kind = kinds.first, !kinds.contains(where: self.kinds.contains) { try check([kind]) }
    }

    /// True for formats whose video, if they have any, is stored as JPEG images. Frames that are predicted from one another
    /// must be raw until then.
    func keepsJPEG(as codec: VideoCodec) -> Bool {
        switch self {
        case .mjpeg, .wav, .flac, .opus: true
        case .matroska: codec == .automatic || codec == .mjpeg
        case .mp4: codec == .mjpeg
        case .y4m, .raw, .webm, .nothing, .v4l2: false
        }
    }
}
