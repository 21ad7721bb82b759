import CaptureGate
import Testing

@testable import CaptureEncoding

@Suite("Held frames")
struct HeldFramesTests {
    private func fill(_ held: HeldFrames, _ numbers: Range<Int>, bytes: Int = 4) {
        for number in numbers {
            let header = FrameHeader(
                sequence: UInt64(number), timestamp: Int64(number) * 100, byteCount: bytes, frameCount: 1)
            let frame = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
            held.append(header, frame.span.bytes)
        }
    }

    private func takeAll(_ held: HeldFrames) throws -> [UInt64] {
        var numbers: [UInt64] = []
        while !held.isEmpty {
            try held.takeFirst { (header, bytes) throws(CaptureError) in
                let first = bytes.withUnsafeBytes { $0[0] }
                if first == UInt8(truncatingIfNeeded: header.sequence) { numbers.append(header.sequence) }
            }
        }
        return numbers
    }

    @Test("come out in their order, with their own bytes")
    func order() throws {
        let held = HeldFrames()
        fill(held, 0..<3000)
        #expect(held.byteCount >= 12_000 && held.oldest == 0)
        #expect(try takeAll(held) == Array(0..<3000))
        #expect(held.byteCount == 0 && held.oldest == nil)
        fill(held, 7..<9)
        #expect(try takeAll(held) == [7, 8])
    }

    @Test("that are too old go; the one in which the moment lies stays")
    func age() throws {
        let held = HeldFrames()
        fill(held, 0..<50)
        var dropped: [UInt64] = []
        while let header = held.dropFirst(before: 4250, most: .max) { dropped.append(header.sequence) }
        #expect(dropped == Array(0..<42))
        #expect(try takeAll(held) == Array(42..<50))
    }

    @Test("need no more memory than there is, but one is always there")
    func memory() throws {
        let held = HeldFrames()
        fill(held, 0..<50, bytes: 1000)
        while held.dropFirst(before: 0, most: 10_400) != nil {}
        #expect(held.byteCount <= 10_400 && held.oldest == 4000)
        while held.dropFirst(before: 0, most: 1) != nil {}
        #expect(try takeAll(held) == [49])
    }
}
