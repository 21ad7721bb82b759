import CaptureGate

extension Colorimetry {
    var json: JSONValue {
        [
            "primaries": .string(primaries.rawValue), "transfer": .string(transfer.rawValue),
            "matrix": .string(matrix.rawValue), "range": .string(range.rawValue),
        ]
    }
}
