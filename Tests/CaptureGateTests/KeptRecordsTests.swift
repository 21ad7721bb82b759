import Dispatch
import Testing

@testable import CaptureGate

@Suite("Kept records") struct DeviceRecordCacheTests {
    /// A machine whose events, clock and devices the test sets.
    private final class Machine: Sendable {
        let event = Locked<String?>("1")
        let now = Locked<Int64>(0)
        let nodes = Locked(["/dev/video0"])
        let walks = Locked(0)
        let fault = Locked<EnumerationError?>(nil)

        var records: DeviceRecordCache {
            DeviceRecordCache(
                event: { self.event.withLock { $0 } }, now: { self.now.withLock { $0 } }, walk: { self.walk() })
        }

        private func walk() -> EnumerationResult {
            walks.withLock { $0 += 1 }
            let records = nodes.withLock { $0 }.map {
                DeviceRecord(
                    systemPath: "/sys\($0)", node: $0, name: "camera", properties: [:], parentPath: nil, index: 0)
            }
            return EnumerationResult(records: records, faults: fault.withLock { $0 }.map { [$0] } ?? [])
        }

        var count: Int { walks.withLock { $0 } }
    }

    private let machine = Machine()

    private func look(_ records: DeviceRecordCache, for node: String = "/dev/video0") -> String? {
        do throws(EnumerationError) { return try records.find { $0.first { $0.node == node }?.node } } catch {
            return nil
        }
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
        machine.now.withLock { $0 = DeviceRecordCache.patience }
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
        #expect(records.renew().records.count == 1)
        #expect(machine.count == 2)
        #expect(look(records) != nil)
        #expect(machine.count == 2)
    }

    @Test("Several threads at once look anew and ask, and each gets what is there") func manyThreads() {
        let records = machine.records
        DispatchQueue.concurrentPerform(iterations: 2_000) { round in
            if round.isMultiple(of: 2) {
                #expect(records.renew().records.count == 1)
            } else {
                #expect(look(records) == "/dev/video0")
            }
        }
    }

    @Test("A walk that may have missed some is not kept, and what it has not found is not called absent")
    func faulty() {
        let fault = EnumerationError(withoutMemory: "udev_new")
        machine.fault.withLock { $0 = fault }
        let records = machine.records
        for _ in 0..<3 { #expect(look(records) == "/dev/video0") }
        #expect(machine.count == 3)
        #expect(throws: fault) { try records.find { $0.first { $0.node == "/dev/video1" } } }
        #expect(fault.error(.camera).message.contains("cameras") && fault.error(.camera).message.contains("udev_new"))
    }
}
