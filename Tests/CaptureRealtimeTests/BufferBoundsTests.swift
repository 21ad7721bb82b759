import Testing

@testable import CaptureRealtime

@Suite("What a driver says of a buffer")
struct BufferBoundsTests {
    /// Two planes each, of 100 and 50 bytes; 80 and 40 in the second buffer.
    private func holds(_ first: (Int, Int), _ second: (Int, Int), in buffer: Int = 0) -> Bool {
        var payload = FramePlanes()
        payload.set(0, offset: first.0, byteCount: first.1)
        payload.set(1, offset: second.0, byteCount: second.1)
        let lengths = [100, 50, 80, 40]
        return unsafe lengths.withUnsafeBufferPointer { lengths in
            unsafe BufferBounds(count: 2, planes: 2, lengths: lengths.baseAddress!).holds(payload, in: buffer)
        }
    }

    @Test("What fills its planes, or less, is in them") func whole() {
        #expect(holds((0, 100), (0, 50)))
        #expect(holds((20, 80), (10, 40)))
        #expect(holds((0, 80), (0, 40), in: 1))
        #expect(holds((0, 0), (50, 0)))
    }

    @Test(
        "More than there is, in whichever plane, is not",
        arguments: [
            (0, 101, 0, 50), (1, 100, 0, 50), (0, 100, 0, 51), (0, 100, 11, 40), (0, Int(UInt32.max), 0, 50),
            (101, 0, 0, 0), (0, .max, 0, 0), (.max, 1, 0, 0),
        ])
    func tooMuch(place: (Int, Int, Int, Int)) {
        #expect(!holds((place.0, place.1), (place.2, place.3)))
    }

    @Test("A payload that ends before it begins is not", arguments: [(10, -10), (-1, 1)])
    func negative(place: (Int, Int)) {
        #expect(!holds(place, (0, 50)))
        #expect(!holds((0, 100), place))
    }

    @Test("Each buffer has its own length") func ownLength() {
        #expect(!holds((0, 100), (0, 50), in: 1))
    }
}

@Suite("The least a raw picture has")
struct LeastBytesTests {
    private func least(_ name: String, lines: Int = 64, size: Int = .max, isCompressed: Bool = false) -> Int {
        let fourcc = name.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        let format = CameraFormat(
            width: 64, height: 10, fourcc: fourcc, layouts: [PlaneLayout(bytesPerLine: lines, sizeImage: size)],
            fpsNumerator: 30, fpsDenominator: 1, isCompressed: isCompressed)
        return format.leastBytes(plane: 0)
    }

    @Test(
        "is its rows, and those of its colours where they stand apart",
        arguments: [
            ("GREY", 640), ("YUYV", 640), ("YU12", 960), ("YV12", 960), ("NV12", 960), ("NV21", 960),
            ("422P", 1280), ("NV16", 1280), ("NV61", 1280), ("NV24", 1920), ("NV42", 1920),
        ])
    func rows(name: String, bytes: Int) {
        #expect(least(name) == bytes)
    }

    @Test("is no more than the driver says it fills, and one byte of what is compressed") func size() {
        #expect(least("NV16", size: 1000) == 1000)
        #expect(least("MJPG", lines: 0, isCompressed: true) == 1)
    }
}
