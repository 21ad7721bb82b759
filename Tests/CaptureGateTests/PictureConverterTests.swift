import Testing

@testable import CaptureGate

/// Each format's bytes are laid down here by what Linux's documentation and headers say of it, and the colours expected
/// are computed here.
@Suite("what is converted to R, G and B")
struct FrameConverterTests {
    /// - Returns: nothing if the frame is refused.
    private func converted(_ code: String, _ width: Int, _ height: Int, _ bytes: [UInt8]) throws -> [UInt8] {
        let format = VideoFormat(
            width: width, height: height, pixelFormat: try #require(PixelFormat(code)),
            frameRate: try #require(FrameRate(30)), bytesPerLine: 0, planeBytesPerLine: [0])
        let converter = try #require(FrameConverter(format))
        return Array(converter.convert(bytes.span.bytes))
    }

    private func isTaken(_ code: String, _ width: Int, _ height: Int) throws -> Bool {
        let format = VideoFormat(
            width: width, height: height, pixelFormat: try #require(PixelFormat(code)),
            frameRate: try #require(FrameRate(30)), bytesPerLine: 0, planeBytesPerLine: [0])
        return FrameConverter(format) != nil
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
        let expected = pixels.flatMap { [wide($0 >> 11, 31), wide($0 >> 5 & 63, 63), wide($0 & 31, 31)] }
        #expect(try converted("RGBP", 16, 8, bytes) == expected)
    }

    /// The value of few bits in eight: white is white.
    private func wide(_ value: UInt16, _ white: Double) -> UInt8 { UInt8((Double(value) * 255 / white).rounded()) }

    /// Each as the kernel's documentation draws it: its bits from the first byte's highest to the last one's lowest, a letter
    /// a bit, colours from their highest bit on.
    private static let words: [(String, String)] = [
        ("RGB1", "rrrgggbb"),
        ("R444 XR12 AR12", "ggggbbbb ....rrrr"), ("RX12 RA12", "bbbb.... rrrrgggg"),
        ("XB12 AB12", "ggggrrrr ....bbbb"), ("BX12 GA12", "rrrr.... bbbbgggg"),
        ("RGBO XR15 AR15", "gggbbbbb .rrrrrgg"), ("RX15 RA15", "ggbbbbb. rrrrrggg"),
        ("XB15 AB15", "gggrrrrr .bbbbbgg"), ("BX15 BA15", "ggrrrrr. bbbbbggg"),
        ("RGBQ XR15-BE AR15-BE", ".rrrrrgg gggbbbbb"), ("RGBP", "gggbbbbb rrrrrggg"), ("RGBR", "rrrrrggg gggbbbbb"),
        ("BGRH", "bbbbbbgg ggggrrrr rr...... ........"),
        ("XB24 AB24", "rrrrrrrr gggggggg bbbbbbbb ........"), ("RX24 RA24", "........ bbbbbbbb gggggggg rrrrrrrr"),
        ("RX30 RA30", "bbbbbb.. ggggbbbb rrgggggg rrrrrrrr"), ("AR30", "bbbbbbbb ggggggbb rrrrgggg ..rrrrrr"),
        ("Y444", "uuuuvvvv ....yyyy"), ("YUVO", "uuuvvvvv .yyyyyuu"), ("YUVP", "uuuvvvvv yyyyyuuu"),
        ("YUV3", "yyyyyyyy uuuuuuuu vvvvvvvv"), ("YUV4 AYUV XYUV", "........ yyyyyyyy uuuuuuuu vvvvvvvv"),
        ("VUYA VUYX", "vvvvvvvv uuuuuuuu yyyyyyyy ........"), ("YUVA YUVX", "yyyyyyyy uuuuuuuu vvvvvvvv ........"),
    ]

    /// A pixel's bytes for such a drawing. If a field spans bytes, the later byte of a word with the low byte first has its high
    /// bits. So bits are assigned from the lowest, byte by byte in the order of the word.
    private func drawn(_ drawing: String, _ values: [Character: Int], bits: [Character: Int], lowFirst: Bool) -> [UInt8]
    {
        var bytes = drawing.split(separator: " ").map { Array($0) }
        if lowFirst { bytes.reverse() }
        var left = bits
        let dealt = bytes.map { byte in
            byte.reduce(UInt8(0)) { sum, letter in
                guard let value = values[letter], let rest = left[letter] else { return sum << 1 | 1 }
                left[letter] = rest - 1
                return sum << 1 | UInt8(value >> (rest - 1) & 1)
            }
        }
        return lowFirst ? dealt.reversed() : dealt
    }

    @Test("Each word of bits is read as it is drawn, whatever stands beside the colours", arguments: words)
    func wordsOfBits(_ codes: String, _ drawing: String) throws {
        let colours: [Character] = drawing.contains("r") ? ["r", "g", "b"] : ["y", "u", "v"]
        var bits: [Character: Int] = [:]
        for letter in drawing where colours.contains(letter) { bits[letter, default: 0] += 1 }
        let isBigEndian =
            ["RGBQ", "RGBR", "BGRH"].contains { codes.hasPrefix($0) } || drawing.filter { $0 != " " }.count == 24
        var (bytes, expected) = ([UInt8](), [[UInt8]]())
        for pixel in 0..<16 * 8 {
            let values = colours.enumerated().reduce(into: [Character: Int]()) { values, colour in
                let most = (1 << (bits[colour.element] ?? 8)) - 1
                values[colour.element] = pixel == 0 ? most : (pixel * (37 + 11 * colour.offset)) & most
            }
            bytes += drawn(drawing, values, bits: bits, lowFirst: !isBigEndian)
            expected.append(
                colours.map { colour in
                    let (value, count) = (values[colour] ?? 0, bits[colour] ?? 8)
                    guard colours[0] == "r" else { return UInt8(value << (8 - count)) }
                    return UInt8((Double(value) * 255 / Double(1 << count - 1)).rounded())
                })
        }
        let whole =
            colours[0] == "r" ? expected.flatMap { $0 } : (0..<3).flatMap { plane in expected.map { $0[plane] } }
        for code in codes.split(separator: " ").map(String.init) {
            #expect(try converted(code, 16, 8, bytes) == whole, "\(code)")
            #expect(try converted(code, 16, 8, Array(bytes.dropLast())).isEmpty)
        }
    }

    @Test("Rows may be padded, and sizes odd")
    func padded() throws {
        let format = VideoFormat(
            width: 17, height: 9, pixelFormat: try #require(PixelFormat("AB24")),
            frameRate: try #require(FrameRate(30)),
            bytesPerLine: 100)
        let converter = try #require(FrameConverter(format))
        let bytes = (0..<900).map { UInt8(truncatingIfNeeded: $0 * 7) }
        var expected: [UInt8] = []
        for row in 0..<9 {
            for pixel in 0..<17 { expected += bytes[(100 * row + 4 * pixel)...].prefix(3) }
        }
        #expect(Array(converter.convert(bytes.span.bytes)) == expected)
        #expect(converter.target.pixelFormat == .rgb24 && converter.target.bytesPerLine == 51)
        // The last row may lack its padding.
        #expect(converter.convert(Array(bytes[..<868]).span.bytes).count == expected.count)
        #expect(converter.convert(Array(bytes[..<867]).span.bytes).isEmpty)
    }

    // MARK: Wide samples and coarse colours

    @Test(
        "Of samples of more than eight bits the highest eight are kept",
        arguments: [
            ("P010", "NV12", 8), ("P012", "NV12", 8), ("Y210", "YUYV", 8), ("Y216", "YUYV", 8), ("Y012", "GREY", 8),
            ("Z16", "GREY", 8), ("Y14", "GREY", 6),
        ] as [(String, String, Int)])
    func wideSamples(_ code: String, _ target: String, _ shift: Int) throws {
        let count = ["NV12": 16 * 12, "YUYV": 32 * 8, "GREY": 16 * 8][target] ?? 0
        let expected = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 91) }
        let bytes = expected.flatMap { sample in
            let value = (Int(sample) << shift) + (1 << shift) - 1
            return [UInt8(value & 0xFF), UInt8(value >> 8)]
        }
        #expect(try converted(code, 16, 8, bytes) == expected)
        #expect(try converted(code, 16, 8, Array(bytes.dropLast())).isEmpty)
        #expect(try made(of: code) == target)
    }

    @Test("Packed greys have their high bytes first", arguments: [("Y10P", 4, 5), ("Y12P", 2, 3), ("Y14P", 4, 7)])
    func packedHigh(_ code: String, _ samples: Int, _ group: Int) throws {
        let expected = (0..<128).map { UInt8(truncatingIfNeeded: $0 * 91) }
        let bytes = stride(from: 0, to: 128, by: samples).flatMap {
            Array(expected[$0..<$0 + samples]) + [UInt8](repeating: 0xA5, count: group - samples)
        }
        #expect(try converted(code, 16, 8, bytes) == expected)
    }

    @Test("A colour for four pixels becomes one for two", arguments: ["411P", "YUV9", "YVU9"])
    func coarse(_ code: String) throws {
        let down = code == "411P" ? 1 : 4
        let rows = 8 / down
        let luma = (0..<128).map { UInt8($0) }
        let first = (0..<4 * rows).map { UInt8(10 + $0) }
        let second = (0..<4 * rows).map { UInt8(200 + $0 % 50) }
        func refined(_ plane: [UInt8]) -> [UInt8] {
            var fine: [UInt8] = []
            for row in 0..<(down == 1 ? 8 : 4) {
                let from = row / (down == 1 ? 1 : 2) * 4
                for column in 0..<8 { fine.append(plane[from + column / 2]) }
            }
            return fine
        }
        let planes = code == "YVU9" ? refined(second) + refined(first) : refined(first) + refined(second)
        #expect(try converted(code, 16, 8, luma + first + second) == luma + planes)
        #expect(try converted(code, 16, 8, Array((luma + first + second).dropLast())).isEmpty)
        #expect(try made(of: code) == (down == 1 ? "422P" : "YU12"))
    }

    private func made(of code: String) throws -> String {
        let format = VideoFormat(
            width: 16, height: 8, pixelFormat: try #require(PixelFormat(code)), frameRate: try #require(FrameRate(30)),
            bytesPerLine: 0)
        return try #require(FrameConverter(format)).target.pixelFormat.description
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
        /// Two high bytes, then their low bits; four, then theirs in three bytes.
        case pairs, sevens
        /// One byte each, the even columns of a line first; the frame is 32 wide.
        case halves

        func bytes(_ samples: [UInt8]) -> [UInt8] {
            switch self {
            case .halves:
                (0..<samples.count).map { at -> UInt8 in
                    let (line, column): (Int, Int) = (at / 32, at % 32)
                    return samples[line * 32 + column % 16 * 2 + column / 16]
                }
            case .wide(8): samples
            case .packed:
                stride(from: 0, to: samples.count, by: 4).flatMap { Array(samples[$0..<$0 + 4]) + [0xFF] }
            case .pairs:
                stride(from: 0, to: samples.count, by: 2).flatMap { Array(samples[$0..<$0 + 2]) + [0xFF] }
            case .sevens:
                stride(from: 0, to: samples.count, by: 4).flatMap { Array(samples[$0..<$0 + 4]) + [0xFF, 0xFF, 0xFF] }
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
        ("BG12", "BGGR", .wide(12)), ("GB12", "GBRG", .wide(12)), ("BA12", "GRBG", .wide(12)),
        ("RG12", "RGGB", .wide(12)), ("BG14", "BGGR", .wide(14)), ("GR14", "GRBG", .wide(14)),
        ("pBCC", "BGGR", .pairs), ("pGCC", "GBRG", .pairs), ("pgCC", "GRBG", .pairs), ("pRCC", "RGGB", .pairs),
        ("pREE", "RGGB", .sevens),
        ("GBRG", "GBRG", .wide(8)), ("GRBG", "GRBG", .wide(8)), ("RGGB", "RGGB", .wide(8)),
        ("S680", "RGGB", .halves),
    ]

    /// One colour on the left, another on the right: exact except at the border.
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
