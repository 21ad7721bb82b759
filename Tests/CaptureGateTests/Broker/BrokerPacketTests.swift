import CaptureRealtime
import Foundation
import Testing

@testable import CaptureGate
@testable import Gate

@Suite("Packets of the broker's protocol")
struct BrokerPacketTests {
    /// Messages of all kinds, empty and with something in every field that has an inside.
    static let samples: [BrokerPacket] =
        BrokerMessage.blanks.map { BrokerPacket($0, id: $0.isEvent ? 0 : 7) } + [
            BrokerPacket(.request(.hello(BrokerHello(.agent))), id: 1),
            BrokerPacket(.reply(.welcome(BrokerWelcome(subject: subject))), id: 1),
            BrokerPacket(.request(.ask(DeviceList([request, request]))), id: 2),
            BrokerPacket(.reply(.asked(.allow(.until(instant)))), id: 2),
            BrokerPacket(
                .request(
                    .open(
                        StreamOrder(
                            camera, as: .camera, for: .video, purpose: "Record a clip",
                            .video(CameraSettings(width: 1280, height: 720), input: "HDMI 1")))),
                id: 3),
            BrokerPacket(
                .request(
                    .open(
                        StreamOrder(
                            DeviceID(rawValue: "microphone:card"), as: .microphone, for: .record, purpose: "Écoute",
                            .audio(PCMSettings(rate: 48_000, channels: 2, format: .s32))))),
                id: 4),
            BrokerPacket(.request(.close(StreamReport(5, frames: 300, bytes: .max))), id: 5),
            BrokerPacket(.request(.grant(GrantOrder([decision]))), id: 6),
            BrokerPacket(
                .reply(.failed(BrokerFailure(CaptureError(.busy, "Taken.", errno: 16, remedies: [.restartBroker])))),
                id: 6),
            BrokerPacket(.event(.ended(StreamEnd(5, .killed)))),
            BrokerPacket(
                .event(
                    .question(
                        AgentQuestion(
                            9,
                            .devices(
                                Question(
                                    subject: subject, items: [Question.Item(request: request, device: device)],
                                    lifetimes: [.once, .session(session), .always], previous: Grant(decision))))))),
        ]

    private static let camera = DeviceID(rawValue: "camera:usb-1")
    private static let instant = GateInstant(wallNanoseconds: -1, bootNanoseconds: 2, bootID: "boot")
    private static let session = LoginSession(leader: 42, startTicks: 9, bootID: "boot")
    private static let device = DeviceDescription(id: camera, name: "Webcam")
    private static let subject = Subject(
        userID: 1000, groupIDs: [27, 1000], executable: Executable(path: "/usr/bin/memo", inode: 3, sha256: "ab"),
        application: ApplicationID(kind: .flatpak, name: "org.example.Memo"), session: session)
    private static let request = DeviceRequest(
        capability: .camera, level: .video, device: .id(camera), purpose: "Record a clip", isShared: true)
    private static let decision = Decision(
        id: 8, verdict: .allow, subject: subject, capability: .camera, level: .video, device: .any, lifetime: .always,
        decidedBy: .policy(PolicyOrigin(file: "/etc/capturegate/policy.d/a.yaml", line: 3)), decidedAt: instant)

    @Test("come back as they were sent", arguments: samples)
    func roundTrip(packet: BrokerPacket) throws {
        let bytes = try packet.encoded()
        #expect(try BrokerPacket(decoding: bytes) == packet)
        #expect(bytes.count <= BrokerLimit.packet)
    }

    @Test("cut anywhere, or with a byte more, are none", arguments: samples)
    func cut(packet: BrokerPacket) throws {
        let bytes = try packet.encoded()
        for count in bytes.indices {
            #expect(throws: BrokerFault.self) { try BrokerPacket(decoding: Array(bytes[..<count])) }
        }
        #expect(throws: BrokerFault.trailing) { try BrokerPacket(decoding: bytes + [0]) }
    }

    @Test("of every kind have a number of their own")
    func kinds() {
        let kinds = BrokerMessage.blanks.map(\.kind)
        #expect(Set(kinds).count == kinds.count)
        #expect(BrokerMessage.blanks.filter(\.isEvent).allSatisfy { $0.kind >= 0x8000 })
    }

    @Test("beyond a limit are not sent: texts, lists, and the whole")
    func limits() throws {
        var order = StreamOrder()
        order.purpose = String(repeating: "a", count: BrokerLimit.text + 1)
        #expect(throws: BrokerFault.text) { try BrokerPacket(.request(.open(order)), id: 1).encoded() }
        let many = [DeviceRequest](repeating: Self.request, count: BrokerLimit.items + 1)
        #expect(throws: BrokerFault.count) { try BrokerPacket(.request(.ask(DeviceList(many))), id: 1).encoded() }
        let huge = BrokerPacket(.request(.revoke(RevokeOrder([Int64](repeating: 1, count: 1025)))), id: 1)
        #expect(throws: BrokerFault.count) { try huge.encoded() }
        #expect(throws: BrokerFault.size) {
            try BrokerPacket(decoding: [UInt8](repeating: 0, count: BrokerLimit.packet + 1))
        }
    }

    @Test("with changed bytes are refused or read, and what was read is sent as it was read", arguments: 0..<4)
    func fuzz(part: Int) throws {
        let seconds = ProcessInfo.processInfo.environment["CAPTUREGATE_FUZZ_SECONDS"].flatMap { Double($0) } ?? 0
        let end = Date.now.addingTimeInterval(seconds)
        var seed = UInt64(part + 1)
        repeat {
            var random = SeededNumbers(state: seed)
            for _ in 0..<2000 { try Self.check(Self.damaged(&random)) }
            seed += 4
        } while Date.now < end
    }

    /// A packet with 1 to 6 bytes changed, and sometimes cut, with a new length.
    private static func damaged(_ random: inout SeededNumbers) throws -> [UInt8] {
        var bytes = try samples[Int.random(in: samples.indices, using: &random)].encoded()
        if Bool.random(using: &random) {
            bytes = Array(bytes[..<Int.random(in: 0...bytes.count, using: &random)])
            bytes += (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            if bytes.count >= 16 {
                bytes.replaceSubrange(12..<14, with: [UInt8(truncatingIfNeeded: bytes.count - 16), 0])
            }
        }
        for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
            // The header passes mostly, so that the fields are read.
            let first = Int.random(in: 0..<10, using: &random) == 0 ? 0 : min(6, bytes.count - 1)
            bytes[Int.random(in: first..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        return bytes
    }

    /// Nothing traps, and every accepted message is complete.
    private static func check(_ bytes: [UInt8]) throws {
        guard let packet = try? BrokerPacket(decoding: bytes) else { return }
        #expect(try BrokerPacket(decoding: packet.encoded()) == packet)
    }

    /// Lines of hexadecimal bytes in the protocol's document, each after its message's name.
    private static func documented() throws -> [(name: String, bytes: [UInt8])] {
        let folder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Sources/CaptureGate")
        let text = try String(
            contentsOf: folder.appendingPathComponent("CaptureGate.docc/BrokerProtocol.md").standardizedFileURL,
            encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            guard let colon = line.firstIndex(of: ":"), line.contains(": 43 47 42 52 ") else { return nil }
            let bytes = line[colon...].dropFirst().split(separator: " ").compactMap { UInt8($0, radix: 16) }
            return (String(line[..<colon].filter(\.isLetter)), bytes)
        }
    }

    @Test("are documented byte by byte: the examples are those that are sent")
    func document() throws {
        let examples = try Self.documented()
        #expect(examples.count >= 6)
        for (name, bytes) in examples {
            let packet = try BrokerPacket(decoding: bytes)
            #expect(try packet.encoded() == bytes)
            #expect("\(packet.message)".contains(name), "\(name) is \(packet.message)")
        }
    }
}
