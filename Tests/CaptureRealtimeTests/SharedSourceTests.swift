import CMedia
import CaptureBase
import Glibc
import Testing

@testable import CaptureRealtime

@Suite("Sources over a shared ring")
struct SharedSourceTests {
    private let interval: Int64 = 33_333_333
    private let format = CameraFormat(
        width: 32, height: 32, fourcc: 0x5659_5559, layouts: [PlaneLayout(bytesPerLine: 64, sizeImage: 2048)],
        fpsNumerator: 30, fpsDenominator: 1)
    private let sound = PCMSettings(rate: 48_000, channels: 2, format: .s16, periodFrames: 480)
    /// An instant in the recent past, so that timestamps are neither ancient nor in the future.
    private let base = cm_monotonic() - 900_000_000

    private func picture(_ sequence: UInt64, _ flags: FrameFlags = []) -> FrameHeader {
        FrameHeader(
            sequence: sequence, timestamp: base + Int64(sequence) * interval, byteCount: 2048, frameCount: 1,
            flags: flags)
    }

    private func shoot(_ writer: inout SharedRingWriter, _ sequence: UInt64, _ flags: FrameFlags = []) {
        let words = [UInt64](repeating: sequence, count: 256)
        writer.write(picture(sequence, flags), words.span.bytes)
    }

    /// Result of the loop over a ring, and what its reader was given.
    private struct Heard {
        var result: LoopResult
        var headers: [FrameHeader] = []
        var sums = Sums()
        let counters = CaptureCounters()
    }

    /// Runs the loop over what the ring holds, until its end.
    private func watch(_ writer: borrowing SharedRingWriter, control: LoopControl? = nil) throws -> Heard {
        var heard = Heard(result: LoopResult(.stopped))
        let source = try SharedCamera(writer.lend(), format: format)
        let capture = try VideoCapture(source, control: control ?? LoopControl(), counters: heard.counters)
        var stream = capture.stream
        var consumer = capture.consumer
        heard.result = stream.capture()
        stream.finish(heard.result)
        while let header = consumer.withNext({ header, bytes in
            heard.sums.add(header, bytes)
            return header
        }) {
            heard.headers.append(header)
        }
        return heard
    }

    @Test("The loop runs over a lent camera as over its own: same bytes, timestamps, holes and end")
    func camera() throws {
        var writer = try SharedRingWriter(SharedGeometry(for: format))
        for sequence in [0, 1, 4, 5, 9] as [UInt64] { shoot(&writer, sequence) }
        writer.finish(LoopResult(.deviceGone))
        let heard = try watch(writer)
        #expect(heard.result == LoopResult(.deviceGone))
        #expect(heard.headers.map(\.sequence) == [0, 1, 4, 5, 9])
        #expect(heard.headers.map(\.timestamp) == [0, 1, 4, 5, 9].map { base + $0 * interval })
        #expect(heard.headers.map(\.lost.device) == [0, 0, 2, 0, 3])
        #expect(heard.counters.deviceLost == 5 && heard.counters.made == 10)
        #expect(heard.sums.torn == 0 && heard.sums.lawBroken == 0)
    }

    @Test("Frames that were overwritten are holes of the device")
    func lapped() throws {
        var writer = try SharedRingWriter(SharedGeometry(slots: 4, slotBytes: 2048))
        var source = try SharedCamera(writer.lend(), format: format)
        for buffer in 0..<3 { _ = source.queue(buffer) }
        var seen: [UInt32] = []
        for written in [2, 12] as [UInt64] {
            while writer.written < written { shoot(&writer, writer.written) }
            var wakeup = source.wait(control: -1, milliseconds: 0)
            #expect(wakeup.isReady)
            while case .buffer(let buffer) = source.dequeue() {
                #expect(
                    source.buffers.address(buffer.index, plane: 0)!.load(as: UInt64.self) == UInt64(buffer.sequence))
                seen.append(buffer.sequence)
                _ = source.queue(buffer.index)
            }
            wakeup = source.wait(control: -1, milliseconds: 0)
            #expect(!wakeup.isReady)
        }
        #expect(seen == [0, 1, 8, 9, 10, 11])
    }

    @Test("After a revocation nothing that was unread is handed out")
    func revoked() throws {
        for end in [LoopEnd.revoked, .expired] {
            var writer = try SharedRingWriter(SharedGeometry(for: format))
            for sequence in 0..<3 { shoot(&writer, UInt64(sequence)) }
            writer.finish(LoopResult(end))
            let heard = try watch(writer)
            #expect(heard.result == LoopResult(end))
            #expect(heard.headers.isEmpty)
        }
    }

    @Test("A lender that stops unasked is a device that is gone; a stop that was asked for is one")
    func stopped() throws {
        var writer = try SharedRingWriter(SharedGeometry(for: format))
        shoot(&writer, 0)
        writer.finish(LoopResult(.stopped))
        let unasked = try watch(writer)
        #expect(unasked.result == LoopResult(.deviceGone))
        let control = try LoopControl()
        control.request(.stop)
        let asked = try watch(writer, control: control)
        #expect(asked.result == LoopResult(.stopped))
    }

    @Test("The state of the signal comes with the frames")
    func signal() throws {
        var writer = try SharedRingWriter(SharedGeometry(for: format))
        let flags: [FrameFlags] = [[], .covered, .covered, .noSignal, []]
        for (sequence, flags) in flags.enumerated() { shoot(&writer, UInt64(sequence), flags) }
        writer.finish(LoopResult(.deviceGone))
        let heard = try watch(writer)
        #expect(heard.headers.map(\.flags) == flags)
    }

    @Test("Frames in several planes keep them, each in memory of its own")
    func planes() throws {
        var planar = format
        planar.layouts = [
            PlaneLayout(bytesPerLine: 32, sizeImage: 5000), PlaneLayout(bytesPerLine: 32, sizeImage: 3000),
        ]
        var writer = try SharedRingWriter(SharedGeometry(for: planar))
        var source = try SharedCamera(writer.lend(), format: planar)
        _ = source.queue(2)
        let (first, second) = ([UInt8](repeating: 1, count: 5000), [UInt8](repeating: 2, count: 3000))
        writer.write(picture(0), first.span.bytes, second.span.bytes)
        guard case .buffer(let buffer) = source.dequeue() else {
            Issue.record("There is no frame.")
            return
        }
        #expect(buffer.index == 2 && (0..<2).map(buffer.planes.byteCount) == [5000, 3000])
        for (plane, byte, count) in [(0, 1, 5000), (1, 2, 3000)] {
            let bytes = UnsafeRawBufferPointer(start: source.buffers.address(2, plane: plane), count: count)
            #expect(bytes.allSatisfy { $0 == byte })
        }
    }

    @Test("Formats and sounds that can't be are refused before memory is reserved")
    func impossible() throws {
        let writer = try SharedRingWriter(SharedGeometry(for: format))
        var wrong = format
        wrong.layouts = []
        #expect(throws: RealtimeFault.self) { _ = try SharedCamera(writer.lend(), format: wrong) }
        wrong.layouts = [PlaneLayout(bytesPerLine: 64, sizeImage: 0)]
        #expect(throws: RealtimeFault.self) { _ = try SharedCamera(writer.lend(), format: wrong) }
        wrong.layouts = [PlaneLayout(bytesPerLine: 64, sizeImage: 1 << 40)]
        #expect(throws: RealtimeFault.self) { _ = try SharedCamera(writer.lend(), format: wrong) }
        for settings in [
            PCMSettings(periodFrames: 0), PCMSettings(rate: 0, periodFrames: 480),
            PCMSettings(channels: .max, periodFrames: 480), PCMSettings(periodFrames: .max),
        ] {
            #expect(throws: RealtimeFault.self) { _ = try SharedMicrophone(writer.lend(), settings: settings) }
        }
    }

    // MARK: Audio

    private func speak(_ writer: inout SharedRingWriter, _ sequence: UInt64, _ frames: Int = 480) {
        let instant = base + SampleClock(rate: 48_000).nanoseconds(Int64(sequence))
        let header = FrameHeader(sequence: sequence, timestamp: instant, byteCount: 4 * frames, frameCount: frames)
        let samples = (0..<frames).map { UInt32(truncatingIfNeeded: sequence) + UInt32($0) }
        writer.write(header, samples.span.bytes)
    }

    /// Runs the loop over what the ring holds; `numbers` are the frames' own.
    private func listen(_ writer: borrowing SharedRingWriter) throws -> (heard: Heard, numbers: [UInt32]) {
        var (heard, numbers) = (Heard(result: LoopResult(.stopped)), [UInt32]())
        let source = try SharedMicrophone(writer.lend(), settings: sound)
        let capture = try AudioCapture(source, control: LoopControl(), counters: heard.counters)
        var stream = capture.stream
        var consumer = capture.consumer
        heard.result = stream.capture()
        stream.finish(heard.result)
        while let header = consumer.withNext({ header, bytes in
            for frame in 0..<header.frameCount {
                numbers.append(bytes.unsafeLoadUnaligned(fromByteOffset: 4 * frame, as: UInt32.self))
            }
            return header
        }) {
            heard.headers.append(header)
        }
        return (heard, numbers)
    }

    @Test("The loop runs over a lent microphone: same samples, and holes to the frame")
    func microphone() throws {
        var writer = try SharedRingWriter(SharedGeometry(for: sound))
        for sequence in [0, 480, 960, 1500, 1980] as [UInt64] { speak(&writer, sequence) }
        writer.finish(LoopResult(.deviceGone))
        let (heard, numbers) = try listen(writer)
        #expect(heard.result == LoopResult(.deviceGone))
        #expect(numbers == Array(0..<1440) + Array(1500..<2460))
        #expect(heard.headers.map(\.sequence) == [0, 480, 960, 1500, 1980])
        #expect(heard.headers.map(\.lost.device) == [0, 0, 0, 60, 0])
        #expect(heard.headers.map { $0.flags == [.gap] } == [false, false, false, true, false])
        #expect(heard.counters.deviceLost == 60)
    }

    @Test("Short periods are joined, and end where a hole does")
    func short() throws {
        var writer = try SharedRingWriter(SharedGeometry(for: sound))
        speak(&writer, 0, 100)
        speak(&writer, 100)
        speak(&writer, 580, 20)
        speak(&writer, 700)
        writer.finish(LoopResult(.deviceGone))
        let (heard, numbers) = try listen(writer)
        #expect(numbers == Array(0..<600) + Array(700..<1180))
        #expect(heard.headers.map(\.sequence) == [0, 480, 700])
        #expect(heard.headers.map(\.frameCount) == [480, 120, 480])
        #expect(heard.headers.map(\.lost.device) == [0, 0, 100])
        let clock = SampleClock(rate: 48_000)
        // Counted from the start of the period that was written, each rounded on its own.
        let instants = [0, clock.nanoseconds(100) + clock.nanoseconds(380), clock.nanoseconds(700)]
        #expect(heard.headers.map(\.timestamp) == instants.map { base + $0 })
    }

    @Test("Sound of a revoked permission is not handed out; numbers that go back end the stream")
    func silenced() throws {
        var writer = try SharedRingWriter(SharedGeometry(for: sound))
        speak(&writer, 0)
        writer.finish(LoopResult(.revoked))
        var heard = try listen(writer).heard
        #expect(heard.result == LoopResult(.revoked) && heard.headers.isEmpty)
        writer = try SharedRingWriter(SharedGeometry(for: sound))
        speak(&writer, 4800)
        speak(&writer, 0)
        heard = try listen(writer).heard
        #expect(heard.result == .brokenShare)
        #expect(heard.headers.map(\.frameCount) == [480])
    }

    @Test("On a thread of its own a lent camera delivers or counts all that was written")
    func thread() throws {
        var writer = try SharedRingWriter(SharedGeometry(for: format))
        let control = try LoopControl()
        let capture = try VideoCapture(
            SharedCamera(writer.lend(), format: format), control: control, counters: CaptureCounters())
        // Numbers count from the first frame that is seen, so that one must not be overwritten before.
        shoot(&writer, 0)
        RealtimeQueue(label: "test").run(capture.stream) { _ in }
        var consumer = capture.consumer
        var sums = Sums()
        if case .ready = consumer.wait(milliseconds: 60_000) { consumer.withNext { sums.add($0, $1) } }
        let carrier = Carrier(writer)
        let base = base
        let wait = onThread {
            var writer = carrier.take()
            for sequence in 1..<500 as Range<UInt64> {
                let words = [UInt64](repeating: sequence, count: 256)
                let header = FrameHeader(
                    sequence: sequence, timestamp: base + Int64(sequence) + 1, byteCount: 2048, frameCount: 1)
                writer.write(header, words.span.bytes)
                sched_yield()
            }
            writer.finish(LoopResult(.deviceGone))
            carrier.put(writer)
        }
        var end: LoopResult?
        while end == nil {
            switch consumer.wait(milliseconds: 60_000) {
            case .ready: while consumer.withNext({ header, bytes in sums.add(header, bytes) }) != nil {}
            case .ended(let result): end = result
            case .timedOut: end = LoopResult(.stalled)
            }
        }
        wait()
        #expect(end == LoopResult(.deviceGone))
        #expect(sums.torn == 0 && sums.lawBroken == 0)
        #expect(sums.delivered + sums.lost <= 500 && sums.delivered > 0)
    }
}

extension SourceWakeup {
    fileprivate var isReady: Bool {
        if case .ready = self { true } else { false }
    }
}
