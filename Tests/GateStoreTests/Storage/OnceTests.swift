import Gate
import GateStore
import Testing

@Suite("once grants in the store")
struct OnceTests {
    let folder: TemporaryFolder
    let store: SQLiteGrantStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteGrantStore(directory: folder.path)
    }

    private func grant(
        _ capability: CapabilityName = .microphone, device: DeviceSelector = .any, lifetime: Lifetime = .once
    ) throws -> Int64 {
        let decision = Samples.decision(.allow, capability, device: device, lifetime: lifetime)
        return try #require(try store.record([decision], audit: Samples.event()).decisions.first?.id)
    }

    @Test("It is used up by one capture, for every connection at once")
    func once() throws {
        let id = try grant()
        let other = try SQLiteGrantStore(directory: folder.path)
        #expect(try store.consume(once: [id], audit: Samples.event(.start)).decisions.map(\.id) == [id])
        #expect(try other.snapshot().decisions.isEmpty)
        #expect(try other.snapshot().consumed?.map(\.id) == [id])
        let error = #expect(throws: CaptureError.self) { try other.consume(once: [id], audit: Samples.event(.start)) }
        #expect(error?.kind == .notAuthorized)
    }

    @Test("Several are used up all or none")
    func allOrNone() throws {
        let first = try grant()
        let second = try grant(.camera)
        _ = try store.consume(once: [second], audit: Samples.event(.start))
        #expect(throws: CaptureError.self) { try store.consume(once: [first, second], audit: Samples.event(.start)) }
        #expect(try store.snapshot().decisions.map(\.id) == [first])
    }

    @Test("A lasting decision can't be used up")
    func lasting() throws {
        let id = try grant(lifetime: .always)
        #expect(throws: CaptureError.self) { try store.consume(once: [id], audit: Samples.event(.start)) }
        #expect(try store.snapshot().decisions.map(\.id) == [id])
    }

    @Test("A used-up one can be removed, which revokes the capture that rests on it")
    func removal() throws {
        let id = try grant()
        _ = try store.consume(once: [id], audit: Samples.event(.start))
        #expect(try store.remove([id], audit: Samples.event(.removal)).decisions.map(\.id) == [id])
        #expect(try store.snapshot().consumed == [])
    }

    @Test("A new permission for one capture leaves a capture alone that rests on an earlier one")
    func sideBySide() throws {
        let first = try grant()
        _ = try store.consume(once: [first], audit: Samples.event(.start))
        let second = try grant()
        #expect(try store.snapshot().consumed?.map(\.id) == [first])
        _ = try store.consume(once: [second], audit: Samples.event(.start))
        #expect(try store.snapshot().consumed?.map(\.id) == [first, second])
    }

    @Test("A denial removes what was used up on a device it covers, and no other")
    func denial() throws {
        let usb = DeviceSelector.id(DeviceID(rawValue: "usb"))
        let pci = DeviceSelector.id(DeviceID(rawValue: "pci"))
        let ids = try [usb, pci].map { try grant(device: $0) }
        _ = try store.consume(once: ids, audit: Samples.event(.start))
        _ = try store.record([Samples.decision(.deny, device: usb)], audit: Samples.event())
        #expect(try store.snapshot().consumed?.map(\.id) == [ids[1]])
        _ = try store.record([Samples.decision(.deny)], audit: Samples.event())
        #expect(try store.snapshot().consumed == [])
    }

    @Test("What an earlier boot used up is forgotten with the first change of the next")
    func reboot() throws {
        let id = try grant()
        _ = try store.consume(once: [id], audit: Samples.event(.start))
        try store.append(Samples.event(at: Samples.instant(boot: "another")))
        #expect(try store.snapshot().consumed == [])
    }
}
