import CaptureGate

/// The Colour element (RFC 9559, 5.1.4.1.28.16), whose numbers are those of ITU-T H.273.
enum MatroskaColour {
    static func append(_ colorimetry: Colorimetry, to video: inout EBML) {
        video.master(.colour) { colour in
            colour.unsigned(.matrixCoefficients, matrices[colorimetry.matrix] ?? unspecified)
            colour.unsigned(.range, colorimetry.range == .full ? full : limited)
            colour.unsigned(.transferCharacteristics, transfers[colorimetry.transfer] ?? unspecified)
            colour.unsigned(.primaries, primaries[colorimetry.primaries] ?? unspecified)
        }
    }

    /// - Parameter field: the elements of a Video element and of its Colour.
    /// - Returns: `nil` where none of it is said.
    static func read(_ field: (MatroskaID) -> UInt64) -> Colorimetry? {
        let matrix = matrices.first { $0.value == field(.matrixCoefficients) }?.key
        let range = field(.range)
        guard let matrix, range == limited || range == full else { return nil }
        return Colorimetry(
            primaries: primaries.first { $0.value == field(.primaries) }?.key ?? .unspecified,
            transfer: transfers.first { $0.value == field(.transferCharacteristics) }?.key ?? .unspecified,
            matrix: matrix, range: range == full ? .full : .limited)
    }

    private static let unspecified: UInt64 = 2
    private static let limited: UInt64 = 1
    private static let full: UInt64 = 2

    private static let matrices: [Colorimetry.Matrix: UInt64] = [
        .rgb: 0, .bt709: 1, .bt601: 6, .smpte240M: 7, .bt2020: 9, .bt2020Constant: 10,
    ]
    private static let transfers: [Colorimetry.Transfer: UInt64] = [
        .bt709: 1, .smpte240M: 7, .linear: 8, .srgb: 13, .pq: 16, .dciP3: 17,
    ]
    private static let primaries: [Colorimetry.Primaries: UInt64] = [
        .bt709: 1, .bt470M: 4, .bt470BG: 5, .smpte170M: 6, .smpte240M: 7, .bt2020: 9, .dciP3: 11,
    ]
}
