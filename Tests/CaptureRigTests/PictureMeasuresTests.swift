import CaptureRig
import Testing

@Suite("black and frozen frames")
struct PictureMeasuresTests {
    private static let shape = LumaShape(width: 96, height: 64)

    private static func values(_ measures: [Measure]) -> [String: Double] {
        measures.reduce(into: [:]) { $0[$1.name] = $1.value }
    }

    private static func stream(_ images: [LumaImage], frozenAbove: Double? = 0.985) -> BlackFrozen {
        images.reduce(into: BlackFrozen(frozenAbove: frozenAbove)) { $0.add($1.bytes.span, shape) }
    }

    @Test("a live stream of a moving scene has neither, for any seed", arguments: 0..<50)
    func good(_ seed: Int) {
        let images = (0..<4).map { TestPictures.scene(seed: seed * 100 + $0, noise: 4, shift: 3 * $0) }
        let found = Self.stream(images)
        #expect(found.frames == 4)
        #expect(Self.values(found.measures) == ["black": 0, "frozen": 0, "black_frozen": 0, "frozen_longest": 0])
    }

    @Test("each repetition counts, and the longest run of them is told")
    func frozen() {
        let scenes = (0..<5).map { TestPictures.scene(seed: $0, noise: 4, shift: 5 * $0) }
        let found = Self.stream([0, 1, 1, 2, 3, 3, 3, 3, 4, 4].map { scenes[$0] })
        let values = Self.values(found.measures)
        #expect(values["frozen"] == 50)
        #expect(values["frozen_longest"] == 3)
        #expect(values["black"] == 0)
    }

    @Test("a repetition with a flipped bit here and there is still one")
    func nearlyFrozen() {
        let scene = TestPictures.scene(seed: 1, noise: 4)
        var bytes = scene.bytes
        for index in stride(from: 5, to: bytes.count, by: 400) { bytes[index] ^= 1 }
        var found = BlackFrozen()
        found.add(scene.bytes.span, Self.shape)
        let finding = found.add(bytes.span, Self.shape)
        #expect(finding?.isFrozen == true)
    }

    @Test("dark frames are black below a mean of 20 and never frozen, so that no frame counts twice")
    func black() {
        let found = Self.stream([0, 0, 19, 19, 20, 120].map { TestPictures.flat($0) })
        let values = Self.values(found.measures)
        #expect(found.blackFrames == 4)
        // 20 after 19 is alike, too.
        #expect(found.frozenFrames == 1)
        #expect(abs((values["black_frozen"] ?? 0) - 500 / 6.0) < 1e-9)
    }

    @Test("equal checksums are a repetition, and without the similarity only they are")
    func checksums() {
        let scene = TestPictures.scene(seed: 1)
        var found = BlackFrozen(frozenAbove: nil)
        let verdicts = [UInt32(7), 8, 8, nil, nil].map { checksum in
            found.add(scene.bytes.span, Self.shape, checksum: checksum)?.isFrozen
        }
        #expect(verdicts == [false, false, true, false, false])
        #expect(found.longestFreeze == 1)
    }

    @Test("a short frame is told apart, and no frames give no values")
    func unreadable() {
        var found = BlackFrozen()
        let short = [UInt8](repeating: 0, count: 96 * 64 - 1)
        let finding = found.add(short.span, Self.shape)
        #expect(finding == nil)
        #expect(found.unreadableFrames == 1)
        #expect(found.measures.allSatisfy { $0.value == nil })
    }

    @Test("a change of size is no repetition, and pictures too small for a similarity don't trap")
    func sizes() {
        var found = BlackFrozen()
        let bytes = [UInt8](repeating: 90, count: 96 * 64)
        for shape in [Self.shape, LumaShape(width: 48, height: 64), LumaShape(width: 1, height: 1)] {
            let finding = found.add(bytes.span, shape)
            #expect(finding != nil && finding?.similarity == nil)
        }
        #expect(found.frozenFrames == 0)
    }
}

@Suite("expected frames")
struct ExpectedFramesTests {
    @Test("a pattern may begin anywhere, and a lost frame is no mismatch")
    func numbers() {
        var expected = ExpectedFrames([10, 11, 12])
        for checksum in [UInt32(11), 12, 10, 12] {
            let matches = expected.add(checksum)
            #expect(matches)
        }
        #expect(expected.measures.map(\.value) == [0])
    }

    @Test("a frame with a flipped bit is a mismatch, and one that is accepted is none")
    func flipped() {
        var bytes = TestPictures.scene(seed: 1).bytes
        var expected = ExpectedFrames([FrameChecksum.crc32(bytes.span)])
        for number in 0..<30 {
            bytes[100] ^= number == 17 ? 4 : 0
            let matches = expected.add(FrameChecksum.crc32(bytes.span))
            #expect(matches == (number != 17))
            bytes[100] ^= number == 17 ? 4 : 0
        }
        #expect(expected.mismatches == 1)
        let isNew = expected.accept(17)
        let matches = expected.add(17)
        #expect(isNew && matches)
    }

    @Test("nothing compared gives no value")
    func nothing() {
        var expected = ExpectedFrames([])
        expected.add(1)
        #expect(expected.measures[0].value == nil)
    }
}
