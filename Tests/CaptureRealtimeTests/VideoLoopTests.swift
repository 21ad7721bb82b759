import CMedia
import CaptureBase
import Testing

@testable import CaptureRealtime

@Suite("Video loop")
struct VideoLoopTests {
    /// An instant in the recent past, so that a script's timestamps are neither ancient nor in the future.
    private let base = cm_monotonic() - 900_000_000
    private let interval: Int64 = 33_333_333

    private struct Outcome {
        var result: LoopResult
        var headers: [FrameHeader] = []
        /// The driver's number, as stored in the frame.
        var pictures: [UInt32] = []
        /// Where the reader saw each.
        var addresses: [UInt] = []
        var counters: CaptureCounters
        var calls: ScriptedVideo.Calls
    }

    private func at(_ picture: Int) -> Int64 { base + Int64(picture) * interval }

    private func pictures(_ numbers: [UInt32]) -> [ScriptedVideo.Entry] {
        numbers.enumerated().map { .picture($1, at: at($0)) }
    }

    /// Waits that bring nothing, each longer than the watchdog's slice of 125 ms. Each counts as one slice, however slow the
    /// machine is; four are a stall.
    private func silence(_ waits: Int) -> [ScriptedVideo.Entry] {
        (0..<waits).flatMap { _ -> [ScriptedVideo.Entry] in [.run { _ = cm_poll(nil, 0, 130) }, .wakeup(.quiet)] }
    }

    /// - Parameter isReading: True if the reader takes each frame at once, otherwise all at the end.
    private func run(
        _ script: [ScriptedVideo.Entry], buffers: Int = 6, isReading: Bool = true, control: LoopControl? = nil
    ) throws -> Outcome {
        let (calls, counters) = (ScriptedVideo.Calls(), CaptureCounters())
        let reader = Reader()
        let read: [ScriptedVideo.Entry] = isReading ? [.run { reader.drain() }] : []
        let source = try ScriptedVideo(script.flatMap { read + [$0] }, buffers: buffers, calls: calls)
        let capture = try VideoCapture(source, control: control ?? LoopControl(), counters: counters)
        var stream = capture.stream
        reader.adopt(capture.consumer)
        let result = stream.capture()
        stream.finish(result)
        reader.drain()
        return Outcome(
            result: result, headers: reader.headers, pictures: reader.pictures, addresses: reader.addresses,
            counters: counters, calls: calls)
    }

    private func expectLaw(_ headers: [FrameHeader], sourceLocation: SourceLocation = #_sourceLocation) {
        var (next, last) = (UInt64(0), Int64(0))
        for header in headers {
            #expect(header.sequence == next + header.lost.total, sourceLocation: sourceLocation)
            #expect(header.timestamp > last, sourceLocation: sourceLocation)
            next = header.sequence + 1
            last = header.timestamp
        }
    }

    @Test("Pictures come in order, uncopied, with the device's timestamps")
    func plain() throws {
        let outcome = try run(pictures(Array(0..<20)))
        #expect(outcome.result == LoopResult(.deviceGone))
        #expect(outcome.pictures == Array(0..<20))
        #expect(outcome.addresses == outcome.calls.addresses)
        #expect(outcome.headers.map(\.timestamp) == (0..<20).map(at))
        #expect(outcome.counters.delivered == 20)
        #expect(outcome.counters.made == 20)
        #expect(outcome.calls.fewestFree >= 2)
        expectLaw(outcome.headers)
    }

    /// Stamps of the ends of frames, and of the beginnings where a number is odd or from a number on.
    private func stamped(atEnd: (Int) -> Bool) throws -> Outcome {
        try run(
            (0..<30).map { number in
                let lag = atEnd(number) ? interval : 0
                let buffer = DequeuedBuffer(
                    index: number % 6, sequence: UInt32(number), timestamp: at(number) + lag, timestampLag: lag,
                    isFlagged: false, planes: FramePlanes(byteCount: 2048))
                return .read(.buffer(buffer))
            })
    }

    @Test("Pictures that are stamped when they end stand where those stand that are stamped when they begin")
    func endOfFrame() throws {
        for atEnd in [{ _ in true }, { $0 % 2 == 0 }, { $0 < 15 }, { $0 >= 15 }] as [(Int) -> Bool] {
            let outcome = try stamped(atEnd: atEnd)
            #expect(outcome.headers.map(\.timestamp) == (0..<30).map(at))
            #expect(outcome.headers.allSatisfy { $0.flags.isEmpty })
            expectLaw(outcome.headers)
        }
    }

    @Test("A frame's duration is taken off, half a second at most; of an unknown rate nothing")
    func lag() {
        #expect(DequeuedBuffer.lag(of: 33_333_333) == 33_333_333)
        #expect(DequeuedBuffer.lag(of: 10_000_000_000) == 500_000_000)
        #expect(DequeuedBuffer.lag(of: 0) == 0)
        let buffer = DequeuedBuffer(
            index: 0, sequence: 0, timestamp: 0, timestampLag: 5, isFlagged: false, planes: FramePlanes(byteCount: 1))
        // No stamp stays none.
        #expect(buffer.beginning == 0)
    }

    @Test(
        "Holes in the numbers are the device's loss, exactly, whatever it starts with", arguments: [0, UInt32.max - 3])
    func holes(first: UInt32) throws {
        let outcome = try run(pictures([0, 1, 4, 5, 9].map { first &+ $0 }))
        #expect(outcome.headers.map(\.lost.device) == [0, 0, 2, 0, 3])
        #expect(outcome.headers.map { $0.flags == [.gap] } == [false, false, true, false, true])
        #expect(outcome.counters.deviceLost == 5)
        #expect(outcome.counters.made == 10)
        expectLaw(outcome.headers)
    }

    @Test("Broken, empty and short pictures are left out, each counted in its own column; the next one is good")
    func damaged() throws {
        let outcome = try run([
            .picture(0, at: at(0)), .picture(1, at: at(1), isFlagged: true), .picture(2, at: at(2), bytes: 0),
            .picture(3, at: at(3), bytes: 2047), .picture(4, at: at(4)),
        ])
        #expect(outcome.pictures == [0, 4])
        #expect(outcome.headers.map(\.lost) == [Loss(), Loss(damaged: 3)])
        #expect(outcome.counters.flagged == 1)
        #expect(outcome.counters.empty == 1)
        #expect(outcome.counters.short == 1)
        #expect(outcome.counters.made == 5)
        expectLaw(outcome.headers)
    }

    @Test("A reader that does not read loses the oldest pictures, and the device none of its buffers")
    func slow() throws {
        let outcome = try run(pictures(Array(0..<20)), buffers: 6, isReading: false)
        #expect(outcome.pictures == [16, 17, 18, 19])
        #expect(outcome.headers[0].lost == Loss(ring: 16))
        #expect(outcome.counters.delivered == 4)
        #expect(outcome.counters.ringLost == 16)
        #expect(outcome.counters.made == 20)
        #expect(outcome.calls.fewestFree >= 2)
        expectLaw(outcome.headers)
    }

    @Test("Loss of every kind at once adds up", arguments: 1...30)
    func everything(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var number = UInt32.random(in: .min ... .max, using: &random)
        var made: UInt64 = 0
        let script: [ScriptedVideo.Entry] = (0..<24).map { index in
            let missing = Bool.random(using: &random) || index == 0 ? 0 : UInt32.random(in: 1...9, using: &random)
            number &+= missing + 1
            made += UInt64(missing) + 1
            let bytes = [2048, 2048, 2048, 0, 7].randomElement(using: &random)!
            return .picture(number, at: at(index), bytes: bytes, isFlagged: Int.random(in: 0..<6, using: &random) == 0)
        }
        let outcome = try run(
            script, buffers: Int.random(in: 3...6, using: &random), isReading: Bool.random(using: &random))
        #expect(outcome.counters.made == made)
        #expect(outcome.counters.delivered == UInt64(outcome.headers.count))
        expectLaw(outcome.headers)
    }

    @Test("After a revocation not one picture is committed, and what is unread is taken away")
    func revoked() throws {
        let control = try LoopControl()
        let script = pictures([0, 1, 2]) + [.run { control.request(.revoked) }] + pictures([3, 4])
        let outcome = try run(script, isReading: false, control: control)
        #expect(outcome.result == LoopResult(.revoked))
        #expect(control.committed == 3)
        #expect(outcome.headers.isEmpty)
        #expect(outcome.counters.delivered == 0)
        #expect(outcome.counters.made == 3)
    }

    @Test("After a stop what was committed can still be read")
    func stopped() throws {
        let control = try LoopControl()
        let script = pictures([0, 1, 2]) + [.run { control.request(.stop) }] + pictures([3, 4])
        let outcome = try run(script, isReading: false, control: control)
        #expect(outcome.result == LoopResult(.stopped))
        #expect(outcome.pictures == [0, 1, 2])
    }

    @Test("A fatal streaming error is the result")
    func fatal() throws {
        let fault = RealtimeFault(.dequeueBuffer, result: -EIO)
        let outcome = try run(pictures([0]) + [.wakeup(.trouble), .read(.failed(fault))])
        #expect(outcome.result == LoopResult(.failed, fault: fault))
        #expect(outcome.pictures == [0])
    }

    @Test("A device that falls silent is started again once, which is counted, and its pause measured by the clock")
    func stall() throws {
        // Started again after the fourth.
        let later = ScriptedVideo.Entry.picture(7, at: at(4))
        let outcome = try run(pictures([3]) + silence(5) + [later])
        #expect(outcome.counters.stalls == 1)
        #expect(outcome.counters.restarts == 1)
        #expect(outcome.calls.starts == 2)
        #expect(outcome.pictures == [3, 7])
        #expect(outcome.headers[1].flags == [.restarted, .gap])
        #expect(outcome.headers[1].lost == Loss(device: 3))
        expectLaw(outcome.headers)
    }

    @Test("What comes broken after a restart is counted once, as broken, and what is missing around it as missing")
    func brokenRestart() throws {
        let later: [ScriptedVideo.Entry] = [
            .picture(0, at: at(4), bytes: 0), .picture(2, at: at(6)), .picture(3, at: at(7)),
        ]
        let outcome = try run(pictures([3]) + silence(5) + later)
        #expect(outcome.pictures == [3, 2, 3])
        #expect(outcome.headers.map(\.lost) == [Loss(), Loss(device: 4, damaged: 1), Loss()])
        #expect(outcome.headers.map(\.sequence) == [0, 6, 7])
        #expect(outcome.counters.made == 8)
        expectLaw(outcome.headers)
    }

    @Test("A device that was stopped for a restart is not started for who may not see it any more")
    func revokedRestart() throws {
        let (calls, control) = (ScriptedVideo.Calls(), try LoopControl())
        let capture = try VideoCapture(
            ScriptedVideo([], calls: calls), control: control, counters: CaptureCounters())
        var stream = capture.stream
        _ = stream.start()
        control.request(.revoked)
        _ = stream.restart()
        #expect([calls.stops, calls.starts] == [1, 1])
    }

    @Test("A device that stays silent after its restart has stalled")
    func stalled() throws {
        let outcome = try run(pictures([0]) + silence(9))
        #expect(outcome.result == LoopResult(.stalled))
        #expect(outcome.counters.stalls == 2)
        #expect(outcome.counters.restarts == 1)
    }
}
