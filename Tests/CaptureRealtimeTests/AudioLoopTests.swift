import CMedia
import CaptureBase
import Testing

@testable import CaptureRealtime

@Suite("Audio loop")
struct AudioLoopTests {
    private let settings = PCMSettings(rate: 48_000, channels: 2, periodFrames: 480, bufferFrames: 4800)
    /// An instant in the recent past, so that a script's timestamps are neither ancient nor in the future.
    private let base = cm_monotonic() - 900_000_000

    private struct Outcome {
        var result: LoopResult
        var headers: [FrameHeader] = []
        var counters: CaptureCounters
        var calls: ScriptedAudio.Calls
    }

    /// Stamp of the frame with that number, had nothing been lost.
    private func at(_ frame: Int) -> Int64 { base + Int64(frame) * 1_000_000_000 / 48_000 }

    private func run(
        _ script: [ScriptedAudio.Entry], slots: Int = 64, control: LoopControl? = nil
    ) throws -> Outcome {
        let (calls, counters) = (ScriptedAudio.Calls(), CaptureCounters())
        let source = ScriptedAudio(script, settings: settings, calls: calls)
        let capture = try AudioCapture(source, slots: slots, control: control ?? LoopControl(), counters: counters)
        var stream = capture.stream
        var consumer = capture.consumer
        var outcome = Outcome(result: stream.capture(), counters: counters, calls: calls)
        stream.finish(outcome.result)
        while consumer.withNext({ header, _ in outcome.headers.append(header) }) != nil {}
        return outcome
    }

    private func expectLaw(_ headers: [FrameHeader], sourceLocation: SourceLocation = #_sourceLocation) {
        var next: UInt64 = 0
        var last: Int64 = 0
        for header in headers {
            #expect(header.sequence == next + header.lost.total, sourceLocation: sourceLocation)
            #expect(header.timestamp > last, sourceLocation: sourceLocation)
            next = header.sequence + UInt64(header.frameCount)
            last = header.timestamp
        }
    }

    @Test("Periods come whole, in order, with the device's timestamps; unplugged is the end")
    func plain() throws {
        let outcome = try run((0..<20).map { .frames(480, at: at($0 * 480)) })
        #expect(outcome.result == LoopResult(.deviceGone))
        #expect(outcome.headers.map(\.timestamp) == (0..<20).map { at($0 * 480) })
        #expect(outcome.headers.allSatisfy { $0.byteCount == 480 * 4 && $0.frameCount == 480 && $0.flags == [] })
        #expect(outcome.counters.delivered == 9600)
        #expect(outcome.counters.bytes == 9600 * 4)
        #expect(outcome.counters.made == 9600)
        expectLaw(outcome.headers)
        #expect(outcome.calls.starts == 1)
        #expect(outcome.calls.stops == 1)
    }

    @Test("Short readings fill one period, stamped by the first of them")
    func short() throws {
        let outcome = try run([
            .frames(100, at: at(0)), .read(.nothing), .frames(380, at: at(100)), .frames(480, at: at(480)),
        ])
        #expect(outcome.headers.map(\.frameCount) == [480, 480])
        #expect(outcome.headers.map(\.timestamp) == [at(0), at(480)])
    }

    @Test("An overrun is prepared and started, counted, and its length stands in the next header")
    func xrun() throws {
        let outcome = try run([
            .frames(480, at: at(0)), .read(.overrun), .frames(480, at: at(480 + 4800)),
            .frames(480, at: at(960 + 4800)),
        ])
        #expect(outcome.calls.recoveries == [false])
        #expect(outcome.headers.map(\.lost) == [Loss(), Loss(device: 4800), Loss()])
        #expect(outcome.headers[1].flags == [.xrun, .gap])
        #expect(outcome.headers[2].flags == [])
        #expect(outcome.counters.xruns == 1)
        #expect(outcome.counters.xrunFrames == 4800)
        #expect(outcome.counters.deviceLost == 4800)
        #expect(outcome.counters.made == 480 * 3 + 4800)
        expectLaw(outcome.headers)
    }

    @Test("What was read of a period before an overrun is kept")
    func partial() throws {
        let outcome = try run([
            .frames(480, at: at(0)), .frames(200, at: at(480)), .read(.overrun), .frames(480, at: at(1680)),
        ])
        #expect(outcome.headers.map(\.frameCount) == [480, 200, 480])
        #expect(outcome.headers[2].lost == Loss(device: 1000))
        expectLaw(outcome.headers)
    }

    @Test("A suspension is resumed, and its length is measured")
    func suspended() throws {
        let outcome = try run([
            .frames(480, at: at(0)), .read(.suspended), .read(.suspended), .read(.woken),
            .frames(480, at: at(480 + 9600)),
        ])
        #expect(outcome.calls.recoveries == [true, true])
        #expect(outcome.headers[1].lost == Loss(device: 9600))
        #expect(outcome.headers[1].flags == [.suspended, .gap])
        #expect(outcome.counters.xruns == 0)
        #expect(outcome.counters.restarts == 1)
        expectLaw(outcome.headers)
    }

    @Test("What is from before a suspension and was not read comes before the gap")
    func unread() throws {
        let outcome = try run([
            .frames(480, at: at(0)), .frames(100, at: at(480)), .read(.suspended), .frames(200, at: at(580)),
            .read(.woken), .frames(480, at: at(780 + 9600)),
        ])
        #expect(outcome.headers.map(\.frameCount) == [480, 100, 200, 480])
        #expect(outcome.headers.map(\.lost) == [Loss(), Loss(), Loss(), Loss(device: 9600)])
        #expect(outcome.headers.map(\.flags) == [[], [], [], [.suspended, .gap]])
        #expect(outcome.counters.restarts == 1)
        expectLaw(outcome.headers)
    }

    @Test("What was read of a period before a restart is kept, and the silence is between the two")
    func restarted() throws {
        let calls = ScriptedAudio.Calls()
        let script: [ScriptedAudio.Entry] = [.frames(200, at: at(0)), .frames(480, at: at(1200))]
        let source = ScriptedAudio(script, settings: settings, calls: calls)
        let capture = try AudioCapture(source, slots: 8, control: LoopControl(), counters: CaptureCounters())
        var stream = capture.stream
        var consumer = capture.consumer
        _ = stream.start()
        _ = stream.process()
        _ = stream.restart()
        _ = stream.process()
        var headers: [FrameHeader] = []
        while consumer.withNext({ header, _ in headers.append(header) }) != nil {}
        #expect(headers.map(\.frameCount) == [200, 480])
        #expect(headers.map(\.lost) == [Loss(), Loss(device: 1000)])
        #expect(headers.map(\.flags) == [[], [.restarted, .gap]])
        #expect([calls.stops, calls.starts] == [1, 2])
        expectLaw(headers)
    }

    @Test("A device that was stopped for a restart is not started for who may not hear it any more")
    func revokedRestart() throws {
        let calls = ScriptedAudio.Calls()
        let control = try LoopControl()
        calls.atStop = { control.request(.revoked) }
        let source = ScriptedAudio([], settings: settings, calls: calls)
        let capture = try AudioCapture(source, slots: 8, control: control, counters: CaptureCounters())
        var stream = capture.stream
        _ = stream.start()
        _ = stream.restart()
        _ = stream.recover(suspended: false)
        #expect([calls.stops, calls.starts] == [1, 1])
        #expect(calls.recoveries.isEmpty)
    }

    @Test("A device that wakes and sleeps again without a sound in between is asked with pauses")
    func sleepless() throws {
        let turn = [ScriptedAudio.Entry.read(.suspended), .read(.woken)]
        let outcome = try run([.frames(480, at: at(0))] + (0..<20).flatMap { _ in turn })
        #expect(outcome.calls.pauses > 0)
        #expect(outcome.counters.restarts == 2)
        #expect(outcome.result == LoopResult(.deviceGone))
    }

    @Test("With a full ring the incoming period is dropped and counted")
    func full() throws {
        let control = try LoopControl()
        let outcome = try run((0..<10).map { .frames(480, at: at($0 * 480)) }, slots: 4, control: control)
        #expect(outcome.headers.map(\.sequence) == [0, 480, 960, 1440])
        #expect(outcome.counters.delivered == 4 * 480)
        #expect(outcome.counters.ringLost == 6 * 480)
        #expect(outcome.counters.made == 10 * 480)
        #expect(control.committed == 4)
    }

    @Test("After a revocation not one period is committed", arguments: [LoopControl.Reason.revoked, .expired, .stop])
    func revoked(reason: LoopControl.Reason) throws {
        let control = try LoopControl()
        // Requested between the wait and the reading: the data is there already.
        let outcome = try run(
            [
                .frames(480, at: at(0)), .run { control.request(reason) }, .frames(480, at: at(480)),
                .frames(480, at: at(960)),
            ],
            control: control)
        #expect(outcome.headers.count == 1)
        #expect(outcome.counters.delivered == 480)
        #expect(outcome.result == control.word.result())
        #expect(outcome.calls.stops == 1)
    }

    @Test("A loop that was revoked before it began never starts its device")
    func revokedBefore() throws {
        let control = try LoopControl()
        control.request(.revoked)
        let outcome = try run([.frames(480, at: at(0))], control: control)
        #expect(outcome.result == LoopResult(.revoked))
        #expect(outcome.calls.starts == 0)
        #expect(outcome.headers.isEmpty)
    }

    @Test("A failing call is the result, what was read before it is kept")
    func failed() throws {
        let fault = RealtimeFault(.readPCM, result: -EIO)
        let outcome = try run([.frames(480, at: at(0)), .frames(10, at: at(480)), .read(.failed(fault))])
        #expect(outcome.result == LoopResult(.failed, fault: fault))
        #expect(outcome.headers.map(\.frameCount) == [480, 10])
    }

    @Test("A call that fails because the device is gone means just that")
    func goneByErrno() throws {
        let fault = RealtimeFault(.poll, result: -ENODEV)
        let outcome = try run([.wakeup(.failed(fault))])
        #expect(outcome.result == LoopResult(.deviceGone, fault: fault))
    }

    @Test("Bad timestamps are replaced, flagged and counted")
    func timestamps() throws {
        let outcome = try run([
            .frames(480, at: at(0)), .frames(480, at: at(0)), .frames(480, at: at(-480)), .frames(480, at: .max),
            .frames(480, at: at(4 * 480)),
        ])
        #expect(outcome.headers.map { $0.flags.contains(.repairedTimestamp) } == [false, true, true, true, false])
        #expect(outcome.counters.repairedTimestamps == 3)
        expectLaw(outcome.headers)
    }
}
