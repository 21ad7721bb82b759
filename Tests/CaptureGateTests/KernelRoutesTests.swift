import CaptureGate
import Testing

@Suite("Kernel routes")
struct KernelRoutesTests {
    @Test(
        "What is no host's name is told before anything is looked up",
        arguments: [
            "", "a b", "a\0b", "http://a", "a\n", "a;reboot", "$(reboot)", "-x", "m\u{FC}ller.de", "a\u{202E}b",
        ])
    func notHosts(host: String) async {
        #expect(await KernelRoutes().obstacle(to: host)?.kind == .usage)
    }

    @Test("A name that nobody has is told with what to do")
    func unknownName() async {
        let error = await KernelRoutes().obstacle(to: "no-such-host.invalid")
        #expect(error?.kind == .unavailable)
        #expect(error?.remedies.first?.command == "getent ahosts no-such-host.invalid")
    }

    @Test("A deadline that has passed ends the lookup")
    func deadline() async {
        #expect(await KernelRoutes(deadline: .zero).obstacle(to: "no-such-host.invalid")?.kind == .unavailable)
    }

    @Test("A cancelled task waits for no name server")
    func cancelled() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await KernelRoutes(deadline: .seconds(1000)).obstacle(to: "no-such-host.invalid")
        }
        #expect(await task.value?.kind == .cancelled)
    }

    @Test("It is the default of the condition")
    func condition() async throws {
        let gate = try GateFixture()
        var operation = ClosureOperation("reach") { _ throws(CaptureError) in }
        operation.conditions.append(ReachabilityCondition(host: "no such host"))
        let error = await #expect(throws: CaptureError.self) { try await gate.queue.run(operation) }
        #expect(error?.kind == .usage)
    }
}
