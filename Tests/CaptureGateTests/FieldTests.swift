import CMedia
import Testing

@testable import CaptureGate
@testable import CaptureRealtime

@Suite("interlaced pictures")
struct FieldTests {
    private func camera(_ code: String, _ field: v4l2_field, width: Int = 4, height: Int = 4) throws -> CameraFormat {
        var format = CameraFormat(
            width: width, height: height, fourcc: try #require(PixelFormat(code)).rawValue,
            layouts: [PlaneLayout(bytesPerLine: width, sizeImage: 64)], fpsNumerator: 25, fpsDenominator: 1,
            isCompressed: code == "MJPG")
        format.field = field.rawValue
        return format
    }

    private func adapter(_ camera: CameraFormat) throws -> FrameAdapter {
        try #require(FrameAdapter(gathering: VideoFormat(camera), FieldArrangement(camera)))
    }

    private func header(_ number: UInt64, isBottom: Bool, lost: Loss = Loss()) -> FrameHeader {
        FrameHeader(
            sequence: number, timestamp: 1000 + Int64(number), byteCount: 1, frameCount: 1,
            flags: isBottom ? .bottomField : [], lost: lost)
    }

    private func take(_ adapter: FrameAdapter, _ header: FrameHeader, _ bytes: [UInt8]) -> (FrameHeader, [UInt8])? {
        let none: [UInt8] = []
        return adapter.adapt(header, bytes.span.bytes, none.span.bytes, none.span.bytes) { header, picture in
            (header, picture.withUnsafeBytes { Array($0) })
        }
    }

    @Test(
        "the order is the buffers', or the standard's where they have none",
        arguments: [
            (V4L2_FIELD_NONE, 625, .progressive), (V4L2_FIELD_ANY, 625, .progressive),
            (V4L2_FIELD_TOP, 625, .progressive), (V4L2_FIELD_INTERLACED, 625, .topFirst),
            (V4L2_FIELD_INTERLACED, 525, .bottomFirst), (V4L2_FIELD_INTERLACED, 0, .topFirst),
            (V4L2_FIELD_INTERLACED_TB, 525, .topFirst), (V4L2_FIELD_INTERLACED_BT, 625, .bottomFirst),
            (V4L2_FIELD_SEQ_TB, 525, .topFirst), (V4L2_FIELD_SEQ_BT, 625, .bottomFirst),
            (V4L2_FIELD_ALTERNATE, 525, .bottomFirst), (V4L2_FIELD_ALTERNATE, 0, .topFirst),
        ] as [(v4l2_field, Int, FieldOrder)])
    func order(_ field: v4l2_field, _ lines: Int, _ order: FieldOrder) throws {
        var format = try camera("GREY", field)
        format.standardLines = lines
        #expect(VideoFormat(format).fieldOrder == order)
    }

    @Test("fields in turn are pictures of twice their rows, at the rate of pictures; compressed ones stay fields")
    func size() throws {
        let whole = VideoFormat(try camera("GREY", V4L2_FIELD_ALTERNATE))
        #expect(whole.height == 8 && whole.frameRate.description == "25")
        let single = VideoFormat(try camera("GREY", V4L2_FIELD_TOP))
        #expect(single.height == 4 && single.frameRate.description == "25")
        let image = VideoFormat(try camera("MJPG", V4L2_FIELD_ALTERNATE))
        #expect(image.height == 4 && image.frameRate.description == "50" && image.fieldOrder == .progressive)
        #expect(try camera("GREY", V4L2_FIELD_ALTERNATE).bufferNanoseconds == 20_000_000)
    }

    @Test("what is interlaced already needs no adapter")
    func interlaced() throws {
        for field in [V4L2_FIELD_NONE, V4L2_FIELD_INTERLACED, V4L2_FIELD_INTERLACED_BT, V4L2_FIELD_TOP] {
            let format = try camera("GREY", field)
            #expect(FrameAdapter(gathering: VideoFormat(format), FieldArrangement(format)) == nil)
        }
    }

    @Test("one field above the other becomes row by row")
    func sequential() throws {
        let rows: [UInt8] = [10, 11, 20, 21].flatMap { [UInt8](repeating: $0, count: 4) }
        let top = take(try adapter(camera("GREY", V4L2_FIELD_SEQ_TB)), header(0, isBottom: false), rows)
        #expect(top?.1 == [10, 20, 11, 21].flatMap { [UInt8](repeating: $0, count: 4) })
        let bottom = take(try adapter(camera("GREY", V4L2_FIELD_SEQ_BT)), header(0, isBottom: false), rows)
        #expect(bottom?.1 == [20, 10, 21, 11].flatMap { [UInt8](repeating: $0, count: 4) })
    }

    @Test("an odd row more is the top field's")
    func odd() throws {
        let rows: [UInt8] = [1, 2, 3, 4, 5].flatMap { [UInt8](repeating: $0, count: 4) }
        let top = take(try adapter(camera("GREY", V4L2_FIELD_SEQ_TB, height: 5)), header(0, isBottom: false), rows)
        #expect(top?.1 == [1, 4, 2, 5, 3].flatMap { [UInt8](repeating: $0, count: 4) })
        let bottom = take(try adapter(camera("GREY", V4L2_FIELD_SEQ_BT, height: 5)), header(0, isBottom: false), rows)
        #expect(bottom?.1 == [3, 1, 4, 2, 5].flatMap { [UInt8](repeating: $0, count: 4) })
    }

    @Test(
        "each plane of colour is woven by itself",
        arguments: [
            ("YU12", [1, 2, 3, 4, 11, 12, 13, 14], [1, 3, 2, 4, 11, 12, 13, 14]),
            ("NV12", [1, 2, 3, 4, 11, 11, 12, 12], [1, 3, 2, 4, 11, 11, 12, 12]),
        ] as [(String, [UInt8], [UInt8])])
    func planes(_ code: String, _ halves: [UInt8], _ woven: [UInt8]) throws {
        // Rows of four; of YU12's colours two have that room.
        func bytes(_ values: [UInt8]) -> [UInt8] {
            values.enumerated().flatMap { [UInt8](repeating: $0.element, count: $0.offset < 4 ? 4 : 2) }
        }
        let found = take(try adapter(camera(code, V4L2_FIELD_SEQ_TB)), header(0, isBottom: false), bytes(halves))
        #expect(found?.1 == bytes(woven))
    }

    @Test("fields in turn become one picture, with the first one's time")
    func alternating() throws {
        for (field, first) in [(0, false), (525, true)] {
            var format = try camera("YU12", V4L2_FIELD_ALTERNATE, height: 2)
            format.standardLines = field
            let adapter = try adapter(format)
            func half(_ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: 8 + 2 + 2) }
            #expect(take(adapter, header(0, isBottom: first), half(first ? 2 : 1)) == nil)
            let picture = try #require(take(adapter, header(1, isBottom: !first), half(first ? 1 : 2)))
            #expect(picture.1 == [1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2])
            #expect(picture.0.timestamp == 1000 && picture.0.sequence == 0 && picture.0.byteCount == 24)
            #expect(picture.0.flags.isEmpty && picture.0.frameCount == 1 && picture.0.lost.total == 0)
        }
    }

    /// Numbers of complete frames, and the losses before each.
    private func pairs(_ fields: [(UInt64, Bool, Loss)]) throws -> [(UInt64, UInt64)] {
        let adapter = try adapter(camera("GREY", V4L2_FIELD_ALTERNATE))
        let half = [UInt8](repeating: 0, count: 16)
        return fields.compactMap { number, isBottom, lost in
            take(adapter, header(number, isBottom: isBottom, lost: lost), half).map { ($0.0.sequence, $0.0.lost.total) }
        }
    }

    @Test("a lost field loses its picture, and is counted so")
    func lost() throws {
        let one = Loss(device: 1)
        // The second field of frame 1, both of frame 3, the first of frame 5.
        let found = try pairs([
            (0, false, Loss()), (1, true, Loss()), (2, false, Loss()), (4, false, one), (5, true, Loss()),
            (8, false, Loss(device: 2)), (9, true, Loss()), (11, true, one), (12, false, Loss()), (13, true, Loss()),
        ])
        #expect(found.map(\.0) == [0, 2, 4, 6] && found.map(\.1) == [0, 1, 1, 1])
    }

    @Test("a stream that begins in the middle of a picture has lost nothing")
    func middle() throws {
        let found = try pairs([
            (0, true, Loss()), (1, false, Loss()), (2, true, Loss()), (3, false, Loss()), (4, true, Loss()),
        ])
        #expect(found.map(\.0) == [0, 1] && found.map(\.1) == [0, 0])
    }

    @Test("of what is lost, damaged fields are told from those that the reader was too slow for")
    func causes() {
        var pairs = FieldPairer(.topFirst)
        _ = pairs.take(header(0, isBottom: false))
        _ = pairs.take(header(1, isBottom: true))
        _ = pairs.take(header(3, isBottom: true, lost: Loss(damaged: 1)))
        _ = pairs.take(header(6, isBottom: false, lost: Loss(ring: 2)))
        guard case .completes(let picture) = pairs.take(header(7, isBottom: true)) else {
            Issue.record("The fields make a picture.")
            return
        }
        #expect(picture.sequence == 3 && picture.lost == Loss(device: 0, damaged: 1, ring: 1))
    }

    @Test("a field that is not whole makes a picture without bytes")
    func short() throws {
        let adapter = try adapter(camera("GREY", V4L2_FIELD_ALTERNATE))
        let half = [UInt8](repeating: 0, count: 16)
        #expect(take(adapter, header(0, isBottom: false), Array(half.dropLast())) == nil)
        #expect(take(adapter, header(1, isBottom: true), half)?.1.isEmpty == true)
        #expect(take(adapter, header(2, isBottom: false), half) == nil)
        #expect(take(adapter, header(3, isBottom: true), half)?.1.count == 32)
    }

    @Test("what can be taken is told in pictures, also after the device was away")
    func counted() throws {
        let adapter = try adapter(camera("GREY", V4L2_FIELD_ALTERNATE))
        #expect(adapter.whole(5) == 2)
        _ = take(adapter, header(0, isBottom: false), [UInt8](repeating: 0, count: 16))
        #expect(adapter.whole(5) == 3)
        adapter.beginAgain()
        #expect(adapter.whole(1) == 0)
        #expect(take(adapter, header(1, isBottom: true), [UInt8](repeating: 0, count: 16)) == nil)
    }
}
