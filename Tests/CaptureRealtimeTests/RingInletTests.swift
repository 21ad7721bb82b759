import CMedia
import CaptureBase
import Synchronization
import Testing

@testable import CaptureRealtime

@Suite("Ring that a library fills piece by piece")
struct RingInletTests {
    private let sound = PCMSettings(rate: 48_000, channels: 2, format: .s16, periodFrames: 480)
    private let pictures = CameraFormat(
        width: 32, height: 32, fourcc: 0x5659_5559, layouts: [PlaneLayout(bytesPerLine: 64, sizeImage: 2048)],
        fpsNumerator: 30, fpsDenominator: 1)
    /// An instant in the recent past, so that timestamps are neither ancient nor in the future.
    private let base = cm_monotonic() - 900_000_000

    /// Counts how often a stream was closed.
    private final class Lender: RingLender {
        private let count = Atomic<Int>(0)
        var closed: Int { count.load(ordering: .acquiring) }
        func close() { count.add(1, ordering: .acquiringAndReleasing) }
    }

    private func bytes(_ count: Int, _ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: count) }

    @Test("Sound in pieces shorter than a period arrives in periods, at its time, with the holes between")
    func sounds() throws {
        var inlet = try RingInlet(sound: sound)
        let lender = Lender()
        let source = try SharedMicrophone(inlet.reader(), settings: sound, of: lender)
        // 240 frames are 5 ms; 960 frames are missing before the third piece.
        bytes(960, 1).withUnsafeBytes { inlet.take($0, at: base, lost: 0) }
        bytes(960, 2).withUnsafeBytes { inlet.take($0, at: base + 5_000_000, lost: 0) }
        bytes(1920, 3).withUnsafeBytes { inlet.take($0, at: base + 30_000_000, lost: 960) }
        inlet.finish(LoopResult(.deviceGone))
        let counters = CaptureCounters()
        let capture = try AudioCapture(source, control: LoopControl(), counters: counters)
        var stream = capture.stream
        var consumer = capture.consumer
        let result = stream.capture()
        #expect(lender.closed == 0)
        stream.finish(result)
        #expect(result == LoopResult(.deviceGone))
        #expect(lender.closed == 1)
        var headers: [FrameHeader] = []
        var values: [[UInt8]] = []
        while let header = consumer.withNext({ header, bytes in
            values.append(bytes.withUnsafeBytes { Array(Set($0)).sorted() })
            return header
        }) {
            headers.append(header)
        }
        #expect(headers.map(\.frameCount) == [480, 480])
        #expect(headers.map(\.timestamp) == [base, base + 30_000_000])
        #expect(headers.map(\.lost.device) == [0, 960])
        #expect(values == [[1, 2], [3]])
    }

    @Test("Pictures arrive with the holes that their source told of, and one that did not come whole is counted")
    func images() throws {
        var inlet = try RingInlet(pictures: pictures)
        let lender = Lender()
        let source = try SharedCamera(inlet.reader(), format: pictures, of: lender)
        let interval: Int64 = 33_333_333
        for (index, lost) in [(0, 0), (1, 0), (4, 2)] as [(Int64, UInt64)] {
            bytes(2048, UInt8(index)).withUnsafeBytes { inlet.take($0, at: base + index * interval, lost: lost) }
        }
        inlet.take(UnsafeRawBufferPointer(start: nil, count: 0), at: base + 5 * interval, lost: 0)
        inlet.finish(LoopResult(.deviceGone))
        let counters = CaptureCounters()
        let capture = try VideoCapture(source, control: LoopControl(), counters: counters)
        var stream = capture.stream
        var consumer = capture.consumer
        stream.finish(stream.capture())
        #expect(lender.closed == 1)
        var lost: [UInt64] = []
        while let header = consumer.withNext({ header, _ in header }) { lost.append(header.lost.device) }
        #expect(lost == [0, 0, 2])
        #expect(counters.deviceLost == 2 && counters.empty == 1)
    }

    @Test("A source that is released before it ran closes its stream, once")
    func released() throws {
        let inlet = try RingInlet(sound: sound)
        let lender = Lender()
        do { _ = try SharedMicrophone(inlet.reader(), settings: sound, of: lender) }
        #expect(lender.closed == 1)
    }

    @Test("A ring for impossible settings is refused")
    func impossible() {
        #expect(throws: RealtimeFault.self) {
            _ = try RingInlet(sound: PCMSettings(rate: 48_000, channels: 0, format: .s16, periodFrames: 480))
        }
    }
}
