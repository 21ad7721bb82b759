import CaptureEncoding
import CaptureGate

/// Tells of each picture: a line for people, a line of JSON for programs.
struct SnapshotView: Sendable {
    /// Standard error where the picture itself goes to standard output.
    let stream: StandardStream
    let json: Bool

    /// For people; programs have it in each picture's line.
    func show(_ differences: [String]) {
        if !json { for difference in differences { stream.note("Note: \(difference.visible)") } }
    }

    func show(_ snapshot: Snapshot) { stream.note(json ? snapshot.json.text : snapshot.text) }
}

extension Snapshot {
    fileprivate var text: String {
        let waited = NumberText.time(nanoseconds: waitedNanoseconds)
        let settled = isSettled ? "settled after \(waited)" : "not settled after \(waited)"
        let gap = missed == 0 ? "" : ", \(NumberText.counted(missed, "picture")) missed before it"
        return "\(path.visible): \(format.width)x\(format.height), \(NumberText.bytes(Int64(size))), \(settled)\(gap)"
    }

    fileprivate var json: JSONValue {
        [
            "event": "picture", "path": .string(path), "bytes": .count(size), "width": .count(format.width),
            "height": .count(format.height), "pixel_format": .string(format.pixelFormat.description),
            "colorimetry": format.colorimetry.json, "field_order": .string(format.fieldOrder.rawValue),
            "pixel_aspect": .optional(format.pixelAspect?.description), "settled": .bool(isSettled),
            "waited_ns": .integer(waitedNanoseconds), "timestamp_ns": .integer(timestamp),
            "missed": .count(missed), "differences": .strings(differences),
        ]
    }
}
