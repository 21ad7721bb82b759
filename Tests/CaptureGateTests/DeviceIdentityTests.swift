import Testing

@testable import CaptureGate

@Suite("Device identity")
struct DeviceIdentityTests {
    private func camera(
        serial: String?, port: String, interface: String = "00", index: Int = 0, parent: String? = nil
    ) -> DeviceRecord {
        var properties = [
            "ID_BUS": "usb", "ID_SERIAL": "Rig_Rig_Camera" + (serial.map { "_\($0)" } ?? ""),
            "ID_PATH": "pci-0000:00:14.0-usb-0:\(port):1.0", "ID_USB_INTERFACE_NUM": interface,
        ]
        properties["ID_SERIAL_SHORT"] = serial
        return DeviceRecord(
            systemPath: "/sys/devices/usb/\(port)/video4linux/video\(index)", node: "/dev/video\(index)",
            name: "Rig Camera", properties: properties, parentPath: parent, index: index, card: nil)
    }

    private func ids(_ records: [DeviceRecord]) -> [String] {
        DeviceIdentity.identities(of: records, kind: "camera").map(\.id.rawValue)
    }

    @Test("A serial number is the id at every port")
    func serial() {
        let here = ids([camera(serial: "A1", port: "1"), camera(serial: "B2", port: "2")])
        let there = ids([camera(serial: "B2", port: "7"), camera(serial: "A1", port: "9")])
        #expect(here == ["camera:usb-Rig_Rig_Camera_A1", "camera:usb-Rig_Rig_Camera_B2"])
        #expect(Set(here) == Set(there))
    }

    @Test("Equal serial numbers fall back to the port and say so")
    func equalSerials() {
        let records = [camera(serial: "A1", port: "1"), camera(serial: "A1", port: "2")]
        let identities = DeviceIdentity.identities(of: records, kind: "camera")
        #expect(Set(identities.map(\.id)).count == 2)
        #expect(identities.allSatisfy { $0.ambiguity?.contains("same serial") == true })
        #expect(identities[0].id.rawValue.contains("usb-0:1:1.0"))
    }

    @Test("A device without a serial number is its port and says so", arguments: [nil, ""])
    func noSerial(serial: String?) {
        let identity = DeviceIdentity.identities(of: [camera(serial: serial, port: "3")], kind: "camera")[0]
        #expect(identity.id.rawValue.contains("@pci-0000:00:14.0-usb-0:3:1.0"))
        #expect(identity.ambiguity?.contains("no serial") == true)
    }

    @Test("The second camera of one USB device has its interface in the id")
    func secondInterface() {
        let records = [camera(serial: "A1", port: "1"), camera(serial: "A1", port: "1", interface: "02")]
        #expect(ids(records) == ["camera:usb-Rig_Rig_Camera_A1", "camera:usb-Rig_Rig_Camera_A1-if02"])
    }

    /// What a PCI board has four of, all called the same.
    private func channel(_ index: Int, number: Int? = nil) -> DeviceRecord {
        DeviceRecord(
            systemPath: "/sys/devices/pci0000:00/0000:03:00.0/video4linux/video\(10 - index)",
            node: "/dev/video\(10 - index)", name: "tw6869 video", properties: ["ID_PATH": "pci-0000:03:00.0"],
            parentPath: nil, index: number ?? index, card: nil)
    }

    @Test("Channels of one board that are called the same have their numbers in the id, whatever their nodes are")
    func channels() {
        let identities = DeviceIdentity.identities(of: [channel(1), channel(0)], kind: "camera")
        #expect(identities.map(\.id.rawValue) == [1, 0].map { "camera:pci-0000:03:00.0-tw6869_video-index\($0)" })
        #expect(identities.allSatisfy { $0.ambiguity?.contains("the same name") == true })
        #expect(ids([channel(0)]) == ["camera:pci-0000:03:00.0-tw6869_video"])
    }

    @Test("Where their numbers are the same too, they have their places")
    func placed() {
        let all = ids([channel(0, number: 0), channel(1, number: 0), channel(2, number: 2)])
        #expect(Set(all).count == 3)
        #expect(all[0] == "camera:pci0000:00_0000:03:00.0_video4linux_video10")
        #expect(all[2] == "camera:pci-0000:03:00.0-tw6869_video-index2")
    }

    @Test("A device is also what it would be called alone, beside its twin, and without udev")
    func aliases() {
        let alone = DeviceIdentity.identities(of: [camera(serial: "A1", port: "1")], kind: "camera")[0]
        let twins = DeviceIdentity.identities(
            of: [camera(serial: "A1", port: "1"), camera(serial: "A1", port: "2")], kind: "camera")
        #expect(alone.aliases.contains(twins[0].id) && !alone.aliases.contains(twins[1].id))
        #expect(twins.allSatisfy { $0.aliases.contains(alone.id) && !$0.aliases.contains($0.id) })
        #expect(alone.aliases.contains(DeviceID(rawValue: "camera:usb_1_video4linux_video0")))
        let boards = DeviceIdentity.identities(of: [channel(0), channel(1)], kind: "camera")
        #expect(boards.allSatisfy { $0.aliases.map(\.rawValue).contains("camera:pci-0000:03:00.0-tw6869_video") })
    }

    @Test("Of the nodes of one interface the lowest index is the camera")
    func oneEntry() {
        let nodes = [
            camera(serial: "A1", port: "1", index: 1, parent: "/sys/if0"),
            camera(serial: "A1", port: "1", index: 0, parent: "/sys/if0"),
            camera(serial: "B2", port: "2", index: 2, parent: "/sys/if1"),
        ]
        #expect(CameraScanner.onePerCamera(nodes).map(\.node) == ["/dev/video0", "/dev/video2"])
    }

    @Test("Characters that a shell or a terminal would read otherwise are replaced")
    func hostileText() {
        var record = camera(serial: "A1", port: "1")
        record = DeviceRecord(
            systemPath: record.systemPath, node: record.node, name: "x",
            properties: [
                "ID_BUS": "usb", "ID_SERIAL": "a b;$(rm)\u{1B}[2J", "ID_SERIAL_SHORT": "1",
            ], parentPath: nil, index: 0, card: nil)
        #expect(ids([record]) == ["camera:usb-a_b___rm___2J"])
    }

    @Test("A node's name tells card and device", arguments: [("pcmC0D0c", 0, 0), ("pcmC12D3c", 12, 3)])
    func pcmNumbers(name: String, card: Int, device: Int) throws {
        let numbers = try #require(MicrophoneScanner.numbers(of: name))
        #expect(numbers == (card, device))
    }

    @Test("Playback and control nodes are no microphones", arguments: ["pcmC0D0p", "controlC0", "card0", "pcmCxD0c"])
    func noMicrophone(name: String) {
        #expect(MicrophoneScanner.numbers(of: name) == nil)
    }

    @Test("A card's name is what follows the driver")
    func cardName() {
        let cards = """
             0 [Loopback       ]: Loopback - Loopback
                                  Loopback 1
             1 [Camera         ]: USB-Audio - Rig - Camera
                                  Rig Rig Camera at usb-vhci_hcd.0-1, high speed
            """
        #expect(ALSAProcfs.cardName(0, cards: cards) == "Loopback")
        #expect(ALSAProcfs.cardName(1, cards: cards) == "Rig - Camera")
        #expect(ALSAProcfs.cardName(2, cards: cards) == nil)
    }
}
