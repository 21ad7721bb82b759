import CaptureGate
import GateTestKit
import Testing

/// Each runs twice: the program opens the device itself, and a broker does.
@Suite("Session")
struct SessionTests {
    /// How a revoked capture ended, and how many frames were committed after its end was seen.
    private struct Ended: Sendable {
        let end: SessionEnd?
        let late: UInt64
    }

    @Test("A granted microphone delivers, and its ledger adds up", arguments: Opener.allCases)
    func granted(opener: Opener) async throws {
        let gate = try GateFixture(answers: [.allow(.once)], opener)
        let statistics = try await gate.queue.run(
            Capture(microphone: "test:tone") { permit throws(CaptureError) in
                var permit = permit
                var session = try await AudioSession(opening: permit.takeOnly())
                session.start()
                var frames = 0
                while frames < 4800, session.end == nil, session.wait(milliseconds: 60_000) {
                    frames +=
                        session.withNext { header, bytes in
                            #expect(bytes.byteCount == header.byteCount)
                            return header.frameCount
                        } ?? 0
                }
                return await session.close()
            })
        #expect(statistics.delivered >= 4800)
        #expect(
            statistics.made == statistics.delivered + statistics.lostByDevice + statistics.lostByReader
                + statistics.damaged + statistics.empty + statistics.short)
        #expect(gate.prompter.questions.count == 1)
    }

    @Test(
        "A microphone delivers in pieces of the period that was asked for, within what is sensible",
        arguments: Opener.allCases,
        [
            (nil, 480), (Duration.milliseconds(100), 4800), (.zero, 48), (.seconds(-1), 48),
            (.seconds(1_000_000), 48_000),
        ])
    func period(opener: Opener, period: (asked: Duration?, frames: Int)) async throws {
        let (asked, frames) = period
        let gate = try GateFixture(answers: [.allow(.once)], opener)
        let got = try await gate.queue.run(
            Capture(microphone: "test:tone") { permit throws(CaptureError) in
                var permit = permit
                var session = try await AudioSession(
                    opening: permit.takeOnly(), settings: AudioSettings(period: asked))
                session.start()
                var count: Int?
                while count == nil, session.wait(milliseconds: 60_000) {
                    count = session.withNext { header, _ in header.frameCount }
                }
                await session.close()
                return count
            })
        #expect(got == frames)
    }

    @Test(
        "Who leaves the frames and closes them has the device closed, and its end in the log",
        arguments: Opener.allCases)
    func leftFrames(opener: Opener) async throws {
        let gate = try GateFixture(answers: [.allow(.once)], opener)
        try await gate.queue.run(
            Capture(microphone: "test:tone") { permit throws(CaptureError) in
                var permit = permit
                let frames = try await AudioSession(opening: permit.takeOnly()).frames()
                for try await _ in frames { break }
                await frames.close()
                await frames.close()
            })
        let lines = try gate.otherStore().audit.last(2)
        #expect(lines.map { $0.event?.kind } == [.start, .stop])
    }

    @Test("A camera and a microphone are one question", arguments: Opener.allCases)
    func oneQuestion(opener: Opener) async throws {
        let gate = try GateFixture(answers: [.allow(.once)], opener)
        let count = try await gate.queue.run(
            Capture(microphone: "test:tone", camera: "test:bars") { permit throws(CaptureError) in
                permit.devices.count
            })
        #expect(count == 2)
        #expect(gate.prompter.questions.map(\.items.count) == [2])
    }

    @Test("A denied camera is refused, now and without a second question", arguments: Opener.allCases)
    func denied(opener: Opener) async throws {
        let gate = try GateFixture(answers: [.deny], opener)
        for _ in 0..<2 {
            let error = await #expect(throws: CaptureError.self) {
                try await gate.queue.run(Capture(camera: "test:bars") { _ throws(CaptureError) in })
            }
            #expect(error?.kind == .notAuthorized)
        }
        #expect(gate.prompter.questions.count == 1)
    }

    @Test("A grant for once is used up by one capture", arguments: Opener.allCases)
    func once(opener: Opener) async throws {
        let gate = try GateFixture(answers: [.allow(.once), .deny], opener)
        let capture = Capture(microphone: "test:tone") { permit throws(CaptureError) in
            var permit = permit
            let session = try await AudioSession(opening: permit.takeOnly())
            await session.close()
        }
        try await gate.queue.run(capture)
        await #expect(throws: CaptureError.self) { try await gate.queue.run(capture) }
        #expect(gate.prompter.questions.count == 2)
    }

    @Test("A permit of one device opens no other", arguments: Opener.allCases)
    func otherDevice(opener: Opener) async throws {
        let gate = try GateFixture(answers: [.allow(.once)], opener)
        let taken = try await gate.queue.run(
            Capture(microphone: "test:tone") { permit throws(CaptureError) in
                var permit = permit
                return permit.take(DeviceID(rawValue: "test:bars")) != nil
            })
        #expect(!taken)
    }

    @Test("A revocation from outside ends a running capture, and not one frame follows it", arguments: Opener.allCases)
    func revoked(opener: Opener) async throws {
        let gate = try GateFixture(answers: [.allow(.always)], opener)
        let ended = try await gate.queue.run(
            Capture<Ended>(camera: "test:bars") { permit throws(CaptureError) -> Ended in
                var permit = permit
                var session = try await VideoSession(opening: permit.takeOnly())
                session.start()
                guard session.wait(milliseconds: 60_000) else { return Ended(end: nil, late: 0) }
                do { try gate.revokeFromOutside() } catch { throw CaptureError(.store, "\(error)") }
                // The capture ends by itself; until then there may be frames from before.
                while session.end == nil, session.wait(milliseconds: 60_000) {
                    while session.withNext({ _, _ in }) != nil {}
                }
                let end = session.end
                let delivered = session.statistics.delivered
                let final = await session.close()
                return Ended(end: end, late: final.delivered - delivered)
            })
        guard case .refused(let error) = ended.end else {
            Issue.record("ended otherwise: \(String(describing: ended.end))")
            return
        }
        #expect(error.kind == .revoked)
        #expect(ended.late == 0)
    }

    @Test("Frames as a sequence end where the consumer leaves, and the device is closed", arguments: Opener.allCases)
    func sequence(opener: Opener) async throws {
        let gate = try GateFixture(answers: [.allow(.once)], opener)
        let numbers = try await gate.queue.run(
            Capture(microphone: "test:tone") { permit throws(CaptureError) in
                var permit = permit
                let session = try await AudioSession(opening: permit.takeOnly())
                var numbers: [UInt64] = []
                for try await period in session.frames() {
                    numbers.append(period.header.sequence)
                    if numbers.count == 3 { break }
                }
                return numbers
            })
        #expect(numbers.count == 3)
        #expect(numbers == numbers.sorted())
    }

    @Test("A strict session refuses what the device does otherwise", arguments: Opener.allCases)
    func strict(opener: Opener) async throws {
        let gate = try GateFixture(answers: [.allow(.always)], opener)
        let error = await #expect(throws: CaptureError.self) {
            try await gate.queue.run(
                Capture(microphone: "alsa:paced_48k_stereo") { permit throws(CaptureError) in
                    var permit = permit
                    let settings = AudioSettings(sampleRate: 44_100, channels: 2, isStrict: true)
                    let session = try await AudioSession(opening: permit.takeOnly(), settings: settings)
                    await session.close()
                })
        }
        #expect(error?.kind == .notAsAsked)
        #expect(error?.message.contains("44100") == true)
    }
}
