import Testing

@testable import CaptureGate

/// Each format's bytes are laid down here by what Linux's documentation and headers say of it, and the colours expected
/// are computed here.
@Suite("what is converted to R, G and B")
struct PictureConverterTests {
    /// - Returns: nothing where the picture is refused.
    private func converted(_ code: String, _ width: Int, _ height: Int, _ bytes: [UInt8]) throws -> [UInt8] {
        let format = VideoFormat(
            width: width, height: height, pixelFormat: try #require(PixelFormat(code)),
            frameRate: try #require(FrameRate(30)), bytesPerLine: 0, planeBytesPerLine: [0])
        let converter = try #require(PictureConverter(format))
        return Array(converter.convert(bytes.span.bytes))
    }

    private func isTaken(_ code: String, _ width: Int, _ height: Int) throws -> Bool {
        let format = VideoFormat(
            width: width, height: height, pixelFormat: try #require(PixelFormat(code)),
            frameRate: try #require(FrameRate(30)), bytesPerLine: 0, planeBytesPerLine: [0])
        return PictureConverter(format) != nil
    }

    // MARK: RGB and grey

    @Test(
        "four bytes a pixel, each pixel another",
        arguments: [
            ("BGR4", [2, 1, 0]), ("XR24", [2, 1, 0]), ("AR24", [2, 1, 0]), ("RGB4", [1, 2, 3]), ("BX24", [1, 2, 3]),
            ("BA24", [1, 2, 3]),
        ] as [(String, [Int])])
    func colours(_ code: String, _ places: [Int]) throws {
        let bytes = (0..<16 * 8 * 4).map { UInt8(truncatingIfNeeded: $0 * 37 + $0 / 256) }
        let expected = (0..<16 * 8).flatMap { pixel in places.map { bytes[4 * pixel + $0] } }
        #expect(try converted(code, 16, 8, bytes) == expected)
    }

    @Test("16 bits are five of red, six of green and five of blue, low byte first")
    func highColour() throws {
        let pixels = (0..<128).map { UInt16(truncatingIfNeeded: $0 * 40_503) }
        let bytes = pixels.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let expected = pixels.flatMap { pixel in
            [UInt8(pixel >> 11) << 3, UInt8((pixel >> 5) & 63) << 2, UInt8(pixel & 31) << 3]
        }
        #expect(try converted("RGBP", 16, 8, bytes) == expected)
    }

    @Test("greys of 10 bits are one stream of bits, highest first, and lose their last two")
    func packedGrey() throws {
        let greys = (0..<128).map { $0 * 8 + $0 % 4 }
        let bits: [Int] = greys.flatMap { grey in (0..<10).map { (grey >> (9 - $0)) & 1 } }
        let bytes: [UInt8] = stride(from: 0, to: bits.count, by: 8).map { at in
            UInt8(bits[at..<at + 8].reduce(0) { 2 * $0 + $1 })
        }
        #expect(try converted("Y10B", 16, 8, bytes) == greys.flatMap { [UInt8](repeating: UInt8($0 >> 2), count: 3) })
    }

    @Test("greys of 4 and 6 bits reach from black to white", arguments: [("Y04", 15), ("Y06", 63)])
    func fewGreys(_ code: String, _ white: Int) throws {
        let greys = (0..<128).map { $0 % (white + 1) }
        let expected = greys.flatMap { grey in
            [UInt8](repeating: UInt8((Double(grey) * 255 / Double(white)).rounded()), count: 3)
        }
        #expect(try converted(code, 16, 8, greys.map { UInt8($0) }) == expected)
        #expect(expected.max() == 255)
    }

    // MARK: Bayer

    /// How a sample of eight bits is written, with all bits below it set.
    enum Packing: Sendable {
        /// Four high bytes, then their low bits.
        case packed
        case wide(Int)
        /// One byte each, of a line the even columns first; the picture is 32 wide.
        case halves

        func bytes(_ samples: [UInt8]) -> [UInt8] {
            switch self {
            case .halves:
                (0..<samples.count).map { at in samples[at / 32 * 32 + at % 16 * 2 + at % 32 / 16] }
            case .wide(8): samples
            case .packed:
                stride(from: 0, to: samples.count, by: 4).flatMap { Array(samples[$0..<$0 + 4]) + [0xFF] }
            case .wide(let bits):
                samples.flatMap { sample in
                    let value = ((Int(sample) + 1) << (bits - 8)) - 1
                    return [UInt8(value & 0xFF), UInt8(value >> 8)]
                }
            }
        }
    }

    private static let mosaics: [(String, String, Packing)] = [
        ("pBAA", "BGGR", .packed), ("pGAA", "GBRG", .packed), ("pgAA", "GRBG", .packed), ("pRAA", "RGGB", .packed),
        ("BG10", "BGGR", .wide(10)), ("GB10", "GBRG", .wide(10)), ("BA10", "GRBG", .wide(10)),
        ("RG10", "RGGB", .wide(10)), ("BYR2", "BGGR", .wide(16)), ("GB16", "GBRG", .wide(16)),
        ("GR16", "GRBG", .wide(16)), ("RG16", "RGGB", .wide(16)), ("BA81", "BGGR", .wide(8)),
        ("GBRG", "GBRG", .wide(8)), ("GRBG", "GRBG", .wide(8)), ("RGGB", "RGGB", .wide(8)),
        ("S680", "RGGB", .halves),
    ]

    /// One colour left, another one right: exact but where they meet.
    @Test("a mosaic's colours come out where they are", arguments: mosaics)
    func mosaic(_ code: String, _ order: String, _ packing: Packing) throws {
        let (width, height) = (32, 16)
        let colours: [[Character: UInt8]] = [["R": 200, "G": 100, "B": 50], ["R": 30, "G": 60, "B": 90]]
        let sites = Array(order)
        var samples: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                samples.append(try #require(colours[x * 2 / width][sites[y % 2 * 2 + x % 2]]))
            }
        }
        let bytes = packing.bytes(samples)
        let result = try converted(code, width, height, bytes)
        try #require(result.count == 3 * width * height)
        for y in 0..<height {
            for x in 0..<width where !(14...17).contains(x) {
                let at = 3 * (y * width + x)
                let colour = colours[x * 2 / width]
                #expect(Array(result[at..<at + 3]) == "RGB".compactMap { colour[$0] }, "\(x) \(y)")
            }
        }
        #expect(try converted(code, width, height, Array(bytes.dropLast())).isEmpty)
    }

    // MARK: 4:2:0

    @Test(
        "4:2:0 in ways of their own comes out in rows",
        arguments: ["S501", "S505", "S508", "CITV", "M420", "KONI", "S920", "HM12"])
    func laid(_ code: String) throws {
        // As small as HM12 goes, and one that has several blocks in each direction.
        for (width, height) in [(16, 32), (176, 480)] {
            let picture = LaidPicture(width: width, height: height)
            let bytes = picture.bytes(as: code)
            let result = try converted(code, width, height, bytes)
            #expect(result.count == picture.rgb.count)
            let wrong = zip(result, picture.rgb).enumerated().first { $1.0 != $1.1 }
            #expect(wrong == nil, "\(width)x\(height)")
            #expect(try converted(code, width, height, Array(bytes.dropLast())).isEmpty)
        }
    }

    @Test(
        "a size that libv4lconvert would read wrongly is not taken",
        arguments: [
            ("S501", 24, 16), ("KONI", 24, 16), ("S920", 24, 16), ("S920", 16, 12), ("HM12", 736, 32),
            ("HM12", 16, 16), ("pRAA", 18, 16), ("Y10B", 18, 16), ("RGGB", 17, 16),
        ])
    func refused(_ code: String, _ width: Int, _ height: Int) throws {
        #expect(try !isTaken(code, width, height))
        #expect(try isTaken(code, 32, 32))
    }
}
