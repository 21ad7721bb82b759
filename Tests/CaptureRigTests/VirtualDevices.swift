@testable import CaptureRig

/// What a device's timestamps are off.
struct VirtualNoise {
    /// Standard deviation in ns.
    var sigma = 0.0
    /// How many in a row are off by the same: a busy machine delays several.
    var burst = 1
    private var numbers: SeededGenerator
    private var left = 0
    private var error = 0.0

    init(sigma: Double = 0, burst: Int = 1, seed: UInt64) {
        (self.sigma, self.burst, numbers) = (sigma, burst, SeededGenerator(seed: seed))
    }

    mutating func next() -> Double {
        guard sigma > 0 else { return 0 }
        if left == 0 { (left, error) = (burst, sigma * numbers.normal()) }
        left -= 1
        return error
    }
}

/// A camera of 30 frames a second that is up for a day.
struct VirtualCamera {
    static let rate = (numerator: 30, denominator: 1)
    static let start: Int64 = 86_400_000_000_000
    /// How much too fast its clock is, in parts per million.
    var ppm = 0.0
    /// Standard deviation of its timestamps in ns.
    var sigma = 0.0
    var burst = 1
    var seed: UInt64 = 1
    /// Share of frames that it drops.
    var drops = 0.0
    /// Whether its numbers show what it dropped, and the ledger with them.
    var isHonest = true

    func frames(_ count: Int) -> [TimedFrame] {
        var (noise, numbers) = (VirtualNoise(sigma: sigma, burst: burst, seed: seed), SeededGenerator(seed: ~seed))
        var (frames, lost, sequence): ([TimedFrame], UInt64, UInt64) = ([], 0, 0)
        for index in 0..<count {
            let time = Double(index) * 1e9 / 30 / (1 + ppm / 1e6) + noise.next()
            if index > 0, numbers.unit() < drops {
                lost += 1
            } else {
                sequence += isHonest ? lost : 0
                frames.append(
                    TimedFrame(
                        sequence: sequence, timestamp: Self.start + Int64(time.rounded()),
                        lostBefore: isHonest ? lost : 0))
                (lost, sequence) = (0, sequence + 1)
            }
        }
        return frames
    }

    func timing(_ count: Int) -> FrameTiming { FrameTiming(frames(count), rate: Self.rate) }
}

/// A microphone of 48,000 audio frames a second.
struct VirtualMicrophone {
    static let rate = (numerator: 48_000, denominator: 1)
    /// How much too fast its clock is, in parts per million.
    var ppm = 0.0
    /// Standard deviation of its timestamps in ns.
    var sigma = 0.0
    var burst = 1
    var seed: UInt64 = 1
    /// Audio frames of a period.
    var size = 480
    /// Its timestamps are whole multiples of this, in ns.
    var tick: Int64 = 1

    func periods(_ count: Int) -> [TimedPeriod] {
        var noise = VirtualNoise(sigma: sigma, burst: burst, seed: seed)
        return (0..<count).map { index in
            let time = Double(index * size) / 48_000 * 1e9 / (1 + ppm / 1e6) + noise.next()
            let stamp = VirtualCamera.start + Int64(time.rounded())
            return TimedPeriod(sequence: UInt64(index * size), timestamp: stamp / tick * tick, frames: size)
        }
    }

    func timing(_ count: Int) -> SoundTiming { SoundTiming(periods(count), rate: Self.rate) }
}

/// Timestamps and numbers that no good device has.
enum HostileNumbers {
    static let stamps: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    static let counts: [UInt64] = [0, 1, UInt64(Int64.max), .max - 1, .max]

    /// Each timestamp with each number, twice in opposite orders.
    static var pairs: [(stamp: Int64, count: UInt64)] {
        let pairs = stamps.flatMap { stamp in counts.map { (stamp, $0) } }
        return pairs + pairs.reversed()
    }
}

extension [Measure] {
    func value(_ name: String) -> Double? { first { $0.name == name }?.value }
}

/// True if a number is as near to another as a tolerance.
func isNear(_ number: Double?, _ expected: Double, by tolerance: Double) -> Bool {
    number.map { abs($0 - expected) <= tolerance } ?? false
}
