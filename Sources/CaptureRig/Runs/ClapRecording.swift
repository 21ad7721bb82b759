import CaptureGate
import CaptureRecording

/// Brightness of each frame of a capture.
///
/// *session-bound*
struct BrightnessRecording: StreamInspector {
    /// Maximum points of a frame to read, across and down: a flash lights all of it.
    private static let points = (across: 32, down: 18)
    /// Least difference of a flash from the usual brightness, of 255.
    private static let least = 16.0
    /// Minimum share of a flash's light for a frame to count as part of it.
    private static let part = 0.1

    private let luma: FrameLuma
    private var pictures: [(time: Int64, brightness: Double)] = []

    /// - Throws: `.usage` for frames that can't be converted to an image.
    init(_ media: ClipTrack.Media) throws(CaptureError) { luma = try FrameLuma(media) }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        guard pictures.count < StreamRecord.most else { return }
        let points = luma.points(of: bytes, columns: Self.points.across, rows: Self.points.down)
        if let points { pictures.append((header.timestamp, points.mean)) }
    }

    /// Times of the first and the last frame; `nil` if none exists.
    var span: ClosedRange<Int64>? {
        guard let first = pictures.first, let last = pictures.last else { return nil }
        return first.time...max(first.time, last.time)
    }

    /// Times at which flashes began, CLOCK_MONOTONIC in ns.
    var flashes: [Int64] {
        guard let usual = TimingSample(pictures.map(\.brightness)), usual.most - usual.median >= Self.least else {
            return []
        }
        let middle = (usual.median + usual.most) / 2
        return pictures.indices.dropFirst().compactMap { index in
            guard pictures[index].brightness >= middle, pictures[index - 1].brightness < middle else { return nil }
            return begin(at: index, usual.median)
        }
    }

    /// Beginning of a flash, from the frame with most of its light.
    ///
    /// The share of its light shows when during the frame it began: exactly for one that lasts for two frames, with an exposure
    /// that is as long as the interval. A shorter flash can't be compared with anything, and began with its frame.
    private func begin(at index: Int, _ usual: Double) -> Int64 {
        let next = index + 1 < pictures.count ? pictures[index + 1].brightness : 0
        let whole = max(pictures[index].brightness, next) - usual
        let before = (pictures[index - 1].brightness - usual) / whole
        let first = before >= Self.part ? index - 1 : index
        let share = (pictures[first].brightness - usual) / whole
        let interval = pictures[index].time.elapsed(since: pictures[index - 1].time)
        return pictures[first].time + Int64((min(max(1 - share, 0), 1) * interval).rounded())
    }
}

extension SoundRecording {
    /// Loudness of a click relative to the loudest of a usual moment, from which on it is one.
    private static let click: Float = 3

    /// Times at which clicks began, CLOCK_MONOTONIC in ns: the first sample of each that is nearer to the loudest one of all
    /// than to the usual peak of 10 ms.
    var clicks: [Int64] {
        let length = max(format.sampleRate / 100, 1)
        guard
            let (samples, peaks) = channels.map({ ($0, Self.peaks($0, length)) }).max(by: { one, other in
                one.1.max() ?? 0 < other.1.max() ?? 0
            })
        else { return [] }
        let usual = peaks.sorted().nearestRank(0.5) ?? 0
        guard let most = peaks.max(), most > 0, most >= Self.click * usual else { return [] }
        let middle = (usual + most) / 2
        var (clicks, last): ([Int64], Int?) = ([], nil)
        for (block, peak) in peaks.enumerated() where peak >= middle {
            defer { last = block }
            // The same click rings for some time.
            if let last, block - last < 30 { continue }
            let samples = samples[block * length..<min((block + 1) * length, samples.count)]
            if let frame = samples.firstIndex(where: { abs($0) >= middle }) { clicks.append(time(of: frame)) }
        }
        return clicks
    }

    /// Largest magnitude of each block of samples.
    private static func peaks(_ samples: [Float], _ length: Int) -> [Float] {
        stride(from: 0, to: samples.count, by: length).map { start in
            samples[start..<min(start + length, samples.count)].reduce(0) { max($0, abs($1)) }
        }
    }
}
