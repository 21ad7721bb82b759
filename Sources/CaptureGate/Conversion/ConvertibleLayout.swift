import CaptureBase

/// Layout in memory of a format that can be converted.
struct ConvertibleLayout {
    /// Conversion done here because libv4lconvert does it wrongly.
    enum Conversion {
        /// Hue, saturation and value, with a number of bytes per pixel.
        case hues(Int)
        /// One byte of grey per pixel, with the value of white. libv4lconvert takes it for grey of 256 steps.
        case greys(Int)
    }

    /// Bits per pixel; `nil` for compressed frames of any length, and for formats that are unpacked.
    let bitsPerPixel: Int?
    /// True if the driver may pad the rows.
    var hasRows = true
    /// Divisors of width and height, without which libv4lconvert reads or writes beyond a row.
    var block = (width: 2, height: 2)
    /// Divisor of the number of pixels.
    var blockPixels = 1
    /// Pixels of every row in memory, if that differs from the width.
    var storedWidth: Int?
    /// Conversion done here; `nil` if libv4lconvert does it right.
    var conversion: Conversion?
    /// Unpacking without libv4lconvert, or before it.
    var unpacking: Unpacking?

    /// Layout of a format that libv4lconvert reads.
    init(
        bitsPerPixel: Int?, hasRows: Bool = true, block: (width: Int, height: Int) = (2, 2), blockPixels: Int = 1,
        storedWidth: Int? = nil, conversion: Conversion? = nil
    ) {
        self.bitsPerPixel = bitsPerPixel
        self.hasRows = hasRows
        self.block = block
        self.blockPixels = blockPixels
        self.storedWidth = storedWidth
        self.conversion = conversion
    }

    /// Layout of a format that is unpacked here.
    init(_ unpacking: Unpacking, block: (width: Int, height: Int) = (1, 1)) {
        self.init(bitsPerPixel: nil, block: block)
        self.unpacking = unpacking
    }

    /// True for sizes that can be converted without reading beyond the frame.
    func takes(width: Int, height: Int) -> Bool {
        (8...16_384).contains(width) && (8...16_384).contains(height) && width <= storedWidth ?? width
            && width.isMultiple(of: block.width) && height.isMultiple(of: block.height)
            && (width * height).isMultiple(of: blockPixels)
            && unpacking?.takes(width: width, height: height) ?? true
    }

    /// Bytes of a row without padding; `nil` if there are no such rows.
    func rowBytes(width: Int) -> Int? { hasRows ? bitsPerPixel.map { width * $0 / 8 } : nil }

    /// Bytes of a whole frame without padding; `nil` for frames of any length.
    func byteCount(width: Int, height: Int) -> Int? {
        bitsPerPixel.map { (storedWidth ?? width) * height * $0 / 8 }
    }
}

extension ConvertibleLayout {
    /// Formats of libv4lconvert 1.22, without JPEG and those that the encoders read themselves; and formats that are
    /// unpacked here.
    static let known: [PixelFormat: ConvertibleLayout] = (table + unpacked).reduce(into: [:]) { known, line in
        for code in line.codes.split(separator: " ").compactMap({ PixelFormat(String($0)) }) {
            known[code] = line.layout
        }
    }

    /// Formats of libv4lconvert, by layout.
    private static let table: [(layout: ConvertibleLayout, codes: String)] = [
        // RGB.
        (ConvertibleLayout(bitsPerPixel: 32), "BGR4 RGB4 XR24 BX24 AR24 BA24"),
        (ConvertibleLayout(bitsPerPixel: 24, conversion: .hues(3)), "HSV3"),
        (ConvertibleLayout(bitsPerPixel: 32, conversion: .hues(4)), "HSV4"),
        // Bayer: 8 bits; 10 bits packed, four pixels in five bytes; 10 and 16 bits in 16.
        (ConvertibleLayout(bitsPerPixel: 8), "BA81 GBRG GRBG RGGB S680"),
        (ConvertibleLayout(bitsPerPixel: 10, block: (4, 2)), "pBAA pGAA pgAA pRAA"),
        (ConvertibleLayout(bitsPerPixel: 16), "BG10 GB10 BA10 RG10 BYR2 GB16 GR16 RG16"),
        // Grey: 10 bits packed, four pixels in five bytes; 4 and 6 bits in 8.
        (ConvertibleLayout(bitsPerPixel: 10, block: (4, 2)), "Y10B"),
        (ConvertibleLayout(bitsPerPixel: 8, conversion: .greys(15)), "Y04"),
        (ConvertibleLayout(bitsPerPixel: 8, conversion: .greys(63)), "Y06"),
        // 4:2:0 in layouts of vendors. Rows are copied in words of eight bytes, half a row of chroma among them.
        (ConvertibleLayout(bitsPerPixel: 12, hasRows: false, block: (16, 2)), "S501 S505 S508"),
        (ConvertibleLayout(bitsPerPixel: 12, hasRows: false), "CITV M420"),
        (ConvertibleLayout(bitsPerPixel: 12, hasRows: false, blockPixels: 256), "KONI"),
        (ConvertibleLayout(bitsPerPixel: 12, hasRows: false, block: (16, 8)), "S920"),
        (ConvertibleLayout(bitsPerPixel: 12, hasRows: false, block: (16, 32), storedWidth: 720), "HM12"),
        // Compressed.
        (ConvertibleLayout(bitsPerPixel: nil), "CPIA S561 S910 SONX P207 M310 JL20 905C S401"),
    ]
}

extension ConvertibleLayout {
    /// Formats that libv4lconvert does not know, or whose white it does not make white.
    ///
    /// After the kernel's documentation: "RGB Formats", "Packed YUV formats", "Raw Bayer Formats" and others of
    /// Documentation/userspace-api/media/v4l. Formats that are described there in bytes are words here whose first byte
    /// is the lowest.
    static let unpacked: [(layout: ConvertibleLayout, codes: String)] = rgb + yuv + samples

    /// Packed red, green and blue.
    private static func words(_ bytes: Int, _ places: String, isBigEndian: Bool = false) -> ConvertibleLayout {
        ConvertibleLayout(.words(PackedPixels(bytes, places, isBigEndian: isBigEndian)))
    }

    /// Packed Y, Cb and Cr.
    private static func yuv(_ bytes: Int, _ places: String) -> ConvertibleLayout {
        ConvertibleLayout(.words(PackedPixels(bytes, places, isYUV: true)))
    }

    /// Mosaic of more than eight bits per sample, which becomes one of eight.
    private static func mosaic(_ width: SampleWidth, _ code: String) -> ConvertibleLayout {
        ConvertibleLayout(.narrowed(width, Unpacking.Rows(), to: PixelFormat(code) ?? .grey), block: (2, 2))
    }

    /// Samples of more than eight bits, which lose the lower ones.
    private static func narrowed(_ width: SampleWidth, _ rows: Unpacking.Rows, _ to: PixelFormat) -> ConvertibleLayout {
        ConvertibleLayout(.narrowed(width, rows, to: to))
    }

    /// Positions of R, G and B: with four, three, five and six, eight and ten bits. X or A is ignored.
    private static let rgb: [(layout: ConvertibleLayout, codes: String)] = [
        (words(1, "5:3 2:3 0:2"), "RGB1"),
        (words(2, "8:4 4:4 0:4"), "R444 XR12 AR12"), (words(2, "12:4 8:4 4:4"), "RX12 RA12"),
        (words(2, "0:4 4:4 8:4"), "XB12 AB12"), (words(2, "4:4 8:4 12:4"), "BX12 GA12"),
        (words(2, "10:5 5:5 0:5"), "RGBO XR15 AR15"), (words(2, "11:5 6:5 1:5"), "RX15 RA15"),
        (words(2, "0:5 5:5 10:5"), "XB15 AB15"), (words(2, "1:5 6:5 11:5"), "BX15 BA15"),
        (words(2, "10:5 5:5 0:5", isBigEndian: true), "RGBQ XR15-BE AR15-BE"),
        (words(2, "11:5 5:6 0:5"), "RGBP"), (words(2, "11:5 5:6 0:5", isBigEndian: true), "RGBR"),
        (words(4, "14:6 20:6 26:6", isBigEndian: true), "BGRH"),
        (words(4, "0:8 8:8 16:8"), "XB24 AB24"), (words(4, "24:8 16:8 8:8"), "RX24 RA24"),
        (words(4, "22:10 12:10 2:10"), "RX30 RA30"), (words(4, "20:10 10:10 0:10"), "AR30"),
    ]

    /// Positions of Y, Cb and Cr.
    private static let yuv: [(layout: ConvertibleLayout, codes: String)] = [
        (yuv(2, "8:4 4:4 0:4"), "Y444"), (yuv(2, "10:5 5:5 0:5"), "YUVO"), (yuv(2, "11:5 5:6 0:5"), "YUVP"),
        (yuv(3, "0:8 8:8 16:8"), "YUV3"), (yuv(4, "8:8 16:8 24:8"), "YUV4 AYUV XYUV"),
        (yuv(4, "16:8 8:8 0:8"), "VUYA VUYX"), (yuv(4, "0:8 8:8 16:8"), "YUVA YUVX"),
        (ConvertibleLayout(.coarse(down: false, isSwapped: false)), "411P"),
        (ConvertibleLayout(.coarse(down: true, isSwapped: false)), "YUV9"),
        (ConvertibleLayout(.coarse(down: true, isSwapped: true)), "YVU9"),
    ]

    /// Samples of more than eight bits: in 16 bits, at the low or the high end, or packed.
    private static let samples: [(layout: ConvertibleLayout, codes: String)] = [
        (mosaic(.words(shift: 4), "BA81"), "BG12"), (mosaic(.words(shift: 4), "GBRG"), "GB12"),
        (mosaic(.words(shift: 4), "GRBG"), "BA12"), (mosaic(.words(shift: 4), "RGGB"), "RG12"),
        (mosaic(.words(shift: 6), "BA81"), "BG14"), (mosaic(.words(shift: 6), "GBRG"), "GB14"),
        (mosaic(.words(shift: 6), "GRBG"), "GR14"), (mosaic(.words(shift: 6), "RGGB"), "RG14"),
        (mosaic(twelve, "BA81"), "pBCC"), (mosaic(twelve, "GBRG"), "pGCC"),
        (mosaic(twelve, "GRBG"), "pgCC"), (mosaic(twelve, "RGGB"), "pRCC"),
        (mosaic(fourteen, "BA81"), "pBEE"), (mosaic(fourteen, "GBRG"), "pGEE"),
        (mosaic(fourteen, "GRBG"), "pgEE"), (mosaic(fourteen, "RGGB"), "pREE"),
        (narrowed(.words(shift: 8), Unpacking.Rows(hasColour: true), .nv12), "P010 P012"),
        (narrowed(.words(shift: 8), Unpacking.Rows(samples: 2), .yuyv), "Y210 Y212 Y216"),
        (narrowed(.words(shift: 8), Unpacking.Rows(), .grey), "Y012 Z16"),
        (narrowed(.words(shift: 6), Unpacking.Rows(), .grey), "Y14"),
        (narrowed(.packed(samples: 4, bytes: 5), Unpacking.Rows(), .grey), "Y10P"),
        (narrowed(twelve, Unpacking.Rows(), .grey), "Y12P"), (narrowed(fourteen, Unpacking.Rows(), .grey), "Y14P"),
    ]

    /// Mosaics of eight bits, which libv4lconvert converts.
    static let mosaics: Set<PixelFormat> = Set(["BA81", "GBRG", "GRBG", "RGGB"].compactMap { PixelFormat($0) })

    /// Two samples in three bytes, and four in seven.
    private static let twelve = SampleWidth.packed(samples: 2, bytes: 3)
    private static let fourteen = SampleWidth.packed(samples: 4, bytes: 7)
}
