import CaptureGate

/// Reads sound at places between its samples, at a pace that may change at any time: a polyphase windowed sinc.
///
/// It is our own, since the libraries' begin with a delay and a low-pass that are there even at a ratio of 1, and so can't
/// take over in the middle of sound that was passed on bit by bit: here the pace 1 changes nothing, and what follows is
/// continuous.
struct Resampler {
    private let channels: Int
    private let codec: SampleCodec
    private let table = SincTable()
    /// Interleaved, from `SincTable.half - 1` frames before the place on.
    private var frames: [Double] = []
    /// Of the next frame that goes out, in `frames`.
    private var place = Double(SincTable.half)
    /// Frames that came in: behind them there may be silence that stands for what comes no more.
    private var end = SincTable.half
    private var row = [Double](repeating: 0, count: SincTable.taps)

    init(_ format: AudioFormat) {
        channels = format.channels
        codec = SampleCodec(format: format.sampleFormat)
        frames = [Double](repeating: 0, count: SincTable.half * format.channels)
    }

    /// Frames that came in and have not gone out.
    var pending: Double { Double(end) - place }

    /// Begins with what went before: `SincTable.half` frames.
    mutating func begin(after history: RawSpan) {
        frames.removeAll(keepingCapacity: true)
        history.withUnsafeBytes { codec.decode($0, into: &frames) }
        end = SincTable.half
        place = Double(end)
    }

    mutating func push(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { codec.decode($0, into: &frames) }
        end = frames.count / channels
    }

    /// Nothing follows: what came in can all go out, as if silence followed.
    mutating func pushEnd() {
        frames.append(contentsOf: repeatElement(0, count: SincTable.half * channels))
    }

    /// Takes out what can be told.
    ///
    /// - Parameters:
    ///   - step: from one frame that goes out to the next, in frames that came in.
    ///   - most: frames.
    ///   - bytes: gets the frames, and no more.
    /// - Returns: how many.
    mutating func pull(step: Double, most: Int, into bytes: inout [UInt8]) -> Int {
        let size = channels * codec.format.bytesPerSample
        let known = frames.count / channels - SincTable.half
        let limit = Double(min(known, end))
        var count = min(max(0, Int(((limit - place) / step).rounded(.up))), most)
        // The division may have rounded up.
        while count > 0, place + Double(count - 1) * step >= limit { count -= 1 }
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: repeatElement(0, count: count * size))
        bytes.withUnsafeMutableBytes { bytes in
            for number in 0..<count { write(number, at: place + Double(number) * step, in: bytes) }
        }
        place += Double(count) * step
        forget()
        return count
    }

    private mutating func write(_ number: Int, at place: Double, in bytes: UnsafeMutableRawBufferPointer) {
        let whole = Int(place)
        interpolate(place - Double(whole))
        let first = (whole - SincTable.half + 1) * channels
        let size = codec.format.bytesPerSample
        for channel in 0..<channels {
            codec.encode(sum(from: first + channel), at: (number * channels + channel) * size, in: bytes)
        }
    }

    /// The coefficients of a place, between those of the table.
    private mutating func interpolate(_ fraction: Double) {
        let scaled = fraction * Double(SincTable.places)
        let index = Int(scaled)
        let share = scaled - Double(index)
        let low = index * SincTable.taps
        table.rows.withUnsafeBufferPointer { table in
            row.withUnsafeMutableBufferPointer { row in
                for tap in 0..<SincTable.taps {
                    let first = low &+ tap
                    row[tap] = table[first] + share * (table[first &+ SincTable.taps] - table[first])
                }
            }
        }
    }

    private func sum(from first: Int) -> Double {
        frames.withUnsafeBufferPointer { frames in
            row.withUnsafeBufferPointer { row in
                var (even, odd) = (0.0, 0.0)
                var at = first
                for tap in stride(from: 0, to: SincTable.taps, by: 2) {
                    even += row[tap] * frames[at]
                    odd += row[tap &+ 1] * frames[at &+ channels]
                    at &+= 2 &* channels
                }
                return even + odd
            }
        }
    }

    /// Keeps what is needed for the next frame.
    private mutating func forget() {
        let first = Int(place) - SincTable.half + 1
        guard first > 0 else { return }
        let gone = min(first, frames.count / channels)
        frames.removeFirst(gone * channels)
        place -= Double(gone)
        end -= gone
    }
}
