import Glibc
import LinuxSystem
import Testing

@testable import CaptureGate

/// With a service that answers it is tested by Tests/checks/realtime-kit.
@Suite("rtkit")
struct RealtimeKitTests {
    @Test(
        "Without a system bus the answer is an error, whatever is said of where it listens",
        arguments: ["unix:path=/no/such/socket", "unix:path=/etc/passwd", "garbage", "tcp:host=127.0.0.1,port=1"])
    func noBus(address: String) {
        let kit = RealtimeKit(deadline: .seconds(60), environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
        #expect(kit.raise(thread: 0, to: 20) < 0)
    }

    @Test("The system bus is where the environment says, else at its well-known place")
    func address() {
        #expect(BusAddress.system(in: [:]) == "unix:path=/run/dbus/system_bus_socket")
        #expect(BusAddress.system(in: ["DBUS_SYSTEM_BUS_ADDRESS": ""]) == "unix:path=/run/dbus/system_bus_socket")
        #expect(BusAddress.system(in: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/x;tcp:host=y"]) == "unix:path=/x")
        #expect(BusAddress.system(in: ["DBUS_SYSTEM_BUS_ADDRESS": "unixexec:path=/bin/true"]) == nil)
    }
}
