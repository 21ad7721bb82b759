import CaptureRecording
import FoundationEssentials
import Gate
import GateStore
import Testing

@testable import CaptureGate
@testable import capturegate

/// Whatever comes from outside is shown, never obeyed, wherever it is printed.
@Suite("Text from outside", .fewAtOnce)
struct HostileTextTests {
    /// One of each kind of character that a terminal obeys, hides or reverses, and text that would look like a line of ours.
    static let texts = [
        "\u{1B}]0;OWNED\u{7}\u{1B}[2J", "\u{9B}31m", "\u{7F}\u{8}", "a\u{202E}b\u{2066}c", "a\u{200B}b\u{FEFF}c",
        "\u{3164}\u{115F}\u{2800}", "\u{E0041}\u{FE0F}\u{AD}", "\u{2028}#99\u{2029}#99\u{85}#99", "x\n#99  FORGED LINE",
        "x" + String(repeating: " ", count: 300) + "#99  FORGED", "a\u{A0}\u{A0}\u{3000}b",
        "Z" + String(repeating: "\u{335}", count: 80), "\u{E000}\u{10FFFF}",
    ]

    /// True if a line shows all of its text, with nothing that could look like a column of ours.
    private func isHarmless(_ line: String, _ text: String) -> Bool {
        var scan = VisibleScan()
        return line.unicodeScalars.allSatisfy { scan.shows($0) } && !line.contains("FORGED LINE\n")
            && !line.contains(String(repeating: " ", count: 30) + "#99")
    }

    private func device(_ text: String) -> Device {
        Device(
            id: DeviceID(rawValue: text), name: text, capability: .camera,
            availability: .busy(
                DeviceHolder(processID: 1, command: text)), ambiguity: text, nodes: [text], pcmName: nil,
            formats: .unknown)
    }

    private func subject(_ text: String) -> Subject {
        Subject(
            userID: 1, groupIDs: [], executable: Gate.Executable(path: "/\(text)", inode: 1, sha256: "ab"),
            application: ApplicationID(kind: .unit, name: text),
            session: LoginSession(leader: 1, startTicks: 1, bootID: "b"))
    }

    private func decision(_ text: String) -> Decision {
        Decision(
            id: 1, verdict: .allow, subject: subject(text), capability: CapabilityName(rawValue: text),
            level: AccessLevel(name: text, rank: 1), device: .id(DeviceID(rawValue: text)), lifetime: .always,
            decidedBy: .person(prompter: text), decidedAt: SystemGateClock().now)
    }

    private func audit(_ text: String) throws -> AuditEntry {
        let event = AuditEvent(
            .start, at: SystemGateClock().now, subject: subject(text), capability: CapabilityName(rawValue: text),
            level: AccessLevel(name: text, rank: 1), devices: [DeviceID(rawValue: text)], detail: text)
        let document = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
        return AuditEntry(number: 1, event: event, text: document, previous: text, hash: text)
    }

    private func report(_ text: String) -> StatusReport {
        StatusReport(
            subject: subject(text), storePath: text,
            snapshot: StoreSnapshot(
                decisions: [decision(text)], killSwitches: [CapabilityName(rawValue: text)], latestSinceEpoch: .zero,
                consumed: [decision(text)]),
            keptLines: 1, now: SystemGateClock().now,
            policy: .unreadable([PolicyDiagnostic(file: text, message: text)]),
            devices: [], nodes: [])
    }

    private func clip(_ text: String) -> Clip {
        let track = ClipTrack(
            .video(
                VideoFormat(
                    width: 2, height: 2, pixelFormat: .yuyv, frameRate: FrameRate(unchecked: 30, 1), bytesPerLine: 4)),
            name: text,
            device: text)
        return Clip(
            path: text, format: .matroska, duration: .nanoseconds(1), bytes: 1, tracks: [track],
            ledger: LossLedger(tracks: []), end: .complete,
            segments: [ClipSegment(path: text, start: .zero, duration: .nanoseconds(1), bytes: 1)])
    }

    private func control(_ text: String) -> ControlReport {
        let control = DeviceControl(
            id: 1, name: "menu", label: text, kind: .menu, items: [ControlItem(number: 0, name: text)],
            value: .integer(0))
        let words = DeviceControl(id: 2, name: "text", label: text, kind: .string, value: .text(text))
        let outcome = ControlOutcome([ControlResult(control), ControlResult(words)])
        return ControlReport(device: device(text), outcome: outcome, isListing: true)
    }

    private var style: TextStyle { TextStyle(for: StandardStream(descriptor: .none)) }

    @Test("In lines for people, each is one line that shows all that is in it", arguments: texts)
    func lines(text: String) throws {
        let error = CaptureError(
            .usage, text, remedies: [Remedy(text, command: text)], underlying: [CaptureError(.usage, "\(text)!")])
        let listing = DeviceListing(DeviceInventory(devices: [device(text)], faults: []), capability: nil)
        let status = AuthorizationStatus.restricted(Restriction(cause: .store, reason: text, remedies: []))
        let lines =
            [try audit(text).line, decision(text).phrase, decision(text).capabilityPhrase, status.phrase]
            + [AuthorizationStatus.denied(decision(text)).phrase, PolicySummary.unreadable([]).phrase]
            + report(text).lines(style) + listing.lines(style) + listing.details(style)
            + ErrorReport(error: error).lines(style)
            + ClipSummary(clip: clip(text)).lines + clip(text).segments.map { ClipSummary.line($0) }
            + clip(text).tracks.map(\.phrase) + control(text).lines(style) + [device(text).availability.phrase]
        for line in lines { #expect(isHarmless(line, text), "\(line.debugDescription)") }
    }

    @Test("In JSON the same are escaped, and the value is what it was", arguments: texts)
    func documents(text: String) throws {
        let listing = DeviceListing(DeviceInventory(devices: [device(text)], faults: []), capability: nil)
        let documents = [
            try audit(text).json.text, decision(text).json.text, report(text).json.text, listing.json.text,
            ErrorReport(error: CaptureError(.usage, text)).json.text, clip(text).json,
            JSONValue.rendered(clip(text).json).text, control(text).json.text, JSONValue.object([(text, .null)]).text,
        ]
        for document in documents {
            #expect(
                document.unicodeScalars.allSatisfy { scalar in
                    var scan = VisibleScan()
                    _ = scan.shows("a")
                    return scan.shows(scalar)
                }, "\(document.debugDescription)")
            _ = try Document(document)
        }
        #expect(try Document(documents[3])["devices"].elements.first?["name"] == .string(text))
        #expect(try Document(documents[5])["path"] == .string(text))
        #expect(try Document(documents[0])["event"]["detail"] == .string(text))
    }

    @Test("What was forgotten on its way is shown by the stream itself, and our own colours stay", arguments: texts)
    func sanitized(text: String) {
        let line = "\u{1B}[31mcapturegate:\u{1B}[0m \(text)"
        let shown = TextStyle.sanitized(line)
        #expect(shown.hasPrefix("\u{1B}[31mcapturegate:\u{1B}[0m "))
        let rest = shown.dropFirst("\u{1B}[31mcapturegate:\u{1B}[0m ".count)
        var scan = VisibleScan()
        #expect(rest.unicodeScalars.allSatisfy { scan.shows($0) || $0 == "\n" || $0.value == 0x335 })
    }

    @Test("Names in the store are shown by every command that reads it", arguments: ["screen", "camera"])
    func stored(capability: String) async throws {
        let workspace = try Workspace()
        let hostile = "still\u{1B}]0;OWNED\u{7}\u{1B}[2J\u{202E}\n#99 FORGED LINE"
        let store = try SQLiteGrantStore(directory: workspace.store)
        let own = try ProcessSubject.current()
        let subject = Subject(
            userID: own.userID, groupIDs: own.groupIDs,
            executable: try ProcessSubject.executable(at: Executable.capturegate), application: nil,
            session: own.session)
        let name = CapabilityName(rawValue: capability == "screen" ? "screen\(hostile)" : capability)
        let decision = Decision(
            verdict: .allow, subject: subject, capability: name, level: AccessLevel(name: hostile, rank: 1),
            device: .id(DeviceID(rawValue: "x\(hostile)")), lifetime: .always, decidedBy: .command,
            decidedAt: SystemGateClock().now)
        let event = AuditEvent(
            .decision, at: SystemGateClock().now, subject: subject, capability: name, level: decision.level,
            devices: [DeviceID(rawValue: "x\(hostile)")], detail: hostile)
        _ = try store.record([decision], audit: event)
        for words in [["log"], ["status"], ["log", "--json"], ["status", "--json"], ["reset", "--yes"]] {
            let ending = try await workspace.run([Executable.capturegate] + words)
            var scan = VisibleScan()
            let isShown = (ending.output + ending.errors).unicodeScalars.allSatisfy { scan.shows($0) || $0 == "\n" }
            #expect(isShown, "\(words)")
            #expect(!ending.output.split(separator: "\n").contains { $0.hasPrefix("#99") }, "\(words)")
        }
    }
}
