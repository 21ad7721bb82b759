import CaptureGate
import Testing

/// Through the real libasound, from the paced PCM of `Tests/PacedPCM`; `ALSA_CONFIG_PATH` names its configuration, as
/// `Tests/run` sets it.
@Suite("Paced microphone")
struct PacedMicrophoneTests {
    /// What the paced PCM makes of a sample's number, 16 bits of it.
    private func sample(_ frame: UInt64, _ channel: UInt64) -> Int16 {
        let hash = UInt32(truncatingIfNeeded: (frame * 8 + channel) &* 2_654_435_761)
        return Int16(truncatingIfNeeded: Int32(bitPattern: hash) >> 16)
    }

    private struct Heard: Sendable {
        var periods = 0
        var wrong = 0
        /// By the device: the reader of a ring in a machine that is held up may lose some as well.
        var lost: UInt64 = 0
        var end: SessionEnd?
        var statistics: CaptureStatistics?
    }

    /// Listens until `frames` are there or the capture ends, and compares every sample with its number.
    private func listen(to pcm: String, frames: UInt64) async throws -> Heard {
        let gate = try GateFixture(answers: [.allow(.once)])
        return try await gate.queue.run(
            Capture(microphone: "alsa:\(pcm)") { permit throws(CaptureError) in
                var permit = permit
                let settings = AudioSettings(sampleRate: 48_000, channels: 2, sampleFormat: .s16)
                var session = try await AudioSession(opening: permit.takeOnly(), settings: settings)
                session.start()
                var heard = Heard()
                var seen: UInt64 = 0
                while seen < frames, session.end == nil || session.wait(milliseconds: 0),
                    session.wait(milliseconds: 60_000)
                {
                    while let count = session.withNext({ header, bytes in
                        heard.lost += header.lost.device
                        heard.wrong += self.mistakes(in: bytes, from: header.sequence)
                        return header.frameCount
                    }) {
                        seen += UInt64(count)
                        heard.periods += 1
                    }
                    if session.end != nil { break }
                }
                heard.end = session.end
                heard.statistics = await session.close()
                return heard
            })
    }

    private func mistakes(in bytes: RawSpan, from frame: UInt64) -> Int {
        let samples = bytes.byteCount / 2
        return (0..<samples).count { index in
            let got = bytes.unsafeLoadUnaligned(fromByteOffset: index * 2, as: Int16.self)
            return got != sample(frame + UInt64(index / 2), UInt64(index % 2))
        }
    }

    /// Error with which a capture is refused if another microphone is denied by its id.
    private func refusal(of pcm: String) async throws -> CaptureError? {
        let gate = try GateFixture(answers: [.allow(.once)])
        let subject = try ProcessSubject.current()
        let denial = Decision(
            verdict: .deny, subject: subject, capability: .microphone, level: .record,
            device: .id(DeviceID(rawValue: "microphone:usb-elsewhere")), lifetime: .always, decidedBy: .command,
            decidedAt: SystemGateClock().now)
        _ = try gate.otherStore().record(
            [denial],
            audit: AuditEvent(.decision, at: SystemGateClock().now, subject: subject, detail: "denied by a test"))
        do throws(CaptureError) {
            try await gate.queue.run(
                Capture(microphone: "alsa:\(pcm)") { permit throws(CaptureError) in
                    var permit = permit
                    _ = await (try await AudioSession(opening: permit.takeOnly())).close()
                })
            return nil
        } catch {
            return error
        }
    }

    @Test("Behind a plugin that nobody knows may be any microphone: where one is denied, it is refused")
    func unknownHardware() async throws {
        for pcm in ["paced", "plug:paced", "paced_and_null"] {
            #expect(try await refusal(of: pcm)?.kind == .notAuthorized, "\(pcm)")
        }
        #expect(try await refusal(of: "nested_nulls") == nil)
    }

    @Test("Every bit is the device's, in order")
    func bits() async throws {
        let heard = try await listen(to: "paced", frames: 24_000)
        #expect(heard.periods > 0)
        #expect(heard.wrong == 0)
        #expect(heard.lost == 0)
        #expect(heard.statistics?.xruns == 0)
    }

    @Test("An xrun is recovered, counted, and its length is in the next header")
    func xrun() async throws {
        let heard = try await listen(to: "paced_stall", frames: 48_000)
        #expect(heard.statistics?.xruns == 1)
        #expect(heard.lost > 0)
        #expect(heard.statistics?.lostByDevice == heard.lost)
    }

    @Test("An unplugged microphone ends as gone")
    func unplugged() async throws {
        let heard = try await listen(to: "paced_vanish", frames: .max)
        guard case .deviceGone(let error) = heard.end else {
            Issue.record("ended otherwise: \(String(describing: heard.end))")
            return
        }
        #expect(error.kind == .deviceGone)
        #expect(heard.wrong == 0)
    }

    @Test("A microphone that falls silent without an error is noticed")
    func dead() async throws {
        let heard = try await listen(to: "paced_dead", frames: .max)
        guard case .stalled(let error) = heard.end else {
            Issue.record("ended otherwise: \(String(describing: heard.end))")
            return
        }
        #expect(error.kind == .stalled)
    }
}
