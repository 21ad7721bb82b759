import Dispatch
import Glibc
import LinuxSystem
import Testing

@testable import CaptureGate

@Suite("Desktop notifications")
struct DesktopNotificationsTests {
    private func obstacle(_ environment: [String: String], deadline: Duration = .seconds(30)) async -> CaptureError? {
        await DesktopNotifications(deadline: deadline, environment: environment).obstacle()
    }

    @Test(
        "A machine without a session bus says so",
        arguments: [
            [:], ["DBUS_SESSION_BUS_ADDRESS": ""], ["XDG_RUNTIME_DIR": ""], ["XDG_RUNTIME_DIR": "relative"],
            ["XDG_RUNTIME_DIR": "/no/such/folder"], ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/no/such/socket"],
            ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/etc/passwd"],
        ])
    func noBus(environment: [String: String]) async throws {
        let error = try #require(await obstacle(environment))
        #expect(error.kind == .unavailable && !error.remedies.isEmpty)
    }

    @Test(
        "An address of garbage reaches nobody",
        arguments: [
            "garbage", ";;;", "unix:", "unix:path=", "unix:path=%zz", "unix:path=/a\0b", "unix:abstract=\u{1B}x,guid=!",
            String(repeating: "unix:path=/x;", count: 10_000),
        ])
    func garbage(address: String) async {
        #expect(await obstacle(["DBUS_SESSION_BUS_ADDRESS": address])?.kind == .unavailable)
    }

    @Test(
        "Neither a program is run nor another machine spoken to",
        arguments: ["unixexec:path=/bin/touch,argv1=MARK", "tcp:host=127.0.0.1,port=1", "x-machine-unix:pid=1"])
    func foreign(address: String) async throws {
        let mark = try TemporaryFolder.make() + "/mark"
        let address = address.split(separator: "MARK", omittingEmptySubsequences: false).joined(separator: mark)
        #expect(BusAddress.session(in: ["DBUS_SESSION_BUS_ADDRESS": address]) == nil)
        #expect(await obstacle(["DBUS_SESSION_BUS_ADDRESS": address]) != nil)
        #expect(access(mark, F_OK) != 0)
    }

    @Test("Of several addresses the usable ones are used, and a runtime folder's name is escaped")
    func addresses() {
        let mixed = ["DBUS_SESSION_BUS_ADDRESS": "tcp:host=x;unix:path=/a;unixexec:path=/b;unix:abstract=c"]
        #expect(BusAddress.session(in: mixed) == "unix:path=/a;unix:abstract=c")
        #expect(BusAddress.session(in: ["XDG_RUNTIME_DIR": "/run/u;1,ü"]) == "unix:path=/run/u%3b1%2c%c3%bc/bus")
    }

    /// A socket that takes connections and never says a word.
    private func silentBus() throws -> (socket: Int32, environment: [String: String]) {
        let folder = try TemporaryFolder.make()
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("\(folder)/bus".utf8)) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 5) == 0 else { throw TemporaryFolder.Failure() }
        return (listener, ["XDG_RUNTIME_DIR": folder])
    }

    @Test("A bus that never speaks is given up at the deadline")
    func silent() async throws {
        let bus = try silentBus()
        defer { close(bus.socket) }
        let error = try #require(await obstacle(bus.environment, deadline: .milliseconds(200)))
        #expect(error.errno == ETIMEDOUT && error.message.contains("in time"))
    }

    @Test("A cancelled task waits for nobody")
    func cancelled() async throws {
        let bus = try silentBus()
        defer { close(bus.socket) }
        let environment = bus.environment
        let task = Task { await obstacle(environment, deadline: .seconds(1000)) }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
    }
}
