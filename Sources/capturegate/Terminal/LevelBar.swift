/// Level as a bar of characters, with a mark at the recent peak.
struct LevelBar {
    let scale: MeterScale

    /// Bar, as many characters as the scale is wide; ASCII, so that it survives any font and encoding.
    func text(_ peakDBFS: Double, hold: PeakHold) -> String {
        // The mark is in the last cell that the peak filled.
        let (filled, mark) = (scale.position(peakDBFS), scale.position(hold.peakDBFS) - 1)
        return (0..<scale.width).map { cell in cell < filled ? "#" : cell == mark ? "|" : "-" }.joined()
    }
}

/// Scale of a level bar: -60 dBFS at its left end, 0 at its right, linear in dB.
///
/// Below -60 dBFS lies background noise; showing it would leave fewer cells for what matters.
struct MeterScale {
    /// Cells of the bar.
    let width: Int

    /// Cells that a level fills, 0…width.
    func position(_ decibels: Double) -> Int {
        Int((min(max(decibels + 60, 0), 60) / 60 * Double(width)).rounded())
    }

    /// Figures below the bar, as wide as it is; the last one is moved left to fit.
    var figures: String {
        var cells = Array(repeating: Character(" "), count: width)
        for decibels in stride(from: -60, through: 0, by: 10) {
            let figure = Array(String(decibels))
            let start = min(position(Double(decibels)), width - figure.count)
            cells.replaceSubrange(start..<start + figure.count, with: figure)
        }
        return String(cells)
    }
}

/// Peak hold: the highest peak of the last two seconds, and a clip mark for five.
///
/// A peak lasts a few milliseconds; without the hold nobody would see it.
struct PeakHold: Sendable {
    /// Held peak in dBFS; -120 means silence.
    private(set) var peakDBFS = -120.0
    /// Time of the held peak, nanoseconds; `nil` before the first reading.
    private var peakTime: Int64?
    /// Time of the last clipping, nanoseconds.
    private var clipTime: Int64?
    /// Time of the last reading, nanoseconds.
    private var now: Int64 = 0

    private static let peakNanoseconds: Int64 = 2_000_000_000
    private static let clipNanoseconds: Int64 = 5_000_000_000

    /// True before the first reading.
    var isNew: Bool { peakTime == nil }
    /// True for five seconds after a sample reached full scale: clipping is rarer than peaks and matters
    /// more.
    var isClipped: Bool { clipTime.map { now - $0 < Self.clipNanoseconds } ?? false }

    /// Takes a reading.
    ///
    /// - Parameters:
    ///   - level: peak in dBFS.
    ///   - isClipped: true if a sample reached full scale.
    ///   - nanoseconds: time of the capture, not of the clock, so that a late view holds as long.
    mutating func update(_ level: Double, isClipped: Bool, at nanoseconds: Int64) {
        now = nanoseconds
        if isClipped { clipTime = nanoseconds }
        let isOver = peakTime.map { nanoseconds - $0 >= Self.peakNanoseconds } ?? true
        guard isOver || level >= peakDBFS else { return }
        peakDBFS = level
        peakTime = nanoseconds
    }
}
