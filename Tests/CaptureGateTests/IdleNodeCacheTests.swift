import Testing

@testable import CaptureGate

@Suite("Idle node cache") struct IdleNodeCacheTests {
    /// A machine whose clock and processes the test sets.
    private final class Machine: Sendable {
        let now = Locked<Int64>(0)
        let held = Locked<Set<String>>([])
        let looks = Locked<[[String]]>([])

        var nodes: IdleNodeCache { IdleNodeCache(now: { self.now.withLock { $0 } }, look: { self.look($0) }) }

        private func look(_ nodes: [String]) -> [String: [DeviceHolders.Holding]] {
            looks.withLock { $0.append(nodes) }
            let holding = DeviceHolders.Holding(
                holder: DeviceHolder(processID: 7, command: "other"), hasBuffers: true)
            return held.withLock { held in
                Dictionary(uniqueKeysWithValues: nodes.filter(held.contains).map { ($0, [holding]) })
            }
        }

        var count: Int { looks.withLock { $0.count } }
    }

    private let machine = Machine()

    @Test("That nobody holds a node is believed for a second") func kept() {
        let nodes = machine.nodes
        for _ in 0..<3 { #expect(nodes.holdings(of: ["/dev/video0"]).isEmpty) }
        #expect(machine.count == 1)
        machine.now.withLock { $0 = IdleNodeCache.patience }
        #expect(nodes.holdings(of: ["/dev/video0"]).isEmpty)
        #expect(machine.count == 1)
        machine.now.withLock { $0 += 1 }
        machine.held.withLock { $0 = ["/dev/video0"] }
        #expect(nodes.holdings(of: ["/dev/video0"])["/dev/video0"]?.first?.holder.processID == 7)
    }

    @Test("That somebody holds it is never believed, but looked up again") func held() {
        let nodes = machine.nodes
        machine.held.withLock { $0 = ["/dev/video0"] }
        #expect(!nodes.holdings(of: ["/dev/video0"]).isEmpty)
        machine.held.withLock { $0 = [] }
        #expect(nodes.holdings(of: ["/dev/video0"]).isEmpty)
        #expect(machine.count == 2)
    }

    @Test("A listing looks each time, and what it saw is known") func renewed() {
        let nodes = machine.nodes
        _ = nodes.renew(["/dev/video0", "/dev/video1"])
        _ = nodes.renew(["/dev/video0", "/dev/video1"])
        #expect(nodes.holdings(of: ["/dev/video1"]).isEmpty)
        #expect(machine.count == 2)
    }

    @Test("Only nodes of which nothing is known are looked for") func partly() {
        let nodes = machine.nodes
        _ = nodes.holdings(of: ["/dev/video0"])
        _ = nodes.holdings(of: ["/dev/video0", "/dev/video1"])
        #expect(machine.looks.withLock { $0 } == [["/dev/video0"], ["/dev/video1"]])
    }
}
