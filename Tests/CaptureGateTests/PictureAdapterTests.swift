import Testing

@testable import CaptureGate

@Suite("pictures that are not lent as they are")
struct FrameAdapterTests {
    private func format(
        _ code: String, _ width: Int, _ height: Int, _ lines: [Int]
    ) throws -> VideoFormat {
        VideoFormat(
            width: width, height: height, pixelFormat: try #require(PixelFormat(code)),
            frameRate: try #require(FrameRate(30)), bytesPerLine: lines[0], planeBytesPerLine: lines)
    }

    private static let header = FrameHeader(sequence: 7, timestamp: 9, byteCount: 1, frameCount: 1)

    private func adapted(
        _ adapter: FrameAdapter, _ planes: [[UInt8]]
    ) throws -> (header: FrameHeader, bytes: [UInt8]) {
        let empty: [UInt8] = []
        let first = planes[0]
        let second = planes.count > 1 ? planes[1] : empty
        let third = planes.count > 2 ? planes[2] : empty
        let picture = adapter.adapt(Self.header, first.span.bytes, second.span.bytes, third.span.bytes) {
            header, bytes in (header, bytes.withUnsafeBytes { Array($0) })
        }
        return try #require(picture)
    }

    @Test("one plane of memory needs no adapter")
    func none() throws {
        #expect(FrameAdapter(gathering: try format("YUYV", 8, 4, [16])) == nil)
    }

    @Test("planes of memory come one after the other, whole rows of each")
    func gathered() throws {
        // The driver fills more than the rows: the bytes after them are ignored.
        let adapter = try #require(FrameAdapter(gathering: try format("YM12", 8, 4, [10, 5, 5])))
        let planes = [Array(0..<64), Array(100..<130), Array(200..<230)].map { $0.map { UInt8($0) } }
        let result = try adapted(adapter, planes)
        #expect(result.bytes == Array(planes[0].prefix(40) + planes[1].prefix(10) + planes[2].prefix(10)))
        #expect(result.header.byteCount == 60)
        #expect(result.header.sequence == 7)
    }

    @Test("a plane that is not whole makes a picture without bytes")
    func short() throws {
        let adapter = try #require(FrameAdapter(gathering: try format("NM16", 8, 4, [8, 8])))
        let whole = [UInt8](repeating: 1, count: 32)
        #expect(try adapted(adapter, [whole, whole]).bytes.count == 64)
        #expect(try adapted(adapter, [whole, Array(whole.dropLast())]).bytes.isEmpty)
        #expect(try adapted(adapter, [[], whole]).bytes.isEmpty)
    }

    /// One colour, as different formats write it, with rows of 40 bytes and more.
    @Test(
        "what libv4lconvert knows becomes R, G and B",
        arguments: [
            ("RGBP", [0x1F, 0xF8], [255, 0, 255]), ("XR24", [1, 2, 3, 0], [3, 2, 1]),
            ("RGB4", [0, 1, 2, 3], [1, 2, 3]),
            ("HSV3", [60, 255, 200], [0, 200, 0]), ("HSV4", [0, 120, 255, 200], [0, 0, 200]),
            ("HSV3", [15, 255, 200], [200, 100, 0]), ("HSV3", [90, 0, 77], [77, 77, 77]), ("RGGB", [50], [50, 50, 50]),
            ("BG10", [0x00, 0x02], [128, 128, 128]), ("RG16", [0xFF, 0x40], [64, 64, 64]),
        ] as [(String, [UInt8], [UInt8])])
    func converted(_ code: String, _ pixel: [UInt8], _ rgb: [UInt8]) throws {
        let row = (0..<16).flatMap { _ in pixel }
        var source = try format(code, 16, 16, [row.count + 8])
        source.encoding = FrameConverter.degrees
        let converter = try #require(FrameConverter(source))
        #expect(converter.target.pixelFormat == .rgb24)
        let adapter = FrameAdapter(source, converter)
        let picture = (0..<16).flatMap { _ in row + [UInt8](repeating: 0xEE, count: 8) }
        let result = try adapted(adapter, [picture])
        #expect(result.header.byteCount == 16 * 16 * 3)
        // The rows at the edges of a mosaic have fewer neighbours, and the same colour all the same.
        #expect(result.bytes == (0..<256).flatMap { _ in rgb })
        #expect(try adapted(adapter, [Array(picture.prefix(100))]).bytes.isEmpty)
    }

    @Test(
        "a whole circle of hues may have 256 steps",
        arguments: [(0, [200, 0, 0]), (64, [100, 200, 0]), (170, [0, 3, 200])] as [(UInt8, [UInt8])])
    func fullCircle(_ hue: UInt8, _ rgb: [UInt8]) throws {
        var source = try format("HSV3", 8, 8, [24])
        for encoding: UInt32 in [0, 129] {
            source.encoding = encoding
            let converter = try #require(FrameConverter(source))
            let adapter = FrameAdapter(source, converter)
            let result = try adapted(adapter, [(0..<64).flatMap { _ in [hue, 255, 200] }])
            #expect(Array(result.bytes.prefix(3)) == rgb)
        }
    }

    @Test("what nobody knows is not converted", arguments: ["NV15", "H264", "MJPG"])
    func unknown(_ code: String) throws {
        #expect(FrameConverter(try format(code, 16, 16, [64])) == nil)
    }

    @Test(
        "a code is written as v4l2-ctl writes it",
        arguments: [
            ("YUYV", "YUYV"), ("Y16", "Y16"), ("Y16 ", "Y16"), ("Y16-BE", "Y16-BE"), ("Y16 -BE", "Y16-BE"),
            ("pBAA", "pBAA"),
        ])
    func code(_ text: String, _ shown: String) throws {
        let format = try #require(PixelFormat(text))
        #expect(format.description == shown)
        #expect(PixelFormat(shown) == format)
    }

    @Test("the high byte first is another format")
    func bigEndian() {
        #expect(PixelFormat("Y16-BE")?.rawValue == 0xA036_3159)
        #expect(PixelFormat("Y16")?.rawValue == 0x2036_3159)
        #expect(PixelFormat("-BE") == nil)
    }
}
