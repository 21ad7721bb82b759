import LinuxSystem
import Testing

@testable import CaptureGate

@Suite("Node protection")
struct NodeProtectionTests {
    private static let own = Users.name(ofGroup: 3)

    private typealias Entry = (tag: UInt8, permissions: UInt8, id: UInt8)

    /// A node of root and of our group, number 3.
    private func openers(
        mode: UInt32 = 0o660, owner: UInt32 = 0, group: UInt32 = 3, _ entries: [Entry]? = nil
    ) -> [String] {
        let status = FileStatus(kind: .characterDevice, permissions: mode, owner: owner, group: group)
        let list = entries.map { entries in
            var bytes: [UInt8] = [2, 0, 0, 0]
            for (tag, permissions, id) in entries { bytes += [tag, 0, permissions, 0, id, 0, 0, 0] }
            return AccessList(bytes[...])
        }
        return NodeProtection(path: "/dev/video0", status, list).openers(besides: Self.own)
    }

    @Test("A node of root and the group alone is open to nobody else")
    func closed() {
        #expect(openers().isEmpty)
        #expect(openers(mode: 0o600).isEmpty)
        #expect(openers([(1, 6, 0), (4, 6, 0), (0x10, 6, 0), (0x20, 0, 0)]).isEmpty)
    }

    @Test("Its mode, its owner and another group are told")
    func modes() {
        #expect(openers(mode: 0o666) == ["everybody by its mode 0666"])
        #expect(openers(mode: 0o662) == ["everybody by its mode 0662"])
        #expect(openers(owner: 12_34) == ["its owner 1234"])
        #expect(openers(group: 54_321) == ["group 54321"])
        #expect(openers(mode: 0o600, group: 54_321).isEmpty)
    }

    @Test("Users and groups of an access list are told as far as its mask lets them")
    func lists() {
        let user: [Entry] = [(1, 6, 0), (2, 6, 222), (4, 6, 0), (0x10, 6, 0), (0x20, 0, 0)]
        #expect(openers(user) == ["user 222 by its access list"])
        #expect(openers([(1, 6, 0), (8, 4, 223), (4, 6, 0), (0x10, 4, 0)]) == ["group 223 by its access list"])
        #expect(openers([(1, 6, 0), (2, 6, 222), (8, 6, 223), (4, 6, 0), (0x10, 0, 0)]).isEmpty)
        // With an access list, the mode's bits of the group are its mask.
        #expect(openers(group: 224, [(1, 6, 0), (4, 0, 0), (0x10, 6, 0)]).isEmpty)
        #expect(openers(group: 224, [(1, 6, 0), (4, 4, 0), (0x10, 6, 0)]) == ["group 224"])
    }

    @Test(
        "A list that means nothing to us is told as such",
        arguments: [[], [2, 0, 0, 0, 1], [3, 0, 0, 0]] as [[UInt8]])
    func unreadable(bytes: [UInt8]) {
        #expect(AccessList(bytes[...]).isUnreadable)
    }

    @Test("A file without an access list has none, and one that is not there is no node")
    func files() {
        #expect(NodeProtection(of: "/dev/null")?.hasAccessList == false)
        #expect(NodeProtection(of: "/dev/null")?.openers(besides: Self.own).last == "everybody by its mode 0666")
        #expect(NodeProtection(of: "/dev/no-such-node") == nil)
    }
}
