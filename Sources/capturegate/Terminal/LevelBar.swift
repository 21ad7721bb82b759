/// A level as a bar of a terminal, with a mark at the highest of late.
struct LevelBar {
    let scale: MeterScale

    /// As many characters as the scale is wide.
    func text(_ peakDBFS: Double, hold: PeakHold) -> String {
        let (filled, mark) = (scale.position(peakDBFS), scale.position(hold.peakDBFS) - 1)
        return (0..<scale.width).map { cell in cell < filled ? "#" : cell == mark ? "|" : "-" }.joined()
    }
}

/// Where a level stands in a bar: -60 dBFS at its left end, 0 at its right.
struct MeterScale {
    let width: Int

    /// How many cells a level fills, 0…width.
    func position(_ decibels: Double) -> Int {
        Int((min(max(decibels + 60, 0), 60) / 60 * Double(width)).rounded())
    }

    /// The figures below the bar, as wide as it is.
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

/// The highest peak of the last two seconds, and whether it clipped in the last five.
struct PeakHold: Sendable {
    private(set) var peakDBFS = -120.0
    private var peakTime: Int64?
    private var clipTime: Int64?
    private var now: Int64 = 0

    private static let peakNanoseconds: Int64 = 2_000_000_000
    private static let clipNanoseconds: Int64 = 5_000_000_000

    var isNew: Bool { peakTime == nil }
    var isClipped: Bool { clipTime.map { now - $0 < Self.clipNanoseconds } ?? false }

    mutating func update(_ level: Double, isClipped: Bool, at nanoseconds: Int64) {
        now = nanoseconds
        if isClipped { clipTime = nanoseconds }
        let isOver = peakTime.map { nanoseconds - $0 >= Self.peakNanoseconds } ?? true
        guard isOver || level >= peakDBFS else { return }
        peakDBFS = level
        peakTime = nanoseconds
    }
}
