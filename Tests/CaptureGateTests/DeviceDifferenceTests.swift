import Testing

@testable import CaptureGate

@Suite("Device difference")
struct DeviceDifferenceTests {
    private func device(_ id: String, _ availability: Availability = .available) -> Device {
        Device(
            id: DeviceID(rawValue: id), name: id, capability: .camera, availability: availability, ambiguity: nil,
            nodes: [], pcmName: nil, formats: .unknown)
    }

    @Test("What came, what went and what is otherwise now are each told once")
    func changes() {
        let busy = device("b", .busy(nil))
        let changes = DeviceDifference.changes(from: [device("a"), device("b")], to: [busy, device("c")])
        #expect(changes == [.removed(device("a")), .changed(busy), .added(device("c"))])
    }

    @Test("An unchanged listing tells nothing")
    func nothing() {
        #expect(DeviceDifference.changes(from: [device("a")], to: [device("a")]).isEmpty)
    }
}
