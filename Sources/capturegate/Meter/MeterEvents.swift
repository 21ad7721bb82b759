import CaptureEncoding
import CaptureGate

/// A meter as NDJSON, a line an event.
struct MeterNDJSONView: EventView {
    mutating func show(_ event: MeterEvent) throws(StreamFailure) {
        switch event {
        case .started(let device, let format, let differences):
            try tell([
                "event": "start", "device": .string(device.id.rawValue), "name": .string(device.name),
                "sample_rate": .count(format.sampleRate), "channels": .count(format.channels),
                "sample_format": .string(format.sampleFormat.rawValue), "differences": .strings(differences),
            ])
        case .level(let reading):
            try tell([
                "event": "level", "elapsed_ns": .integer(reading.elapsedNanoseconds), "lost": .count(reading.lost),
                "channels": .array(reading.channels.map(\.json)),
            ])
        case .ended(let isComplete): try tell(["event": "end", "reason": isComplete ? "complete" : "interrupt"])
        }
    }

    private func tell(_ event: JSONValue) throws(StreamFailure) { try StandardStream.output.line(event.text) }
}

extension SoundLevel {
    fileprivate var json: JSONValue {
        ["peak_dbfs": .rounded(peakDBFS, 2), "rms_dbfs": .rounded(rmsDBFS, 2), "clipped": .bool(isClipped)]
    }
}
