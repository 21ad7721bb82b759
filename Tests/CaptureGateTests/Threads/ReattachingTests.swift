import CaptureGate
import Testing

/// On the paced PCM of `Tests/PacedPCM`, which is unplugged after half a second and is back at the next opening.
@Suite("Reattaching")
struct ReattachingTests {
    private struct Heard: Sendable {
        var headers: [FrameHeader] = []
        var statistics: CaptureStatistics?
        var error: CaptureError?
    }

    /// Listens until the microphone is unplugged, and as long again after its return.
    private func listen(_ opener: Opener) async throws -> Heard {
        let gate = try GateFixture(answers: [.allow(.always)], opener)
        return try await gate.queue.run(
            Capture(microphone: "alsa:paced_vanish") { permit throws(CaptureError) in
                var permit = permit
                var session = try await AudioSession(opening: permit.takeOnly())
                var heard = Heard()
                session.start()
                Self.read(&session, into: &heard)
                do throws(CaptureError) {
                    try session.reattach()
                    Self.read(&session, into: &heard)
                } catch {
                    heard.error = error
                }
                heard.statistics = await session.close()
                return heard
            })
    }

    private static func read(_ session: inout AudioSession, into heard: inout Heard) {
        while session.end == nil || session.wait(milliseconds: 0), session.wait(milliseconds: 60_000) {
            while let header = session.withNext({ header, _ in header }) { heard.headers.append(header) }
            if session.end != nil { break }
        }
    }

    @Test(
        "What comes after the return goes on counting, and what is missing in between is told and counted",
        arguments: Opener.allCases)
    func gap(opener: Opener) async throws {
        let heard = try await listen(opener)
        #expect(heard.error == nil)
        for (last, next) in zip(heard.headers, heard.headers.dropFirst()) {
            #expect(next.sequence == last.sequence + UInt64(last.frameCount) + next.lost.total)
            #expect(next.timestamp > last.timestamp)
        }
        let returns = heard.headers.filter { $0.flags.contains(.reattached) }
        #expect(returns.count == 1)
        #expect(returns.first?.flags.contains(.gap) == true)
        #expect(heard.statistics?.lostByDevice == heard.headers.reduce(0) { $0 + $1.lost.device })
        #expect(heard.statistics.map { $0.made == $0.delivered + $0.lostByDevice + $0.lostByReader } == true)
    }

    @Test("A device that was not unplugged stays as it is")
    func running() async throws {
        let gate = try GateFixture(answers: [.allow(.once)])
        let count = try await gate.queue.run(
            Capture(microphone: "test:tone") { permit throws(CaptureError) in
                var permit = permit
                var session = try await AudioSession(opening: permit.takeOnly())
                session.start()
                try session.reattach()
                let isThere = session.wait(milliseconds: 60_000) && session.end == nil
                await session.close()
                return isThere
            })
        #expect(count)
    }
}
