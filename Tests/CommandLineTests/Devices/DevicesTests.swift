import Glibc
import Testing

@Suite("devices", .fewAtOnce)
struct DevicesTests {
    @Test("the document names the built-in devices with what they can deliver")
    func document() async throws {
        let ending = try await Workspace().capturegate("devices", "--json")
        #expect(ending.code == 0)
        let document = try Document(ending.output)
        let devices = document["devices"].elements
        #expect(document["faults"].elements.isEmpty)
        let bars = try #require(devices.first { $0["id"] == .string("test:bars") })
        #expect(bars["capability"] == .string("camera"))
        #expect(bars["available"] == .bool(true))
        #expect(bars["built_in"] == .bool(true))
        #expect(bars["formats"].elements.contains { $0["width"] == .number(1280) && $0["height"] == .number(720) })
        let tone = try #require(devices.first { $0["id"] == .string("test:tone") })
        #expect(tone["formats"].elements.first?["sample_rates"]["max"] == .number(192_000))
    }

    @Test("a capability leaves the other devices out")
    func filter() async throws {
        let ending = try await Workspace().capturegate("devices", "--json", "--capability", "microphone")
        let devices = try Document(ending.output)["devices"].elements
        #expect(!devices.isEmpty)
        #expect(devices.allSatisfy { $0["capability"] == .string("microphone") })
    }

    @Test("people get a line a device")
    func table() async throws {
        let ending = try await Workspace().capturegate("devices")
        #expect(ending.output.contains("\n  test:tone  "))
        #expect(!ending.output.contains("\u{1B}"))
    }

    @Test("the machine's choice is never a built-in device")
    func choice() async throws {
        let ending = try await Workspace().capturegate("devices", "--default", "camera")
        #expect(!ending.output.contains("test:"))
        #expect(ending.code == (ending.output.isEmpty ? 66 : 0))
    }

    @Test("a watch begins with what is there and ends with 0 on Ctrl-C", arguments: [SIGINT, SIGTERM])
    func watch(signal: Int32) async throws {
        let workspace = try Workspace()
        let watch = try workspace.start("devices", "--watch", "--json")
        let line = try Document(try await watch.waitForLine(containing: "test:bars"))
        #expect(line["event"] == .string("add"))
        #expect(line["initial"] == .bool(true))
        #expect((line["at_ns"].number ?? 0) > 0)
        watch.send(signal)
        let ending = try await watch.finish()
        #expect(ending.code == 0)
        #expect(ending.errors.isEmpty)
    }
}
