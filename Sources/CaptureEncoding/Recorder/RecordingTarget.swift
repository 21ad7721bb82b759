import CaptureGate

/// Where a recording goes, made before anybody is asked: a file that exists already and a place that can't be written
/// are told first.
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
    private let output: Locked<ClipOutput?>
    /// Of standard output.
    let reader: OutputReader?

    /// - Parameters:
    ///   - destination: a file, standard output, or nothing.
    ///   - format: by the file's ending where it is not said.
    ///   - replacing: whether an existing file may be replaced.
    ///   - segment: how long each file becomes, where the clip goes into several; of `clip.mkv` they are called
    ///     `clip-0001.mkv`, `clip-0002.mkv` and so on. At least 100 ms.
    ///   - maxBytes: the most a file may have; it ends the recording, or the segment where there are several: there a
    ///     picture much larger than all before it may make a file larger, but not the first one.
    /// - Throws: `.usage` for an unknown ending and for what is out of range, `.fileExists`, `.inputOutput` for a place
    ///   that can't be written.
    public init(
        _ destination: ClipDestination, format: ClipFormat? = nil, replacing: Bool = false, segment: Duration? = nil,
        maxBytes: Int64? = nil
    ) throws(CaptureError) {
        if let format { self.format = format } else { self.format = try ClipFormat(for: destination) }
        try Self.check(segment, maxBytes)
        self.destination = destination
        self.replacing = replacing
        self.segment = segment
        self.maxBytes = maxBytes
        names = segment == nil ? nil : try PartNames(destination)
        finishing = segment == nil ? nil : FinishingQueue()
        if !replacing { try names?.checkFree() }
        let opened = try ClipOutput(opening: names?.place(1) ?? destination, replacing: replacing)
        reader = opened.reader
        output = Locked(opened)
    }

    private static func check(_ segment: Duration?, _ maxBytes: Int64?) throws(CaptureError) {
        if let segment, segment < .milliseconds(100) {
            throw CaptureError(.usage, "A segment lasts at least 100 ms.")
        }
        if let maxBytes, maxBytes < 100_000 {
            throw CaptureError(.usage, "A clip's greatest size is at least 100000 bytes.")
        }
    }

    /// What the file is called until it is finished, of several the last one's pattern; `nil` where there is no file.
    public var partialName: String? {
        guard case .file(let path) = destination else { return nil }
        return ClipOutput.partial(of: names?.pattern ?? path)
    }

    /// Leaves nothing behind: the recording never came to be.
    public func discard() {
        output.withLock { output in
            if var taken = output.take() { taken.discard() }
        }
    }

    /// Once.
    func writer(
        _ tracks: [ClipTrack], _ labels: ClipLabels, _ settings: EncoderSettings
    ) throws(CaptureError) -> any ClipWriter {
        guard let segment, let finishing else {
            let writer = try writer(on: try take(), tracks, labels, settings)
            return maxBytes.map { LimitedWriter(writer, most: $0) } ?? writer
        }
        return try SegmentedWriter(
            format, tracks: tracks, path: destination.description,
            limits: PartLimits(duration: segment.nanoseconds, bytes: maxBytes), finishing: finishing
        ) { [self] (number) throws(CaptureError) in
            try writer(on: try open(number), tracks, labels, settings)
        }
    }

    private func writer(
        on output: consuming ClipOutput, _ tracks: [ClipTrack], _ labels: ClipLabels, _ settings: EncoderSettings
    ) throws(CaptureError) -> any ClipWriter {
        var output = output
        // A file of several makes way for the next before; a little more in one is better than nothing from then on.
        output.limit = segment == nil ? maxBytes : nil
        output.finishing = finishing
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
