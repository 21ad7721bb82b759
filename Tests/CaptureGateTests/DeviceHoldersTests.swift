import Dispatch
import Glibc
import LinuxSystem
import Testing

@testable import CaptureGate

@Suite("Device holders")
struct DeviceHoldersTests {
    /// /dev/full: a character device that nothing else holds for long. Its number is 1:7 everywhere (devices.txt).
    private static let number: UInt64 = 0x107

    /// Another name of a device, which only root can make; for anybody else it is its only one.
    private func otherName(of number: UInt64 = Self.number) throws -> String {
        guard geteuid() == 0 else { return number == Self.number ? "/dev/full" : "/dev/zero" }
        let path = try TemporaryFolder.make() + "/alias"
        guard mknod(path, S_IFCHR | 0o600, dev_t(number)) == 0 else { throw TemporaryFolder.Failure() }
        return path
    }

    private static let bash = [
        "/bin/bash", "-c", "exec 9<\"$1\"; echo $$ >\"$2\"; while read -r -t 1000 <>\"$3\"; do :; done", "x",
    ]

    #if arch(arm64)
        private static let mmap = 222
    #else
        private static let mmap = 9
    #endif
    /// Maps a page of the device as well.
    private static let perl = [
        "/usr/bin/perl", "-e",
        """
        open(F, '<', $ARGV[0]); syscall(\(mmap), 0, 4096, 1, 2, fileno(F), 0); \
        open(H, '>', $ARGV[1]); print H "$$\\n"; close(H); open(N, '<', $ARGV[2]);
        """,
    ]

    /// Runs a program under a name of one's choice, which holds a device until it is killed.
    private func holding(
        _ path: String, as name: String = "bash", in program: [String] = Self.bash, _ body: (pid_t) throws -> Void
    ) async throws {
        let folder = try TemporaryFolder.make()
        guard mkfifo(folder + "/held", 0o600) == 0, mkfifo(folder + "/never", 0o600) == 0,
            symlink(program[0], folder + "/" + name) == 0
        else {
            throw TemporaryFolder.Failure()
        }
        let held = ChildProcess(
            path: folder + "/" + name, arguments: program.dropFirst() + [path, folder + "/held", folder + "/never"],
            environment: ["PATH": "/usr/bin:/bin"])
        let cancel = try EventDescriptor()
        async let ended = withCheckedContinuation { continuation in
            DispatchQueue(label: "holder").async {
                let end = Result { try held.run(until: .init(after: .seconds(60)), cancel: cancel.descriptor) }
                continuation.resume(returning: try? end.get().ending)
            }
        }
        let pid = await withCheckedContinuation { continuation in
            DispatchQueue(label: "held").async {
                // Opens when the device is held.
                let pipe = open(folder + "/held", O_RDONLY | O_CLOEXEC)
                var bytes = [UInt8](repeating: 0, count: 32)
                let count = read(pipe, &bytes, bytes.count)
                close(pipe)
                let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
                continuation.resume(returning: pid_t(text.filter(\.isNumber)))
            }
        }
        defer { cancel.signal() }
        try body(try #require(pid))
        cancel.signal()
        #expect(await ended == .cancelled)
    }

    @Test("Who holds a device is found by the device's number, by its name and by another one")
    func alias() async throws {
        let alias = try otherName()
        try await holding(alias) { pid in
            for found in [
                DeviceHolders.holdings(of: "/dev/full"), DeviceHolders.holdings(of: alias),
                DeviceHolders.holdings(ofDevice: DeviceNumber(Self.number)),
            ] {
                let holding = try #require(found.first { $0.holder.processID == pid })
                #expect(holding.holder.command == "bash" && !holding.hasBuffers)
            }
            #expect(!DeviceHolders.holdings(of: "/dev/zero").contains { $0.holder.processID == pid })
        }
    }

    @Test("Who has buffers of a device mapped captures from it, also under another name")
    func mapped() async throws {
        let zero = try otherName(of: 0x105)
        try await holding(zero, as: "perl", in: Self.perl) { pid in
            let holding = try #require(DeviceHolders.holdings(of: "/dev/zero").first { $0.holder.processID == pid })
            #expect(holding.hasBuffers)
        }
        try await holding(zero) { pid in
            let holding = try #require(DeviceHolders.holdings(of: "/dev/zero").first { $0.holder.processID == pid })
            #expect(!holding.hasBuffers)
        }
    }

    @Test("A command's control characters are shown, not obeyed")
    func hostileCommand() async throws {
        try await holding("/dev/full", as: "a\u{1B}[2J\u{7}") { pid in
            let holding = try #require(DeviceHolders.holdings(of: "/dev/full").first { $0.holder.processID == pid })
            #expect(holding.holder.command == "a\\u{1b}[2J\\u{7}")
        }
    }

    @Test("What is no device is held by nobody", arguments: ["/etc/passwd", "/tmp", "/no/such/node"])
    func notDevice(path: String) {
        #expect(DeviceHolders.holdings(of: path).isEmpty)
    }
}
