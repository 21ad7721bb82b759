import CaptureRig
import Testing

@Suite("brightness of a frame")
struct LumaImageTests {
    // A span may not be an argument of a call inside an expectation.
    private static func picture(_ bytes: [UInt8], _ shape: LumaShape) -> LumaImage? { LumaImage(bytes.span, shape) }

    private static func points(_ bytes: [UInt8], _ shape: LumaShape, _ columns: Int, _ rows: Int) -> LumaImage? {
        LumaImage(bytes.span, shape, columns: columns, rows: rows)
    }

    @Test("the bytes of YUYV and UYVY are picked without the colours, and the end of a row is skipped")
    func packed() {
        let frame: [UInt8] = [10, 1, 20, 2, 99, 99, 30, 3, 40, 4, 99, 99]
        let shape = LumaShape(width: 2, height: 2, stride: 6, step: 2)
        #expect(Self.picture(frame, shape)?.bytes == [10, 20, 30, 40])
        let other = LumaShape(width: 2, height: 2, stride: 6, offset: 1, step: 2)
        #expect(Self.picture(frame, other)?.bytes == [1, 2, 3, 4])
        #expect(Self.picture(frame, other)?.mean == 2.5)
    }

    @Test("points come from the middle of their cells, and no more than there are pixels")
    func grid() throws {
        let bytes = (0..<64).map(UInt8.init)
        let points = try #require(Self.points(bytes, LumaShape(width: 8, height: 8), 2, 2))
        #expect(points.bytes == [18, 22, 50, 54])
        let all = try #require(Self.points(bytes, LumaShape(width: 8, height: 8), 64, 48))
        #expect(all.bytes == bytes)
    }

    @Test(
        "a shape that the bytes don't have gives no picture and no trap",
        arguments: [
            LumaShape(width: 4, height: 5), LumaShape(width: 0, height: 4), LumaShape(width: 4, height: -1),
            LumaShape(width: 4, height: 4, stride: 5), LumaShape(width: 4, height: 4, offset: 1),
            LumaShape(width: 4, height: 4, step: 2), LumaShape(width: .max, height: .max, step: .max),
            LumaShape(width: 4, height: 4, offset: .min), LumaShape(width: 4, height: 4, stride: .min, step: .min),
        ])
    func misfits(_ shape: LumaShape) {
        let bytes = [UInt8](repeating: 0, count: 16)
        #expect(Self.picture(bytes, shape) == nil)
        #expect(Self.points(bytes, shape, 2, 2) == nil)
    }

    @Test("a picture of bytes without gaps has exactly as many as it has pixels")
    func dense() {
        #expect(LumaImage(width: 2, height: 2, bytes: [1, 2, 3, 4]) != nil)
        #expect(LumaImage(width: 2, height: 2, bytes: [1, 2, 3, 4, 5]) == nil)
        #expect(LumaImage(width: 0, height: 0, bytes: []) == nil)
    }
}

@Suite("checksum of a frame")
struct FrameChecksumTests {
    private static func checksum(_ bytes: [UInt8]) -> UInt32 { FrameChecksum.crc32(bytes.span) }

    @Test("the check value of CRC-32 is found, and that of nothing is 0")
    func vectors() {
        #expect(Self.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(Self.checksum(Array("The quick brown fox jumps over the lazy dog".utf8)) == 0x414F_A339)
        #expect(Self.checksum([UInt8]()) == 0)
    }

    @Test("sixteen bytes a step, and three parts of long data, give what one byte a step gives, for every length")
    func steps() {
        var numbers = SeededGenerator(1)
        let bytes = (0..<9000).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        for count in Array(0...50) + [4095, 4096, 4097, 4143, 4144, 8999, 9000] {
            let slow = bytes.prefix(count).reduce(UInt32.max) { word, byte in
                (0..<8).reduce(word ^ UInt32(byte)) { word, _ in word & 1 == 0 ? word >> 1 : word >> 1 ^ 0xEDB8_8320 }
            }
            #expect(Self.checksum(Array(bytes.prefix(count))) == ~slow)
        }
    }

    @Test("any flipped bit changes it", arguments: 0..<50)
    func flips(_ seed: Int) {
        var numbers = SeededGenerator(seed)
        var bytes = (0..<997).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        let before = Self.checksum(bytes)
        bytes[Int.random(in: 0..<997, using: &numbers)] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        #expect(Self.checksum(bytes) != before)
    }
}
