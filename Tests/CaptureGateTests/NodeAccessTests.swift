import LinuxSystem
import Testing

@testable import CaptureGate

@Suite("Node access")
struct NodeAccessTests {
    private func restriction(mode: UInt32, group: UInt32) -> Restriction {
        let status = FileStatus(kind: .characterDevice, permissions: mode, group: group)
        return NodeAccess.restriction(on: "/dev/video0", status)
    }

    @Test("A node of a group names it, with the command to join it, and the seat")
    func group() {
        let restriction = restriction(mode: 0o660, group: 44)
        #expect(restriction.cause == .nodePermissions(node: "/dev/video0"))
        #expect(restriction.reason.contains("mode 0660, owner root, group video"))
        #expect(restriction.remedies.first?.command == "sudo usermod -aG video \"$USER\"")
        #expect(restriction.remedies.last?.text.contains("seat") == true)
    }

    @Test("A group that nobody has named is its number")
    func namelessGroup() {
        #expect(restriction(mode: 0o660, group: 54_321).remedies.first?.command?.contains("-aG 54321 ") == true)
    }

    @Test(
        "Where joining the group would not help, or would make one root, it is not advised",
        arguments: [(0o600 as UInt32, 44 as UInt32), (0o640, 44), (0o660, 0)])
    func noGroup(mode: UInt32, group: UInt32) {
        let remedies = restriction(mode: mode, group: group).remedies
        #expect(remedies.count == 2 && remedies.allSatisfy { $0.command == nil })
    }

    @Test("A node that can't even be looked at says so, its name shown and not obeyed")
    func hidden() {
        let restriction = NodeAccess.restriction(on: "/dev/a\u{1B}[2J", nil)
        #expect(restriction.reason.contains("/dev/a\\u{1b}[2J") && !restriction.remedies.isEmpty)
    }

    @Test("A node that may be opened, or is not there, is not restricted", arguments: ["/dev/null", "/no/such/node"])
    func open(node: String) {
        #expect(NodeAccess.restriction(on: node) == nil)
    }
}
