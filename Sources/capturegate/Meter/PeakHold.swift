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
