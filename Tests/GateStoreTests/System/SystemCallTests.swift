import CSystem
import Testing

@testable import GateStore

@Suite("system calls")
struct SystemCallTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("A rename without replacing moves a file, and leaves both where there is one")
    func renameWithoutReplacing() throws {
        let partial = try folder.write("new", to: "clip.partial")
        let final = folder.path + "/clip"
        #expect(cs_rename_noreplace(partial, final) == 0)
        try folder.write("newer", to: "clip.partial")
        #expect(cs_rename_noreplace(partial, final) == -EEXIST)
        #expect(try folder.read("clip") == Array("new".utf8))
        #expect(try folder.read("clip.partial") == Array("newer".utf8))
    }

    @Test("A failure is the negative error number")
    func failures() {
        #expect(cs_open(folder.path + "/none", O_RDONLY, 0) == -ENOENT)
        #expect(cs_open(folder.path, O_WRONLY, 0) == -EISDIR)
        #expect(cs_read(-1, nil, 0) == -EBADF)
        #expect(cs_free_bytes(folder.path + "/none") == -ENOENT)
        #expect(cs_kill(.max, 0) == -ESRCH)
        #expect(cs_pidfd_open(-1) == -EINVAL)
        #expect(systemText(-ENOENT) == "No such file or directory")
    }

    @Test("Descriptors are closed on exec")
    func closeOnExec() throws {
        let file = cs_open(try folder.write("", to: "a"), O_RDONLY, 0)
        let link = "/proc/self/fdinfo/\(file)"
        let info = try #require(readText(link))
        let flags = try #require(info.split(separator: "\n").first { $0.hasPrefix("flags:") })
        let value = try #require(Int(flags.dropFirst(6).filter { !$0.isWhitespace }, radix: 8))
        #expect(value & Int(O_CLOEXEC) != 0)
        #expect(cs_close(file) == 0)
    }

    @Test("Status, links and real paths are those of the kernel")
    func statuses() throws {
        let file = try folder.write("12345", to: "a", mode: 0o640)
        try makeLink(folder.path + "/b", to: file)
        let status = try FileStatus.of(folder.path + "/b").get()
        #expect(status.kind == .file && status.size == 5 && status.permissions == 0o640)
        #expect(status.owner == cs_geteuid())
        #expect(try FileStatus.ofLink(folder.path + "/b").get().kind == .link)
        var room = [CChar](repeating: 0, count: 4096)
        #expect(cs_readlink(folder.path + "/b", &room, room.count) == file.utf8.count)
        #expect(cs_readlink(folder.path + "/b", &room, 3) == -ENAMETOOLONG)
        #expect(cs_realpath(folder.path + "/./b", &room, room.count) == file.utf8.count)
        #expect(cs_free_bytes(folder.path) > 0)
    }

    @Test("An eventfd counts, and polls readable while it has something")
    func eventfd() {
        let event = cs_eventfd(0)
        var items = [cs_poll_item(fd: event, events: Int16(CS_POLL_IN), revents: 0)]
        #expect(cs_poll(&items, 1, 0) == 0)
        #expect(cs_eventfd_signal(event) == 0)
        #expect(cs_eventfd_signal(event) == 0)
        #expect(cs_poll(&items, 1, 0) == 1)
        #expect(cs_eventfd_take(event) == 2)
        #expect(cs_eventfd_take(event) == -EAGAIN)
        #expect(cs_close(event) == 0)
    }

    @Test("Locks of one file exclude each other between descriptions")
    func locks() throws {
        let path = try folder.write("", to: "lock")
        let (first, second) = (cs_open(path, O_RDWR, 0), cs_open(path, O_RDWR, 0))
        #expect(cs_flock(first, LOCK_EX | LOCK_NB) == 0)
        #expect(cs_flock(second, LOCK_SH | LOCK_NB) == -EWOULDBLOCK)
        #expect(cs_ofd_lock(first, 0, 1, 0, 0) == 0)
        #expect(cs_ofd_lock(second, 0, 1, 0, 0) == 0)
        #expect(cs_ofd_lock(second, 1, 0, 0, 1) == -EAGAIN)
        #expect(cs_close(first) == 0)
        #expect(cs_ofd_lock(second, 1, 0, 0, 1) == 0)
        #expect(cs_close(second) == 0)
    }

    @Test("Users and groups are found by name and number; others are not an error")
    func users() {
        var user = cs_user()
        #expect(cs_user_by_name("root", &user) == 1 && user.uid == 0)
        #expect(cs_user_by_id(0, &user) == 1)
        #expect(withUnsafeBytes(of: user.home) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } == "/root")
        #expect(cs_user_by_name("no-such-user-here", &user) == 0)
        var group = cs_group()
        #expect(cs_group_by_name("root", &group) == 1 && group.gid == 0)
        #expect(cs_group_by_id(4_000_000_000, &group) == 0)
    }

    @Test("A directory gives its entries and then its end")
    func directories() throws {
        try folder.write("", to: "a")
        try makeFolder(folder.path + "/b")
        var directory: UnsafeMutableRawPointer?
        #expect(cs_directory_open(folder.path, &directory) == 0)
        let opened = try #require(directory)
        var entry = cs_directory_entry()
        var names: Set<String> = []
        while cs_directory_next(opened, &entry) == 1 {
            names.insert(withUnsafeBytes(of: entry.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        #expect(names == [".", "..", "a", "b"])
        #expect(cs_directory_next(opened, &entry) == 0)
        #expect(cs_directory_close(opened) == 0)
        #expect(cs_directory_open(folder.path + "/a", &directory) == -ENOTDIR)
    }

    @Test("A process's end makes its pidfd readable")
    func pidfd() {
        let descriptor = cs_pidfd_open(cs_getpid())
        var items = [cs_poll_item(fd: descriptor, events: Int16(CS_POLL_IN), revents: 0)]
        #expect(cs_poll(&items, 1, 0) == 0)
        #expect(cs_close(descriptor) == 0)
    }

    @Test("The clocks run, and the boot clock is not behind the monotonic one")
    func clocks() {
        let monotonic = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))
        #expect(monotonic > 0)
        #expect(cs_clock_ns(Int32(CS_CLOCK_BOOTTIME)) >= monotonic)
        #expect(cs_clock_ns(Int32(CS_CLOCK_REALTIME)) > 1_700_000_000_000_000_000)
        #expect(cs_clock_ns(99) == -EINVAL)
    }
}
