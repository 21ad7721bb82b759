/// Counter of black and repeated frames of a stream.
///
/// Each frame costs reading up to 64 × 48 of its points: about ten microseconds, for 1080p as for VGA.
///
/// *session-bound*
package struct BlackFrozen: Sendable {
    /// Finding about one frame.
    package struct Finding: Hashable, Sendable {
        /// Mean brightness of the points, 0...255.
        package let luma: Double
        /// True below a mean of 20. 16 is black in video range; the rest is noise and stray light.
        package let isBlack: Bool
        /// True for a repetition of the frame before. Black frames don't count: a closed shutter is no frozen stream.
        package let isFrozen: Bool
        /// Similarity to the frame before; `nil` for the first one, and after a change of size.
        package let similarity: Double?
    }

    /// Most points of a frame that are looked at.
    static let points = (columns: 64, rows: 48)
    private static let blackBelow = 20.0
    private let frozenAbove: Double?
    private var previous: (points: LumaImage, checksum: UInt32?)?
    private var run = 0

    /// Frames that were looked at.
    package private(set) var frames = 0
    package private(set) var blackFrames = 0
    package private(set) var frozenFrames = 0
    /// Length of the longest run of frames that repeat the one before them.
    package private(set) var longestFreeze = 0
    /// Frames with fewer bytes than their format has; they count for nothing else.
    package private(set) var unreadableFrames = 0

    /// True for the mean brightness of a black frame.
    package static func isBlack(_ luma: Double) -> Bool { luma < blackBelow }

    /// Starts without frames.
    ///
    /// - Parameter frozenAbove: similarity from which on a frame counts as repeated, exclusive. `nil` leaves that to the
    ///   checksums alone, which suits a camera before a scene without motion: with little noise, such frames are alike.
    package init(frozenAbove: Double? = 0.985) { self.frozenAbove = frozenAbove }

    /// Adds the next frame.
    ///
    /// - Parameters:
    ///   - frame: bytes of the frame.
    ///   - shape: where the brightness lies.
    ///   - checksum: of all bytes; the same one twice is a repetition, however alike other frames are.
    /// - Returns: `nil` for a frame that has fewer bytes than its shape.
    @discardableResult
    package mutating func add(_ frame: Span<UInt8>, _ shape: LumaShape, checksum: UInt32? = nil) -> Finding? {
        guard let points = LumaImage(frame, shape, columns: Self.points.columns, rows: Self.points.rows) else {
            unreadableFrames += 1
            return nil
        }
        let similarity = previous.flatMap { PictureSimilarity.ssim($0.points, points) }
        let isRepeated = isRepetition(similarity, checksum)
        previous = (points, checksum)
        let luma = points.mean
        let isBlack = Self.isBlack(luma)
        let finding = Finding(luma: luma, isBlack: isBlack, isFrozen: isRepeated && !isBlack, similarity: similarity)
        count(finding)
        return finding
    }

    /// Adds a frame by its bytes only. Its image is not read, and counts as equal to the last one that was.
    mutating func add(checksum: UInt32) -> Finding {
        let luma = previous?.points.mean ?? 0
        let (isBlack, isRepeated) = (Self.isBlack(luma), previous?.checksum == checksum)
        if let points = previous?.points { previous = (points, checksum) }
        let finding = Finding(luma: luma, isBlack: isBlack, isFrozen: isRepeated && !isBlack, similarity: nil)
        count(finding)
        return finding
    }

    private func isRepetition(_ similarity: Double?, _ checksum: UInt32?) -> Bool {
        if let checksum, let last = previous?.checksum, checksum == last { return true }
        guard let frozenAbove, let similarity else { return false }
        return similarity > frozenAbove
    }

    private mutating func count(_ finding: Finding) {
        frames += 1
        if finding.isBlack { blackFrames += 1 }
        if finding.isFrozen { frozenFrames += 1 }
        run = finding.isFrozen ? run + 1 : 0
        longestFreeze = max(longestFreeze, run)
    }

    /// Measures `black` and `frozen` (% of the frames, no frame in both), their sum `black_frozen`, and `frozen_longest`
    /// (frames), without limits. They have no values before the first frame.
    package var measures: [Measure] {
        [
            Measure("black", percent(blackFrames), "%", .lower),
            Measure("frozen", percent(frozenFrames), "%", .lower),
            Measure("black_frozen", percent(blackFrames + frozenFrames), "%", .lower),
            Measure("frozen_longest", frames > 0 ? Double(longestFreeze) : nil, "frames", .lower),
        ]
    }

    private func percent(_ count: Int) -> Double? { frames > 0 ? 100 * Double(count) / Double(frames) : nil }
}
