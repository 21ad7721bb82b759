import CMedia
import Testing

@testable import CaptureRealtime

@Suite("numbers of single fields")
struct FieldGapsTests {
    /// Fields missing before each of these fields, given by the driver's number, and T or B.
    private func missing(_ fields: String) -> [UInt64] {
        var gaps = FieldGaps()
        return fields.split(separator: " ").map { field in
            let number = UInt32(field.dropFirst()) ?? 0
            return gaps.missing(before: number, field: field.first == "B" ? 3 : field.first == "T" ? 2 : 0)
        }
    }

    @Test(
        "fields of one number are a picture's",
        arguments: [
            ("T0 B0 T1 B1 T2 B2", [0, 0, 0, 0, 0, 0]), ("B7 T7 B8 T8", [0, 0, 0, 0]),
            // Begun in the middle.
            ("B0 T1 B1 T2", [0, 0, 0, 0]),
            // One field is lost, a second one and a first one; then both of a frame; then two invalid ones.
            ("T0 B0 T1 T2 B2 B3 T4 B4", [0, 0, 0, 1, 0, 1, 0, 0]), ("T0 B0 T2 B2", [0, 0, 2, 0]),
            ("T0 B0 T1 B2 T3 B3", [0, 0, 0, 2, 0, 0]), ("T0 B0 B5", [0, 0, 9]),
            ("T4294967295 B4294967295 T0 B0", [0, 0, 0, 0]),
            // A driver that does not say which field it is.
            ("?0 ?0 ?1 ?1", [0, 0, 0, 0]),
        ] as [(String, [UInt64])])
    func pictures(_ fields: String, _ expected: [UInt64]) {
        #expect(missing(fields) == expected)
    }

    @Test(
        "a driver may number each field",
        arguments: [
            ("T0 B1 T2 B3 T4 B5", [0, 0, 0, 0, 0, 0]), ("T0 B1 T2 B3 T4 B7 T8", [0, 0, 0, 0, 0, 2, 0]),
            ("T0 B1 T2 B3 B5 T6", [0, 0, 0, 0, 1, 0]),
        ] as [(String, [UInt64])])
    func fields(_ fields: String, _ expected: [UInt64]) {
        #expect(missing(fields) == expected)
    }

    @Test("a number that goes back is no loss, nor what follows a restart")
    func restart() {
        #expect(missing("T5 B5 T3 B3") == [0, 0, 0, 0])
        var gaps = FieldGaps()
        _ = gaps.missing(before: 0, field: 2)
        gaps.restart()
        #expect(gaps.missing(before: 100, field: 2) == 0)
        #expect(!gaps.isBottom)
    }
}

@Suite("the shape of pixels")
struct CameraAspectTests {
    private let pal = cm_v4l2_size(width: 720, height: 576)

    private func ratio(
        _ taken: cm_v4l2_size, _ filled: cm_v4l2_size, isAlternating: Bool = false, height: UInt32 = 54,
        width: UInt32 = 59
    ) -> String? {
        CameraAspect.ratio(height: height, width: width, taken: taken, filled: filled, isAlternating: isAlternating)
            .map { "\($0.0):\($0.1)" }
    }

    @Test("it is the driver's where nothing is scaled")
    func whole() {
        #expect(ratio(pal, pal) == "59:54")
        #expect(ratio(cm_v4l2_size(), pal) == "59:54")
        #expect(ratio(pal, pal, height: 1, width: 1) == "1:1")
    }

    @Test("what is scaled in one direction alone changes it")
    func scaled() {
        #expect(ratio(pal, cm_v4l2_size(width: 360, height: 288)) == "59:54")
        #expect(ratio(pal, cm_v4l2_size(width: 360, height: 576)) == "59:27")
        // One field alone: rows of twice the height.
        #expect(ratio(pal, cm_v4l2_size(width: 720, height: 288)) == "59:108")
        #expect(ratio(pal, cm_v4l2_size(width: 720, height: 288), isAlternating: true) == "59:54")
    }

    @Test("nonsense is not believed")
    func nonsense() {
        #expect(ratio(pal, pal, height: 0) == nil)
        #expect(ratio(pal, pal, width: 0) == nil)
        #expect(ratio(pal, pal, height: .max) == nil)
        #expect(ratio(pal, pal, height: 1, width: 60_000) == nil)
        #expect(ratio(pal, cm_v4l2_size(width: .max, height: 1)) == "59:54")
    }
}
