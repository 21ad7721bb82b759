import CaptureEncoding
import CaptureGate

/// A meter as NDJSON, a line an event.
struct MeterEvents: EventView {
    mutating func show(_ event: MeterEvent) {
        switch event {
        case .started(let device, let format, let differences):
            tell([
                "event": "start", "device": .string(device.id.rawValue), "name": .string(device.name),
                "sample_rate": .count(format.sampleRate), "channels": .count(format.channels),
                "sample_format": .string(format.sampleFormat.rawValue), "differences": .strings(differences),
            ])
        case .level(let reading):
            tell([
                "event": "level", "elapsed_ns": .integer(reading.elapsedNanoseconds), "lost": .count(reading.lost),
                "channels": .array(reading.channels.map(\.json)),
            ])
        case .ended(let isComplete): tell(["event": "end", "reason": isComplete ? "complete" : "interrupt"])
        }
    }

    private func tell(_ event: JSONValue) { StandardStream.output.note(event.text) }
}

extension SoundLevel {
    fileprivate var json: JSONValue {
        ["peak_dbfs": .rounded(peakDBFS, 2), "rms_dbfs": .rounded(rmsDBFS, 2), "clipped": .bool(isClipped)]
    }
}
