import FoundationEssentials
import Gate
import LinuxSystem

/// A line of the log as it is written: the event, and the fields that the store adds.
struct AuditRecord: Encodable {
    private let event: AuditEvent
    /// The digest of the state that the line leaves (`DecisionState.digest`).
    private let state: String
    /// The capturing process; only in lines at which a capture begins or ends.
    private let process: ProcessMark?

    private enum CodingKeys: CodingKey {
        case state, process
    }

    init(_ event: AuditEvent, state: String) {
        self.event = event
        self.state = state
        process = AuditRecord.Capture.kinds.contains(event.kind) ? ProcessMark.current : nil
    }

    /// Writes the store's own fields beside those of the event, in one object.
    func encode(to encoder: any Encoder) throws {
        try event.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state, forKey: .state)
        try container.encodeIfPresent(process, forKey: .process)
    }

    /// The digest in a line, found in its text: decoding the line would take a hundred times as long, at each read of the store.
    /// Inside a JSON string a quotation mark has a backslash before it, so no other text looks like the key.
    static func state(in text: String) -> String? {
        let bytes = Array(text.utf8)
        guard let key = bytes.firstRange(of: stateKey) else { return nil }
        let value = bytes[key.upperBound...].prefix { $0 != UInt8(ascii: "\"") }
        return value.count == 64 ? String(decoding: value, as: UTF8.self) : nil
    }

    private static let stateKey = Array(#""state":""#.utf8)

    /// The fields of a line at which a capture begins or ends.
    struct Capture: Decodable {
        struct Moment: Decodable {
            let bootID: String
        }

        static let kinds: Set<AuditEvent.Kind> = [.start, .stop, .revocation]

        let kind: AuditEvent.Kind
        let at: Moment
        let capability: CapabilityName?
        let devices: [DeviceID]
        /// `nil` in lines of older programs.
        let process: ProcessMark?

        /// `nil` for any other line.
        init?(in text: String) {
            guard let found = try? JSONDecoder().decode(Capture.self, from: Data(text.utf8)),
                Capture.kinds.contains(found.kind)
            else { return nil }
            self = found
        }
    }
}

/// Finds captures without an end in the log: their process was killed, or could not write the line.
struct CaptureTally: Sendable {
    /// Start and end of one capture have the same process, boot, capability and devices.
    private struct Key: Hashable {
        let process: ProcessMark
        let bootID: String
        let capability: CapabilityName?
        let devices: [DeviceID]
    }

    /// Numbers of `start` lines without their end, in order.
    private var open: [Key: [Int64]] = [:]

    /// - Parameter text: the event of a line, in the order of the log.
    mutating func add(_ number: Int64, _ text: String) {
        guard let line = AuditRecord.Capture(in: text), let process = line.process else { return }
        let key = Key(process: process, bootID: line.at.bootID, capability: line.capability, devices: line.devices)
        if line.kind == .start {
            open[key, default: []].append(number)
        } else if open[key]?.isEmpty == false {
            // If one process began several on one device, an end belongs to the first.
            open[key]?.removeFirst()
        }
    }

    /// The start lines of captures that ended unrecorded: their process is gone. A process that can't be seen from here may
    /// still capture.
    func unfinished(isGone: (ProcessMark, String) -> Bool) -> [Int64] {
        open.filter { !$0.value.isEmpty && isGone($0.key.process, $0.key.bootID) }.flatMap(\.value).sorted()
    }
}
