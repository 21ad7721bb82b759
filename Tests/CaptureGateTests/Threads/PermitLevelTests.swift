import CaptureGate
import GateStore
import GateTestKit
import Testing

@Suite("Sessions and what a permit is for")
struct PermitLevelTests {
    @Test("A permit to meter opens no session of sound, and the microphone was not opened")
    func meter() async throws {
        let gate = try GateFixture(answers: [.allow(.once)])
        let error = try await gate.queue.run(
            Capture<CaptureError?>(microphone: "test:tone", at: (.meter, .still)) { permit async throws(CaptureError) in
                var permit = permit
                do throws(CaptureError) {
                    let session = try await AudioSession(opening: permit.takeOnly())
                    await session.close()
                    return nil
                } catch {
                    return error
                }
            })
        try expectRefused(error, gate, "the level \"meter\". Opening it this way needs \"record\"")
    }

    @Test("A permit for a still opens no session of pictures, and the camera was not opened")
    func still() async throws {
        let gate = try GateFixture(answers: [.allow(.once)])
        let error = try await gate.queue.run(
            Capture<CaptureError?>(at: (.meter, .still), camera: "test:bars") { permit async throws(CaptureError) in
                var permit = permit
                do throws(CaptureError) {
                    let session = try await VideoSession(opening: permit.takeOnly())
                    await session.close()
                    return nil
                } catch {
                    return error
                }
            })
        try expectRefused(error, gate, "the level \"still\". Opening it this way needs \"video\"")
    }

    /// The grant for one capture is still there: nothing was captured.
    private func expectRefused(_ error: CaptureError?, _ gate: GateFixture, _ words: String) throws {
        #expect(error?.kind == .notAuthorized)
        #expect(error?.message.contains(words) == true)
        let store = try gate.otherStore()
        #expect(try store.audit.last(2).map { $0.event?.kind } == [.decision, .refusal])
        #expect(try store.snapshot().decisions.count == 1)
    }

    /// A microphone of ALSA's configuration that is there on every machine, and is no built-in one.
    private static let null = "alsa:null"

    private struct AnyDevice: DeviceDirectory {
        func resolve(_ request: DeviceRequest) async -> DeviceResolution {
            guard case .id(let id) = request.device else {
                return DeviceResolution(device: nil, availability: .absent("any"))
            }
            return DeviceResolution(device: DeviceDescription(id: id, name: "Mine"), availability: .available)
        }
    }

    private func opening(by gatekeeper: Gatekeeper) async throws -> CaptureError? {
        try await GateQueue(gatekeeper: gatekeeper).run(
            Capture<CaptureError?>(microphone: Self.null) { permit async throws(CaptureError) in
                var permit = permit
                do throws(CaptureError) {
                    let session = try await AudioSession(opening: permit.takeOnly())
                    await session.close()
                    return nil
                } catch {
                    return error
                }
            })
    }

    @Test("A gatekeeper that is made by hand opens no real device, also where it says yes to all")
    func byHand() async throws {
        let store = try SQLiteGrantStore(directory: try TemporaryFolder.make())
        let byHand = Gatekeeper(
            subject: .success(try ProcessSubject.current()), store: store,
            prompter: ScriptedPrompter([.allow(.always)]), directory: AnyDevice(), clock: SystemGateClock())
        let error = try await opening(by: byHand)
        #expect(error?.kind == .notAuthorized && error?.message.contains("made its own gatekeeper") == true)
        #expect(try store.audit.last(2).map { $0.event?.kind } == [.decision, .refusal])
        // The same device opens for a gate that may, so that it was not for another reason.
        #expect(try await opening(by: GateFixture(answers: [.allow(.always)]).gatekeeper) == nil)
    }

    @Test("Nor does one over a store of the program's choice, and its prompter isn't asked about real devices")
    func storeOfItsOwn() async throws {
        let prompter = ScriptedPrompter([.allow(.always)])
        let gatekeeper = try Gatekeeper.system(storeIn: try TemporaryFolder.make(), prompter: prompter)
        await #expect(throws: CaptureError.self) { _ = try await opening(by: gatekeeper) }
        #expect(prompter.questions.isEmpty)
    }

    @Test("The machine's gate does not take the answers of a program's own prompter for a person's")
    func ownPrompter() {
        #expect(PrompterChain.system.asksPerson)
        #expect(TerminalPrompter().asksPerson && DesktopPrompter().asksPerson)
        #expect(!PrompterChain([TerminalPrompter(), ScriptedPrompter([])]).asksPerson)
    }
}
