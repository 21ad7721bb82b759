import CaptureBase
import ClipScenery
import Testing

@testable import CaptureEncoding

@Suite("JPEG writer")
struct JPEGWriterTests {
    /// Packed images of noise; the codes are always the same, so that an image does not depend on earlier ones.
    private struct Work {
        let width: Int
        let height: Int
        var isSingle = false

        func writer() throws -> JPEGWriter {
            let codes: MJPEGParameters.Codes = isSingle ? .fitted : .standard
            return try #require(
                try JPEGWriter(
                    Source.video(.rgb24, width, height), MJPEGParameters(chroma: .yuv420, codes: codes),
                    isSingle: isSingle))
        }

        func pixels(_ number: Int) -> [UInt8] {
            var bits = UInt32(number)
            return (0..<3 * width * height).map { _ in
                bits = bits &* 1_664_525 &+ 1_013_904_223
                return UInt8(bits >> 24)
            }
        }

        /// - Parameter room: bytes; by default the maximum that an image can need.
        func image(_ number: Int, by writer: JPEGWriter, room: Int? = nil) throws -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: room ?? writer.capacity)
            let size = try bytes.withUnsafeMutableBytes { room in
                try pixels(number).withUnsafeBytes { try writer.write(#require($0.baseAddress), into: room) }
            }
            return Array(bytes[..<size])
        }
    }

    private static let works = [
        Work(width: 64, height: 48), Work(width: 400, height: 18), Work(width: 3, height: 5),
        Work(width: 70, height: 35, isSingle: true),
    ]

    @Test("An image is the same whatever its writer made before, and whatever others make meanwhile")
    func memory() throws {
        let kept = try Self.works.map { try $0.writer() }
        for number in 0..<5 {
            for (work, writer) in zip(Self.works, kept) {
                let isSame = try work.image(number, by: writer) == work.image(number, by: work.writer())
                #expect(isSame)
            }
        }
    }

    @Test("After an image that did not fit into its room the next is as it should be")
    func full() throws {
        for work in Self.works {
            let writer = try work.writer()
            let whole = try work.image(1, by: work.writer())
            for room in [1, 100, whole.count / 2, whole.count - 1] {
                #expect(throws: CaptureError.self) { _ = try work.image(1, by: writer, room: room) }
                let isWhole = try work.image(1, by: writer) == whole
                #expect(isWhole)
            }
        }
    }
}
