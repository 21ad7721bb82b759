import CaptureBase
import ClipScenery
import Testing

@testable import CaptureEncoding

@Suite("planes of pictures")
struct PlanarizerTests {
    /// A code, how many pixels share a colour in each direction, and how its samples are woven; see ``Weave``.
    private static let formats: [(String, Int, Int, Weave)] = [
        ("YUYV", 2, 1, .packed([0, 1, 0, 2])), ("YVYU", 2, 1, .packed([0, 2, 0, 1])),
        ("UYVY", 2, 1, .packed([1, 0, 2, 0])), ("VYUY", 2, 1, .packed([2, 0, 1, 0])),
        ("NV12", 2, 2, .pairs([1, 2])), ("NV21", 2, 2, .pairs([2, 1])), ("NV16", 2, 1, .pairs([1, 2])),
        ("NV61", 2, 1, .pairs([2, 1])), ("NV24", 1, 1, .pairs([1, 2])), ("NV42", 1, 1, .pairs([2, 1])),
        ("NM12", 2, 2, .pairs([1, 2])), ("NM21", 2, 2, .pairs([2, 1])), ("NM16", 2, 1, .pairs([1, 2])),
        ("NM61", 2, 1, .pairs([2, 1])), ("YU12", 2, 2, .apart([1, 2])), ("YV12", 2, 2, .apart([2, 1])),
        ("422P", 2, 1, .apart([1, 2])), ("YM12", 2, 2, .apart([1, 2])), ("YM21", 2, 2, .apart([2, 1])),
        ("YM16", 2, 1, .apart([1, 2])), ("YM61", 2, 1, .apart([2, 1])), ("YM24", 1, 1, .apart([1, 2])),
        ("YM42", 1, 1, .apart([2, 1])), ("GREY", 0, 0, .apart([])),
    ]

    /// How a source is made of the planes Y (0), Cb (1) and Cr (2).
    enum Weave: Sendable {
        case packed([Int])
        case pairs([Int])
        case apart([Int])
    }

    private static let (width, height) = (12, 6)

    @Test("no sample changes, whatever the order", arguments: formats, [0, 4])
    func order(format: (String, Int, Int, Weave), padding: Int) throws {
        let (code, across, down, weave) = format
        let planes = Self.planes(across, down)
        let (bytes, strides) = Self.woven(planes, weave, across, padding)
        let isApart = code.dropFirst().first == "M"
        let video = VideoFormat(
            width: Self.width, height: Self.height, pixelFormat: try #require(PixelFormat(code)),
            frameRate: try #require(FrameRate(30)), bytesPerLine: strides[0],
            planeBytesPerLine: isApart ? strides : nil)
        let planarizer = try #require(Planarizer(video))
        #expect(planarizer.layout.byteCount <= bytes.count)
        var target = [UInt8](repeating: 0, count: planarizer.geometry.byteCountWithScratch)
        bytes.withUnsafeBytes { source in
            target.withUnsafeMutableBufferPointer { target in
                guard let source = source.baseAddress, let target = target.baseAddress else { return }
                planarizer.convert(source, into: target)
            }
        }
        #expect(Array(target.prefix(planarizer.geometry.byteCount)) == Array(planes.joined()))
    }

    /// Noise.
    private static func planes(_ across: Int, _ down: Int) -> [[UInt8]] {
        let colour = across == 0 ? 0 : width / across * (height / down)
        return [width * height, colour, colour].enumerated().map { plane, count in
            (0..<count).map { UInt8(truncatingIfNeeded: ($0 + 1) * 2_654_435_761 >> 13 + plane) }
        }
    }

    /// The rows of one plane of memory after the other, each with padding that must not be read.
    private static func woven(
        _ planes: [[UInt8]], _ weave: Weave, _ across: Int, _ padding: Int
    ) -> (bytes: [UInt8], strides: [Int]) {
        var memory: [(bytes: [UInt8], row: Int, padding: Int)] = []
        let columns = across == 0 ? 0 : width / across
        switch weave {
        case .packed(let order):
            var next = [0, 0, 0]
            let bytes = (0..<2 * width * height).map { index -> UInt8 in
                let plane = order[index % 4]
                defer { next[plane] += 1 }
                return planes[plane][next[plane]]
            }
            memory.append((bytes, 2 * width, padding))
        case .pairs(let order):
            memory.append((planes[0], width, padding))
            let bytes = planes[1].indices.flatMap { [planes[order[0]][$0], planes[order[1]][$0]] }
            memory.append((bytes, 2 * columns, padding * 2 * columns / width))
        case .apart(let order):
            memory.append((planes[0], width, padding))
            for plane in order { memory.append((planes[plane], columns, padding * columns / width)) }
        }
        let bytes = memory.flatMap { plane in
            stride(from: 0, to: plane.bytes.count, by: plane.row).flatMap {
                Array(plane.bytes[$0..<$0 + plane.row]) + [UInt8](repeating: 0xEE, count: plane.padding)
            }
        }
        return (bytes, memory.map { $0.row + $0.padding })
    }

    @Test(
        "grey of more bits keeps the upper eight",
        arguments: [
            ("Y10", 0x02FF as UInt16, 0xBF as UInt8), ("Y12", 0x0ABF, 0xAB), ("Y16", 0xABFF, 0xAB),
            ("Y16-BE", 0xFFAB, 0xAB),
        ])
    func deep(_ code: String, _ value: UInt16, _ byte: UInt8) throws {
        let bytes = (0..<8 * 2).flatMap { _ in [UInt8(value & 0xFF), UInt8(value >> 8)] }
        #expect(try Self.converted(bytes, code, 8, 2) == [UInt8](repeating: byte, count: 16))
    }

    /// ITU-R BT.601, in 8 bits and limited range, of the corners of the cube.
    @Test(
        "RGB becomes the Y, Cb and Cr of BT.601",
        arguments: [
            ([255, 255, 255], [235, 128, 128]), ([0, 0, 0], [16, 128, 128]), ([255, 0, 0], [81, 90, 240]),
            ([0, 255, 0], [145, 54, 34]), ([0, 0, 255], [41, 240, 110]), ([255, 255, 0], [210, 16, 146]),
        ] as [([UInt8], [UInt8])])
    func colours(_ rgb: [UInt8], _ ycc: [UInt8]) throws {
        let pixels = (0..<4).flatMap { _ in rgb }
        #expect(try Self.converted(pixels, "RGB3", 2, 2) == ycc.flatMap { [UInt8](repeating: $0, count: 4) })
        #expect(
            try Self.converted((0..<4).flatMap { _ in rgb.reversed() }, "BGR3", 2, 2)
                == ycc.flatMap { [UInt8](repeating: $0, count: 4) })
    }

    private static func converted(_ bytes: [UInt8], _ code: String, _ width: Int, _ height: Int) throws -> [UInt8] {
        let video = VideoFormat(
            width: width, height: height, pixelFormat: try #require(PixelFormat(code)),
            frameRate: try #require(FrameRate(30)), bytesPerLine: bytes.count / height)
        let planarizer = try #require(Planarizer(video, takesRGB: true))
        var target = [UInt8](repeating: 0, count: planarizer.geometry.byteCount)
        bytes.withUnsafeBytes { source in
            target.withUnsafeMutableBufferPointer { target in
                guard let source = source.baseAddress, let target = target.baseAddress else { return }
                planarizer.convert(source, into: target)
            }
        }
        return target
    }

    @Test("RGB has no planes of its own")
    func noPlanes() throws {
        #expect(Planarizer(Source.video(.rgb24)) == nil)
    }
}
