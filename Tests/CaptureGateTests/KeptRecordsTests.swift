import Synchronization
import Testing

@testable import CaptureGate

@Suite("Kept records") struct KeptRecordsTests {
    /// A machine whose events, clock and devices are turned by hand.
    private final class Machine: Sendable {
        let event = Mutex<String?>("1")
        let now = Mutex<Int64>(0)
        let nodes = Mutex(["/dev/video0"])
        let walks = Mutex(0)

        var records: KeptRecords {
            KeptRecords(event: { self.event.withLock { $0 } }, now: { self.now.withLock { $0 } }, walk: { self.walk() })
        }

        private func walk() -> [DeviceRecord] {
            walks.withLock { $0 += 1 }
            return nodes.withLock { $0 }.map {
                DeviceRecord(
                    systemPath: "/sys\($0)", node: $0, name: "camera", properties: [:], parentPath: nil, index: 0)
            }
        }

        var count: Int { walks.withLock { $0 } }
    }

    private let machine = Machine()

    private func look(_ records: KeptRecords, for node: String = "/dev/video0") -> String? {
        records.find { $0.first { $0.node == node }?.node }
    }

    @Test("One walk answers several questions") func kept() {
        let records = machine.records
        for _ in 0..<3 { #expect(look(records) == "/dev/video0") }
        #expect(machine.count == 1)
    }

    @Test("After an event of the kernel's, what was found before does not count") func event() {
        let records = machine.records
        #expect(look(records) != nil)
        machine.nodes.withLock { $0 = [] }
        machine.event.withLock { $0 = "2" }
        #expect(look(records) == nil)
    }

    @Test("After a second, what was found before does not count") func age() {
        let records = machine.records
        #expect(look(records) != nil)
        machine.nodes.withLock { $0 = [] }
        machine.now.withLock { $0 = KeptRecords.patience }
        #expect(look(records) != nil)
        machine.now.withLock { $0 += 1 }
        #expect(look(records) == nil)
    }

    @Test("What was not found is looked for anew, at the same event too") func absent() {
        let records = machine.records
        #expect(look(records, for: "/dev/video1") == nil)
        machine.nodes.withLock { $0.append("/dev/video1") }
        #expect(look(records, for: "/dev/video1") == "/dev/video1")
    }

    @Test("Where the kernel's events can't be read, nothing is kept") func unreadable() {
        machine.event.withLock { $0 = nil }
        let records = machine.records
        for _ in 0..<3 { #expect(look(records) == "/dev/video0") }
        #expect(machine.count == 3)
    }

    @Test("A listing looks anew, and what it found is kept") func renewed() {
        let records = machine.records
        #expect(look(records) != nil)
        #expect(records.renew().count == 1)
        #expect(machine.count == 2)
        #expect(look(records) != nil)
        #expect(machine.count == 2)
    }
}
