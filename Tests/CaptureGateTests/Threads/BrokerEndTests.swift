import CaptureGate
import Foundation
import GateStore
import GateTestKit
import LinuxSystem
import Testing

/// By a revoked permission, and by the broker's death at random moments: while a program asks, opens, captures and closes.
@Suite("Ends of what a broker lends", .serialized)
struct BrokerEndTests {
    private struct Outcome: Sendable {
        /// Kind of the error that the capture ended with or was refused by.
        var kind: CaptureError.Kind?
        /// CLOCK_MONOTONIC in ns, or the time from its cause.
        var noticed: Int64 = 0
    }

    private static var rounds: Int {
        ProcessInfo.processInfo.environment["CAPTUREGATE_KILLS"].flatMap { Int($0) } ?? 10
    }

    @Test("A broker that is killed opens nothing, leaves nothing, and its programs see it; what was decided stays")
    func kills() async throws {
        let folder = try TemporaryFolder.make()
        let prompter = ScriptedPrompter([Answer](repeating: .allow(.always), count: Self.rounds + 1))
        var random = SeededNumbers(state: 11)
        var delays: [Int64] = []
        for round in 0..<Self.rounds {
            let broker = try BrokerProcess(in: folder)
            let gate = Gatekeeper.system(
                by: BrokerLink(at: folder + "/broker", of: Users.effectiveID, lendsBuiltIn: true), prompter: prompter)
            let moment = Int.random(in: 0...120, using: &random)
            let killer = Task.detached {
                // The test is about this moment.
                try? await Task.sleep(for: .milliseconds(moment))
                return broker.kill()
            }
            let outcome = await Self.capture(by: gate)
            let killed = await killer.value
            // Refused, or ended: nothing else can happen if a broker is gone. How soon is reported and not judged, since a busy
            // machine must not fail this. A program that is never notified waits 60 s, and has no error then.
            #expect(outcome.kind != nil, "round \(round), \(moment) ms")
            if outcome.noticed > killed { delays.append(outcome.noticed - killed) }
        }
        delays.sort()
        print("told after ms, of \(delays.count):", delays.suffix(1).map { $0 / 1_000_000 }, "at most")
        let store = try SQLiteGrantStore(directory: "\(folder)/\(Users.effectiveID)")
        #expect(try store.audit.verify().isIntact)
        // Each answer is there once, or its question was never answered: no decision is half there.
        #expect(try store.snapshot().decisions.count <= 1)
        #expect(try store.snapshot().decisions.allSatisfy { $0.verdict == .allow })
    }

    @Test("A permission that is taken back ends the capture of each program that rests on it, and no other's")
    func revocations() async throws {
        let folder = try TemporaryFolder.make()
        let broker = try BrokerProcess(in: folder)
        let prompter = ScriptedPrompter([Answer](repeating: .allow(.always), count: Self.rounds + 1))
        var delays: [Int64] = []
        for _ in 0..<Self.rounds {
            let link = BrokerLink(at: folder + "/broker", of: Users.effectiveID, lendsBuiltIn: true)
            let gate = Gatekeeper.system(by: link, prompter: prompter)
            let revoked = await Self.revoked(by: gate, BrokeredStore(link))
            #expect(revoked.kind == .revoked)
            delays.append(revoked.noticed)
        }
        withExtendedLifetime(broker) {}
        delays.sort()
        let (median, last) = (delays[delays.count / 2] / 1000, (delays.last ?? 0) / 1000)
        print("ended after µs, of \(delays.count):", median, "median,", last, "at most")
    }

    /// Captures, takes the permission back while frames come, and waits for the end.
    ///
    /// - Returns: the end, and the time from the durable change to it.
    private static func revoked(by gate: Gatekeeper, _ store: BrokeredStore) async -> Outcome {
        var outcome = Outcome()
        do throws(CaptureError) {
            outcome = try await GateQueue(gatekeeper: gate).run(
                Capture(microphone: "test:tone") { permit throws(CaptureError) in
                    var permit = permit
                    var session = try await AudioSession(opening: permit.takeOnly())
                    session.start()
                    while session.end == nil, session.wait(milliseconds: 60_000),
                        session.withNext({ _, _ in true }) == nil
                    {}
                    let ids = try store.snapshot().decisions.compactMap(\.id)
                    let event = AuditEvent(.removal, at: SystemGateClock().now, subject: nil, detail: "a test")
                    let commit = try store.remove(ids, audit: event)
                    while session.end == nil, session.wait(milliseconds: 60_000) {
                        while session.withNext({ _, _ in true }) != nil {}
                    }
                    let noticed = SystemClock.monotonic.now - commit.committed.exactNanoseconds
                    let kind = session.end?.error?.kind
                    await session.close()
                    return Outcome(kind: kind, noticed: noticed)
                })
        } catch {
            outcome.kind = error.kind
        }
        return outcome
    }

    private static func capture(by gate: Gatekeeper) async -> Outcome {
        var outcome = Outcome()
        do throws(CaptureError) {
            outcome.kind = try await GateQueue(gatekeeper: gate).run(
                Capture(microphone: "test:tone") { permit throws(CaptureError) in
                    var permit = permit
                    var session = try await AudioSession(opening: permit.takeOnly())
                    session.start()
                    while session.end == nil, session.wait(milliseconds: 60_000) {
                        while session.withNext({ _, _ in true }) != nil {}
                    }
                    let kind = session.end?.error?.kind
                    await session.close()
                    return kind
                })
        } catch {
            outcome.kind = error.kind
        }
        outcome.noticed = SystemClock.monotonic.now
        return outcome
    }
}
