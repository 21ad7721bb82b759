/// Time in a Matroska segment: ticks of 1/32000 s.
///
/// The finest round scale whose signed 16 bit block offsets still span a cluster of a second. Frames at 25 and 50 a
/// second and milliseconds fall on ticks; all else is off by at most 15.6 µs, and never by more, because every time is
/// rounded on its own.
enum MatroskaTime {
    /// Nanoseconds a tick.
    static let scale: Int64 = 31_250

    /// The nearest tick.
    static func ticks(_ nanoseconds: Int64) -> Int64 { (nanoseconds + scale / 2) / scale }

    /// The time itself where the tick is its nearest one, else the tick's.
    static func nanoseconds(_ nanoseconds: Int64, at tick: Int64) -> Int64 {
        tick == ticks(nanoseconds) ? nanoseconds : self.nanoseconds(atTick: tick)
    }

    static func nanoseconds(atTick tick: Int64) -> Int64 { tick * scale }

    static let second: Int64 = 1_000_000_000 / scale
    /// How long a cluster may be: a recording that is killed loses it, with what was not yet encoded, and that is a second at
    /// most.
    static let longestCluster: Int64 = second * 9 / 10
    /// How long the first cluster may be: a recording killed before it is written can't be read.
    static let firstCluster: Int64 = second / 4
}
