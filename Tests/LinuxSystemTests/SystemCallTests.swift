import LinuxSystem
import Testing

@Suite("System calls")
struct SystemCallTests {
    let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test("A rename without replacing moves a file, and leaves both where there is one")
    func renameWithoutReplacing() throws {
        let partial = try directory.write("new", to: "clip.partial")
        let final = directory.path + "/clip"
        try FileSystem.renameWithoutReplacing(partial, to: final)
        try directory.write("newer", to: "clip.partial")
        #expect(throws: Errno.fileExists) { try FileSystem.renameWithoutReplacing(partial, to: final) }
        #expect(ProcessFile.text(final) == "new")
        #expect(ProcessFile.text(partial) == "newer")
    }

    @Test("A failure is the error number, with its text")
    func failures() {
        #expect(throws: Errno.noSuchFileOrDirectory) {
            _ = try RawDescriptor(opening: directory.path + "/none", .readOnly)
        }
        #expect(throws: Errno.isDirectory) { _ = try RawDescriptor(opening: directory.path, .writeOnly) }
        #expect(throws: Errno.badFileDescriptor) { try RawDescriptor.none.sync() }
        #expect(throws: Errno.noSuchFileOrDirectory) { try FileSystem.freeBytes(at: directory.path + "/none") }
        #expect(Errno.noSuchFileOrDirectory.text == "No such file or directory")
        #expect(Errno(result: -Errno.noSuchFileOrDirectory.number) == .noSuchFileOrDirectory)
    }

    @Test("Descriptors are closed on exec, and with their owner")
    func closeOnExec() throws {
        let path = try directory.write("", to: "a")
        let file = try FileDescriptor(opening: path, .readOnly)
        let info = try #require(ProcessFile.text("/proc/self/fdinfo/\(file.number)"))
        let flags = try #require(info.split(separator: "\n").first { $0.hasPrefix("flags:") })
        let value = try #require(Int(flags.dropFirst(6).filter { !$0.isWhitespace }, radix: 8))
        #expect(value & 0o2_000_000 != 0, "O_CLOEXEC")
        func isOpen() -> Bool {
            ProcessFile.names(in: "/proc/self/fd").contains { ProcessFile.link("/proc/self/fd/\($0)") == path }
        }
        #expect(isOpen())
        _ = consume file
        #expect(!isOpen())
    }

    @Test("What is written is read again, at its offset and from the beginning")
    func readingAndWriting() throws {
        let path = directory.path + "/a"
        let file = try FileDescriptor(opening: path, [.readWrite, .create, .exclusive], mode: 0o600)
        #expect(try file.write(Array("hello".utf8)) == 5)
        #expect(try file.write(Array("J".utf8), at: 0) == 1)
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(try file.read(into: &bytes, from: 2, at: 0) == 5)
        #expect(bytes == [0, 0] + Array("Jello".utf8) + [0])
        try file.truncate(to: 4)
        try file.seek(to: 1)
        #expect(try file.readToEnd(limit: 100) == Array("ell".utf8))
        try file.seek(to: 0)
        #expect(try file.readToEnd(limit: 2) == Array("Je".utf8))
        try file.sync()
        try file.syncData()
    }

    @Test("Status, links and real paths are those of the kernel")
    func statuses() throws {
        let file = try directory.write("12345", to: "a", mode: 0o640)
        let other = directory.path + "/b"
        try directory.link("b", to: file)
        let status = try FileStatus.of(other).get()
        #expect(status.kind == .file && status.size == 5 && status.permissions == 0o640)
        #expect(status.owner == Users.effectiveID)
        #expect(try FileStatus.ofLink(other).get().kind == .link)
        #expect(try FileStatus.of(file).get().isSameFile(as: status))
        #expect(try FileSystem.target(ofLink: other) == file)
        #expect(try FileSystem.realPath(of: directory.path + "/./b") == file)
        #expect(throws: Errno.invalidArgument) { try FileSystem.target(ofLink: file) }
        #expect(try FileSystem.freeBytes(at: directory.path) > 0)
        #expect(try FileStatus.of("/dev/null").get().kind == .characterDevice)
        #expect(try FileStatus.of("/dev/null").get().node.parts == (1, 3))
    }

    @Test("An event counts, and polls readable while it has something")
    func events() throws {
        let event = try EventDescriptor()
        #expect(Poll.wait(for: event.descriptor, milliseconds: 0).isEmpty)
        event.signal()
        event.signal()
        #expect(Poll.wait(for: event.descriptor, milliseconds: 0) == .input)
        #expect(event.take() == 2)
        #expect(event.take() == 0)
        var items = [PollItem(-1), PollItem(event.descriptor)]
        #expect(try Poll.wait(for: &items, until: .now) == 0)
        event.signal()
        #expect(try Poll.wait(for: &items, until: .never) == 1)
        #expect(!items[0].isReady && items[1].found == .input)
    }

    @Test("A lock keeps others out until its descriptor ends, and patience has an end")
    func locks() throws {
        let path = try directory.write("", to: "lock")
        let first = try FileDescriptor(opening: path, .readWrite)
        let second = try FileDescriptor(opening: path, .readWrite)
        try FileLock.take(first, patience: .zero)
        #expect(throws: Errno.wouldBlock) { try FileLock.take(second, patience: .milliseconds(20)) }
        var pauses = 0
        #expect(throws: Errno.wouldBlock) { try FileLock.take(second, tries: 3) { pauses += 1 } }
        #expect(pauses == 3)
        try FileLock.take(byte: 7, of: first)
        #expect(throws: Errno.wouldBlock) { try FileLock.take(byte: 7, of: second) }
        try FileLock.take(byte: 8, of: second)
        _ = consume first
        // A program that another test starts at this moment has the descriptor, too, until its own begins.
        try FileLock.take(second, patience: .seconds(60))
        try FileLock.take(byte: 7, of: second)
    }

    @Test("Users and groups are found by name and number; others are not an error")
    func users() throws {
        #expect(try Users.id(ofUser: "root") == 0)
        #expect(try Users.id(ofUser: "no-such-user-here") == nil)
        #expect(try Users.id(ofGroup: "root") == 0)
        #expect(Users.name(ofUser: 0) == "root")
        #expect(Users.name(ofGroup: 4_000_000_000) == "4000000000")
        #expect(Users.homeDirectory(ofUser: 0) == "/root")
        #expect(!Users.groupIDs.isEmpty)
    }

    @Test("A directory gives its entries, and no more than are asked for")
    func directories() throws {
        let file = try directory.write("", to: "a")
        try FileSystem.makeDirectory(directory.path + "/b", mode: 0o700)
        #expect(Set(try FileSystem.names(in: directory.path)) == ["a", "b"])
        #expect(try FileSystem.names(in: directory.path, limit: 1).count == 1)
        #expect(throws: Errno.notDirectory) { try FileSystem.names(in: file) }
        #expect(FileSystem.allows([.read, .write, .execute], to: directory.path))
        #expect(FileSystem.refusal(of: .existence, to: file + "x") == .noSuchFileOrDirectory)
    }

    @Test("The clocks run, and the boot clock is not behind the monotonic one")
    func clocks() {
        let monotonic = SystemClock.monotonic.now
        #expect(monotonic > 0)
        #expect(SystemClock.boot.now >= monotonic)
        #expect(SystemClock.realtime.now > 1_700_000_000_000_000_000)
        #expect(SystemClock.process.now > 0 && SystemClock.thread.now >= 0)
    }

    @Test("This process is no other, and one that has ended is gone")
    func marks() throws {
        let own = try #require(ProcessMark.current)
        let boot = try #require(ProcessFile.bootID)
        #expect(!own.isGone(since: boot))
        #expect(own.isGone(since: "another boot"))
        #expect(
            ProcessFile.startTicks(stat: "7 (a) b) c) S \((4...21).map(String.init).joined(separator: " ")) 99") == 99)
        #expect(ProcessFile.startTicks(stat: "7 (a) S 1") == nil)
    }

    @Test("A thread of its own runs its work once")
    func threads() throws {
        let event = try EventDescriptor()
        try DetachedThread.start(stackBytes: 256 << 10) { event.signal() }
        #expect(Poll.wait(for: event.descriptor, milliseconds: 60_000) == .input)
    }

    @Test("An address on this machine has a route, and nonsense is no address")
    func routes() throws {
        let address = try #require(try NetworkAddress.addresses(of: "127.0.0.1", isNumeric: true).first)
        #expect(throws: Never.self) { try address.checkRoute() }
        #expect(try NetworkAddress.addresses(of: "fe80::1%lo", isNumeric: true).first?.interface == 1)
        #expect(throws: Errno.noSuchFileOrDirectory) { try NetworkAddress.addresses(of: "localhost", isNumeric: true) }
    }

    @Test("A look for threads leaves the thread's processors as they were, and finds as many as it looks for")
    func spareThreads() {
        let processors = {
            ProcessFile.text("/proc/thread-self/status")?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
        }
        let before = processors()
        #expect(before != nil)
        #expect(ProcessStart.spareThreads(upTo: 3) == 3)
        #expect(processors() == before)
    }
}
