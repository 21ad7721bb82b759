import CSystem
import Gate
import LinuxSystem
import Testing

@testable import GateStore

@Suite("captures without an end in the log")
struct UnfinishedCaptureTests {
    let folder: TemporaryFolder
    let store: SQLiteGrantStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteGrantStore(directory: folder.path)
    }

    private func line(
        _ kind: AuditEvent.Kind, process: ProcessMark?, device: String = "test:tone", boot: String = Samples.bootID
    ) throws -> String {
        struct Line: Encodable {
            let event: AuditEvent
            let process: ProcessMark?

            enum CodingKeys: CodingKey { case process }

            func encode(to encoder: any Encoder) throws {
                try event.encode(to: encoder)
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encodeIfPresent(process, forKey: .process)
            }
        }
        let event = AuditEvent(
            kind, at: Samples.instant(boot: boot), subject: Samples.subject(), capability: .microphone, level: .record,
            devices: [DeviceID(rawValue: device)], detail: "for a test")
        return try AuditChain.text(of: Line(event: event, process: process))
    }

    private let first = ProcessMark(id: 11, startTicks: 5, namespace: 1)
    private let second = ProcessMark(id: 12, startTicks: 5, namespace: 1)

    @Test("An end belongs to the first beginning of the same process, boot and device")
    func matching() throws {
        var tally = CaptureTally()
        tally.add(1, try line(.start, process: first))
        tally.add(2, try line(.start, process: second))
        tally.add(3, try line(.start, process: first))
        tally.add(4, try line(.start, process: first, device: "test:bars"))
        tally.add(5, try line(.start, process: nil))
        tally.add(6, try line(.refusal, process: first))
        tally.add(7, try line(.stop, process: first))
        tally.add(8, try line(.revocation, process: second))
        tally.add(9, try line(.stop, process: second, boot: "another"))
        #expect(tally.unfinished { _, _ in true } == [3, 4])
        tally.add(10, try line(.revocation, process: first))
        #expect(tally.unfinished { _, _ in true } == [4])
        #expect(tally.unfinished { process, _ in process != first } == [])
    }

    @Test(
        "A process that runs is not gone; one that ended, or ran in an earlier boot, is; of other namespaces nobody knows"
    )
    func processes() throws {
        let own = try #require(ProcessMark.current)
        let boot = try #require(ProcessFile.bootID)
        #expect(own.id == cs_getpid())
        #expect(!own.isGone(since: boot))
        #expect(own.isGone(since: "another"))
        #expect(ProcessMark(id: own.id, startTicks: own.startTicks + 1, namespace: own.namespace).isGone(since: boot))
        #expect(ProcessMark(id: .max, startTicks: 1, namespace: own.namespace).isGone(since: boot))
        #expect(!ProcessMark(id: .max, startTicks: 1, namespace: own.namespace + 1).isGone(since: boot))
    }

    @Test("The lines of a capture name their process; one that this process has open is not missed")
    func stored() throws {
        let boot = try #require(ProcessFile.bootID)
        for kind in [AuditEvent.Kind.start, .decision, .stop, .start] {
            try store.append(Samples.event(kind, at: Samples.instant(boot: boot)))
        }
        let texts = try store.audit.entries().map(\.text)
        #expect(texts.map { AuditRecord.Capture(in: $0)?.process } == [.current, nil, .current, .current])
        #expect(try store.audit.verify().unfinished == [])
        // As if it had begun before the machine was restarted.
        try store.append(Samples.event(.start, at: Samples.instant(boot: "before")))
        let report = try store.audit.verify()
        #expect(report.unfinished == [5] && report.isIntact)
    }
}
