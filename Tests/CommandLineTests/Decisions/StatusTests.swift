import Testing

@Suite("status", .fewAtOnce)
struct StatusTests {
    @Test("it says of each device whether this program may use it, and how strong the gate is")
    func devices() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--device", "test:bars", "--always")
        let ending = try await workspace.capturegate("status", "--json")
        #expect(ending.code == 0)
        let document = try Document(ending.output)
        let bars = try #require(document["devices"].elements.first { $0["id"] == .string("test:bars") })
        #expect(bars["authorization"] == .string("authorized"))
        #expect(bars["decision"] == .number(1))
        #expect(bars["strength"] == .string("L0"))
        let tone = try #require(document["devices"].elements.first { $0["id"] == .string("test:tone") })
        #expect(tone["authorization"] == .string("not_determined"))
        #expect(document["store"].string == workspace.store)
        #expect(document["subject"]["executable"].string?.hasSuffix("/capturegate") == true)
    }

    @Test("people read what the level of the gate means")
    func strength() async throws {
        let ending = try await Workspace().capturegate("status")
        #expect(ending.code == 0)
        #expect(ending.output.contains("L0 advisory"))
        #expect(ending.output.contains("test:tone"))
    }

    @Test("asking for the status asks nobody and writes no line")
    func silent() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("status")
        let log = try Document(try await workspace.capturegate("log", "--json").output)
        #expect(log["entries"] == .array([]))
    }
}
