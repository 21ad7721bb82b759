import CaptureBase
import LinuxSystem

/// Resampler that reads audio between its samples, at a rate that may change at any time: a polyphase windowed sinc.
///
/// Libraries begin with a delay and a low-pass even at a ratio of 1, so they can't take over in the middle of audio that was
/// passed on bit by bit. Here a ratio of 1 changes nothing, and the seam is continuous.
package struct Resampler {
    private let channels: Int
    private let codec: SampleCodec
    private let table = SincTable()
    /// Interleaved samples, from `SincTable.half - 1` frames before the position on.
    private var frames: [Double] = []
    /// Position of the next output frame in `frames`.
    private var place = Double(SincTable.half)
    /// Number of input frames; silence may follow them at the end.
    private var end = SincTable.half
    /// Coefficients of the current position; a member, so that a frame allocates nothing.
    private var row = [Double](repeating: 0, count: SincTable.taps)

    package init(_ format: AudioFormat) {
        channels = format.channels
        codec = SampleCodec(format: format.sampleFormat)
        frames = [Double](repeating: 0, count: SincTable.half * format.channels)
    }

    /// Input frames without output so far.
    package var pending: Double { Double(end) - place }

    /// Begins after the last `SincTable.half` frames that were passed on.
    package mutating func begin(after history: RawSpan) {
        frames.removeAll(keepingCapacity: true)
        history.withUnsafeBytes { codec.decode($0, into: &frames) }
        end = SincTable.half
        place = Double(end)
    }

    package mutating func push(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { codec.decode($0, into: &frames) }
        end = frames.count / channels
    }

    /// Ends the input: all remaining frames can go out, as if silence followed.
    package mutating func pushEnd() {
        frames.append(contentsOf: repeatElement(0, count: SincTable.half * channels))
    }

    /// Takes out the frames whose neighbours are known.
    ///
    /// - Parameters:
    ///   - step: distance between two output frames, in input frames.
    ///   - most: maximum number of frames.
    ///   - bytes: receives exactly the frames.
    /// - Returns: number of frames.
    package mutating func pull(step: Double, most: Int, into bytes: inout [UInt8]) -> Int {
        let size = channels * codec.format.bytesPerSample
        let known = frames.count / channels - SincTable.half
        let limit = Double(min(known, end))
        var count = min(max(0, Int(((limit - place) / step).rounded(.up))), most)
        // The division may have rounded up by one frame, some of whose neighbours are missing.
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

    /// Interpolates the coefficients of a position from the table's.
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
                // Two sums, so that an addition need not wait for the previous one.
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

    /// Drops the samples that the next frame does not need.
    private mutating func forget() {
        let first = Int(place) - SincTable.half + 1
        guard first > 0 else { return }
        let gone = min(first, frames.count / channels)
        frames.removeFirst(gone * channels)
        place -= Double(gone)
        end -= gone
    }
}

/// Coefficients for audio between its samples: a sinc under a Kaiser window, for a grid of positions.
///
/// At a whole position one coefficient is 1 and the others are 0, so samples there are unchanged.
package struct SincTable {
    /// Samples before the position, and after it.
    package static let half = 40
    package static let taps = 2 * half
    /// Positions between two samples; coefficients between these are interpolated, with an error of less than -128 dB.
    package static let places = 2048
    /// Shape of the window: side lobes of -125 dB; flat to 0.9 of half the sample rate.
    private static let window = KaiserWindow(beta: 12.8)

    /// One row for each position, and one more for the next sample.
    private(set) package var rows: [Double]

    package init() {
        rows = [Double](repeating: 0, count: (Self.places + 1) * Self.taps)
        for place in 0...Self.places { fill(place) }
    }

    private mutating func fill(_ place: Int) {
        let fraction = Double(place) / Double(Self.places)
        let row = place * Self.taps
        var sum = 0.0
        for tap in 0..<Self.taps {
            let value = Self.coefficient(Double(tap - Self.half + 1) - fraction)
            rows[row + tap] = value
            sum += value
        }
        // A constant signal is unchanged at each position.
        for tap in 0..<Self.taps { rows[row + tap] /= sum }
    }

    private static func coefficient(_ distance: Double) -> Double {
        // Exact at whole positions: sine() of a multiple of π is not 0 in floating point.
        if distance == 0 { return 1 }
        if distance == distance.rounded() { return 0 }
        let edge = distance / Double(half)
        return sine(Double.pi * distance) / (Double.pi * distance) * window.value(at: edge)
    }
}

/// Codec between samples in memory and numbers in the samples' own units, which keeps whole numbers exact.
package struct SampleCodec {
    package let format: SampleFormat

    /// Appends samples as numbers.
    package func decode(_ bytes: UnsafeRawBufferPointer, into numbers: inout [Double]) {
        let size = format.bytesPerSample
        for offset in stride(from: 0, to: bytes.count - size + 1, by: size) {
            numbers.append(number(bytes, offset))
        }
    }

    private func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Double {
        switch format {
        case .s16: Double(bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
        case .s24Packed:
            Double(
                Int32(bytes[offset]) | Int32(bytes[offset + 1]) << 8
                    | Int32(Int8(bitPattern: bytes[offset + 2])) << 16)
        case .s24: Double(bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self) << 8) / 256
        case .s32: Double(bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        case .float32: Double(bytes.loadUnaligned(fromByteOffset: offset, as: Float.self))
        }
    }

    /// Stores a number rounded to the nearest, limited to full scale.
    package func encode(_ number: Double, at offset: Int, in bytes: UnsafeMutableRawBufferPointer) {
        switch format {
        case .s16: bytes.storeBytes(of: Int16(whole(number, 32_767)), toByteOffset: offset, as: Int16.self)
        case .s24Packed:
            let value = Int32(whole(number, 8_388_607))
            bytes[offset] = UInt8(truncatingIfNeeded: value)
            bytes[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
            bytes[offset + 2] = UInt8(truncatingIfNeeded: value >> 16)
        case .s24: bytes.storeBytes(of: Int32(whole(number, 8_388_607)), toByteOffset: offset, as: Int32.self)
        case .s32: bytes.storeBytes(of: Int32(whole(number, 2_147_483_647)), toByteOffset: offset, as: Int32.self)
        case .float32: bytes.storeBytes(of: Float(number), toByteOffset: offset, as: Float.self)
        }
    }

    /// Stores numbers in a row, as `encode(_:at:in:)` does; the format is looked at once.
    func encode(_ numbers: UnsafeBufferPointer<Double>, into bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        switch format {
        case .s16:
            let target = start.assumingMemoryBound(to: Int16.self)
            for index in numbers.indices { target[index] = Int16(whole(numbers[index], 32_767)) }
        case .s24Packed:
            for index in numbers.indices { encode(numbers[index], at: 3 &* index, in: bytes) }
        case .s24, .s32:
            let most = format.fullScale - 1
            let target = start.assumingMemoryBound(to: Int32.self)
            for index in numbers.indices { target[index] = Int32(whole(numbers[index], most)) }
        case .float32:
            let target = start.assumingMemoryBound(to: Float.self)
            for index in numbers.indices { target[index] = Float(numbers[index]) }
        }
    }

    private func whole(_ number: Double, _ most: Double) -> Double {
        // Not with min, max and `rounded()`, which are generic and allocate without the optimizer.
        let rounded = number.rounded(.toNearestOrAwayFromZero)
        if rounded > most { return most }
        return rounded < -most - 1 ? -most - 1 : rounded
    }
}
