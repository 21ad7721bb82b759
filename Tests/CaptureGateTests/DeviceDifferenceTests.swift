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

    @Test("What a scan may have missed has not gone; what it can't have missed has")
    func unsure() {
        let known = [device("camera:a"), device("camera:b")]
        let error = EnumerationError(withoutMemory: "udev_new").error(.camera)
        func seen(_ capability: CapabilityName, _ device: DeviceID?) -> [String] {
            let fault = DeviceInventory.Fault(capability: capability, device: device, error: error)
            let inventory = DeviceInventory(devices: [known[1]], faults: [fault])
            return DeviceDifference.seen(inventory, after: known).map(\.id.rawValue).sorted()
        }
        #expect(seen(.camera, nil) == ["camera:a", "camera:b"])
        #expect(seen(.microphone, nil) == ["camera:b"])
        #expect(seen(.camera, known[1].id) == ["camera:b"])
    }
}
