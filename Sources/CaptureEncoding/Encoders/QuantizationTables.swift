import CCodecs

/// The steps by which a JPEG's coefficients are divided, at quality 50.
enum QuantizationTables {
    /// - Returns: 64 for brightness and 64 for colour, 1 to 255, scaled to a quality as libjpeg does.
    static func steps(_ quantization: MJPEGParameters.Quantization, quality: Int) -> [UInt8] {
        let percent = quality < 50 ? 5000 / quality : 200 - 2 * quality
        return switch quantization {
        case .even: (0..<128).map { evenStep($0 % 64, percent) }
        case .annexK: (annexKLuma + annexKChroma).map { step((Int($0) * percent + 50) / 100) }
        }
    }

    private static func step(_ value: Int) -> UInt8 { UInt8(min(max(value, 1), 255)) }

    /// By horizontal plus vertical frequency: nearly the same up to the middle, then a little more for each. Of those tried
    /// they took the fewest bytes at equal SSIM, on noisy and on smooth pictures.
    private static let even = [20, 20, 21, 21, 23, 26, 29, 31, 36, 40, 44, 49, 53, 57, 61]

    /// Rounded up or down by the place, so that the steps don't all become another number at the same quality.
    private static func evenStep(_ index: Int, _ percent: Int) -> UInt8 {
        let (x, y) = (index & 7, index >> 3)
        return step((even[x + y] * percent * 128 + (2 * threshold(x, y) + 1) * 100) / 12_800)
    }

    /// Bayer's matrix of 0 to 63.
    private static func threshold(_ x: Int, _ y: Int) -> Int {
        (0..<3).reduce(0) { sum, bit in
            let (column, row) = (x >> bit & 1, y >> bit & 1)
            return sum | ((column ^ row) << 1 | row) << (4 - 2 * bit)
        }
    }

    /// ITU-T T.81, table K.1.
    private static let annexKLuma: [UInt8] = [
        16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29,
        51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121,
        120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
    ]

    /// Table K.2.
    private static let annexKChroma: [UInt8] = [
        17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99,
    ]
}
