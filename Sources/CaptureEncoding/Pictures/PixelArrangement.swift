import CaptureGate

/// How the samples of a raw picture follow each other, for the formats that are read without libv4lconvert.
enum PixelArrangement: Hashable {
    /// Two pixels in four bytes: where Y0, Cb, Y1 and Cr stand.
    case packed(y: Int, cb: Int, cr: Int)
    /// A plane of Y, then one of Cb and Cr in turn, or Cr and Cb.
    case semiplanar(ChromaSampling, swapped: Bool)
    /// Planes of Y, Cb and Cr, or Y, Cr and Cb.
    case planar(ChromaSampling, swapped: Bool)
    case grey
    /// Grey of 16 bits, whose value is shifted so many bits to the right for 8 of it.
    case deepGrey(shift: UInt16, isBigEndian: Bool)
    /// Three bytes a pixel: where R and B stand.
    case rgb(red: Int, blue: Int)

    init?(_ format: PixelFormat) {
        guard let arrangement = Self.known[format] else { return nil }
        self = arrangement
    }

    private static let known: [PixelFormat: PixelArrangement] = table.reduce(into: [:]) { known, line in
        for code in line.codes.split(separator: " ").compactMap({ PixelFormat(String($0)) }) {
            known[code] = line.arrangement
        }
    }

    /// V4L2's codes. Those with an M in second place keep their planes apart.
    private static let table: [(codes: String, arrangement: PixelArrangement)] = [
        ("YUYV", .packed(y: 0, cb: 1, cr: 3)), ("YVYU", .packed(y: 0, cb: 3, cr: 1)),
        ("UYVY", .packed(y: 1, cb: 0, cr: 2)), ("VYUY", .packed(y: 1, cb: 2, cr: 0)),
        ("NV12 NM12", .semiplanar(.yuv420, swapped: false)), ("NV21 NM21", .semiplanar(.yuv420, swapped: true)),
        ("NV16 NM16", .semiplanar(.yuv422, swapped: false)), ("NV61 NM61", .semiplanar(.yuv422, swapped: true)),
        ("NV24", .semiplanar(.yuv444, swapped: false)), ("NV42", .semiplanar(.yuv444, swapped: true)),
        ("YU12 YM12", .planar(.yuv420, swapped: false)), ("YV12 YM21", .planar(.yuv420, swapped: true)),
        ("422P YM16", .planar(.yuv422, swapped: false)), ("YM61", .planar(.yuv422, swapped: true)),
        ("YM24", .planar(.yuv444, swapped: false)), ("YM42", .planar(.yuv444, swapped: true)),
        ("GREY", .grey), ("Y10", .deepGrey(shift: 2, isBigEndian: false)),
        ("Y12", .deepGrey(shift: 4, isBigEndian: false)), ("Y16", .deepGrey(shift: 8, isBigEndian: false)),
        ("Y16-BE", .deepGrey(shift: 8, isBigEndian: true)),
        ("RGB3", .rgb(red: 0, blue: 2)), ("BGR3", .rgb(red: 2, blue: 0)),
    ]

    /// Whether it is Y, Cb and Cr.
    var hasChromaPlanes: Bool {
        switch self {
        case .packed, .semiplanar, .planar: true
        case .grey, .deepGrey, .rgb: false
        }
    }

    var sampling: ChromaSampling {
        switch self {
        case .packed: .yuv422
        case .semiplanar(let sampling, _), .planar(let sampling, _): sampling
        case .grey, .deepGrey: .grey
        case .rgb: .yuv444
        }
    }
}
