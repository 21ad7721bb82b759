import LinuxSystem

/// A square of brightness that a synthetic picture is cut out of: smooth shades, surfaces with edges, fine texture, and
/// a row of grain. What an encoder finds easy and what it finds hard are both in it, as in a camera's picture.
struct Scenery {
    /// Pixels of a side, a power of two.
    static let side = 512
    static let grainCount = 1 << 14

    private(set) var brightness: [UInt8]
    /// Of a sensor, -8...8.
    private(set) var grain: [Int8]

    init(seed: UInt64) {
        var noise = Noise(seed: seed)
        var sums = [Int](repeating: 0, count: Self.side * Self.side)
        for (cells, height) in [(4, 70), (16, 30), (64, 12), (256, 3)] {
            Self.addShades(to: &sums, cells: cells, height: height, &noise)
        }
        for _ in 0..<60 { Self.addSurface(to: &sums, &noise) }
        brightness = sums.map { UInt8(clamping: 120 + $0) }
        grain = (0..<Self.grainCount).map { _ in Int8(clamping: noise.grain(4)) }
    }

    /// Random heights at the corners of so many cells a side, and straight lines in between.
    private static func addShades(to sums: inout [Int], cells: Int, height: Int, _ noise: inout Noise) {
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

    private static func addSurface(to sums: inout [Int], _ noise: inout Noise) {
        let (width, height) = (8 + noise.next(below: 90), 8 + noise.next(below: 90))
        let (left, top) = (noise.next(below: side - width), noise.next(below: side - height))
        let shade = noise.next(below: 110) - 55
        for y in top..<top + height {
            for x in left..<left + width { sums[y * side + x] += shade }
        }
    }
}
