import CaptureBase

/// Numbers of ITU-T H.273 for colorimetry, as streams and containers store them.
enum ColourCodes {
    /// "Unspecified" in all three tables.
    static let unspecified: UInt64 = 2

    /// MatrixCoefficients (H.273, table 4).
    static let matrices: [Colorimetry.Matrix: UInt64] = [
        .rgb: 0, .bt709: 1, .bt601: 6, .smpte240M: 7, .bt2020: 9, .bt2020Constant: 10,
    ]
    /// TransferCharacteristics (H.273, table 3).
    static let transfers: [Colorimetry.Transfer: UInt64] = [
        .bt709: 1, .smpte240M: 7, .linear: 8, .srgb: 13, .pq: 16, .dciP3: 17,
    ]
    /// ColourPrimaries (H.273, table 2).
    static let primaries: [Colorimetry.Primaries: UInt64] = [
        .bt709: 1, .bt470M: 4, .bt470BG: 5, .smpte170M: 6, .smpte240M: 7, .bt2020: 9, .dciP3: 11,
    ]
}

extension Colorimetry {
    /// MatrixCoefficients; 2 if H.273 has no number for it.
    var matrixCode: UInt64 { ColourCodes.matrices[matrix] ?? ColourCodes.unspecified }
    /// TransferCharacteristics; 2 if H.273 has no number for it.
    var transferCode: UInt64 { ColourCodes.transfers[transfer] ?? ColourCodes.unspecified }
    /// ColourPrimaries; 2 if H.273 has no number for them.
    var primariesCode: UInt64 { ColourCodes.primaries[primaries] ?? ColourCodes.unspecified }
}
