import CaptureGate
import CaptureRecording

/// Pseudorandom numbers, the same in every run (xorshift64*).
struct TestNoise {
    private var state: UInt64

    init(seed: UInt64) { state = seed | 1 }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 2_685_821_657_736_338_717
    }

    /// A number from 0 up to, but not including, the bound.
    mutating func next(below bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % max(bound, 1) }

    /// A number from 0 up to, but not including, 1.
    mutating func unit() -> Double { Double(next(below: 1 << 30)) / Double(1 << 30) }

    /// A number of the standard normal distribution, nearly: the sum of twelve uniform ones, less its mean.
    mutating func normal() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + unit() } }

    /// Sensor noise around 0: the sum of four uniform numbers, with a standard deviation of about `spread` / 2.
    mutating func grain(_ spread: Int) -> Int {
        let bits = next()
        let sum = (0..<4).reduce(0) { $0 + Int(truncatingIfNeeded: bits >> (UInt64($1) * 16) & 0xFFFF) }
        return ((sum - 131_070) * spread + (1 << 15)) >> 16
    }
}

/// Square of brightness from which synthetic frames are cut: smooth shades, surfaces with edges, fine texture, and a row of
/// grain. Like a camera's frame, it has parts that are easy and parts that are hard to encode.
struct TestScene {
    /// Pixels per side, a power of two.
    static let side = 512
    static let grainCount = 1 << 14

    /// Rows of ``side`` bytes, in full range.
    private(set) var brightness: [UInt8]
    /// Noise of a sensor, -8...8.
    private(set) var grain: [Int8]

    init(seed: UInt64) {
        var noise = TestNoise(seed: seed)
        var sums = [Int](repeating: 0, count: Self.side * Self.side)
        for (cells, height) in [(4, 70), (16, 30), (64, 12), (256, 3)] {
            Self.addShades(to: &sums, cells: cells, height: height, &noise)
        }
        // Sharp edges cost a JPEG encoder the most; there are about as many as in a furnished room.
        for _ in 0..<60 { Self.addSurface(to: &sums, &noise) }
        brightness = sums.map { UInt8(clamping: 120 + $0) }
        grain = (0..<Self.grainCount).map { _ in Int8(clamping: noise.grain(4)) }
    }

    /// Adds random heights at the corners of `cells` cells per side, interpolated in between.
    private static func addShades(to sums: inout [Int], cells: Int, height: Int, _ noise: inout TestNoise) {
        let corners = (0..<cells * cells).map { _ in noise.next(below: 2 * height) - height }
        let size = side / cells
        sums.withUnsafeMutableBufferPointer { sums in
            for y in 0..<side {
                let (top, bottom) = (y / size * cells, (y / size + 1) % cells * cells)
                let down = y % size
                for x in 0..<side {
                    let (left, right, along) = (x / size, (x / size + 1) % cells, x % size)
                    let upper = corners[top + left] * (size - along) + corners[top + right] * along
                    let lower = corners[bottom + left] * (size - along) + corners[bottom + right] * along
                    sums[y * side + x] += (upper * (size - down) + lower * down) / (size * size)
                }
            }
        }
    }

    private static func addSurface(to sums: inout [Int], _ noise: inout TestNoise) {
        let (width, height) = (8 + noise.next(below: 90), 8 + noise.next(below: 90))
        let (left, top) = (noise.next(below: side - width), noise.next(below: side - height))
        let shade = noise.next(below: 110) - 55
        for y in top..<top + height {
            for x in left..<left + width { sums[y * side + x] += shade }
        }
    }
}

/// Painter of synthetic frames in the layouts that cameras deliver.
struct PicturePainter {
    private let format: VideoFormat
    private let layout: RawLayout
    private let arrangement: PixelArrangement
    private let scenery: TestScene
    private let seed: UInt64

    /// - Throws: `.usage` for formats without known planes.
    init(_ format: VideoFormat, seed: UInt64) throws(CaptureError) {
        guard let layout = RawLayout(format), let arrangement = PixelArrangement(format.pixelFormat) else {
            throw CaptureError(
                .usage, "A test image of \(format.width)x\(format.height) \(format.pixelFormat) can't be made.",
                remedies: [Remedy("Choose YUYV, NV12, YU12, GREY or RGB3, and an even width.")])
        }
        self.format = format
        self.layout = layout
        self.arrangement = arrangement
        self.seed = seed
        scenery = TestScene(seed: seed)
    }

    /// A frame of the scene, which moves by some pixels from one number to the next and has different grain.
    func picture(number: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 128, count: layout.byteCount)
        // Each frame has its own grain, as that of a sensor changes, too.
        var noise = TestNoise(seed: seed &+ UInt64(truncatingIfNeeded: number) &* 7919 &+ 1)
        bytes.withUnsafeMutableBufferPointer { bytes in
            for (index, plane) in layout.planes.enumerated() {
                for row in 0..<plane.rows {
                    let start = bytes.baseAddress.map { $0 + plane.offset + row * plane.stride }
                    guard let start else { continue }
                    let grain = noise.next(below: TestScene.grainCount)
                    paint(start, count: plane.rowBytes, row: row, plane: index, number: number, grain: grain)
                }
            }
        }
        return bytes
    }

    private func paint(
        _ bytes: UnsafeMutablePointer<UInt8>, count: Int, row: Int, plane: Int, number: Int, grain: Int
    ) {
        let isColour = plane > 0
        let mask = TestScene.side - 1
        let top = ((row * (isColour ? layout.planes[0].rows / layout.planes[plane].rows : 1)) + 2 * number) & mask
        scenery.brightness.withUnsafeBufferPointer { shades in
            scenery.grain.withUnsafeBufferPointer { grains in
                for index in 0..<count {
                    let (x, isChroma) = column(index, isColour)
                    let shade = Int(shades[top << 9 + (x + 3 * number) & mask])
                    let speck = Int(grains[(grain + index) & (TestScene.grainCount - 1)])
                    bytes[index] = isChroma ? Self.chroma(shade, speck, index) : UInt8(clamping: shade + speck)
                }
            }
        }
    }

    /// Column of the scene for a byte, and true for chroma.
    private func column(_ index: Int, _ isColour: Bool) -> (x: Int, isChroma: Bool) {
        switch arrangement {
        case .packed(let y, _, _): (index >> 1, index & 1 != y & 1)
        case .semiplanar: isColour ? (index & ~1, true) : (index, false)
        case .planar: isColour ? (2 * index, true) : (index, false)
        case .grey: (index, false)
        case .deepGrey: (index >> 1, false)
        case .rgb: (index / 3, false)
        }
    }

    /// Colour changes less than brightness, and has less grain.
    private static func chroma(_ shade: Int, _ speck: Int, _ index: Int) -> UInt8 {
        let sign = index & 2 == 0 ? 1 : -1
        return UInt8(clamping: 128 + sign * (shade - 120) / 4 + speck / 4)
    }
}
