import CaptureBase

/// How a format that can be converted stands in memory.
struct ConvertibleLayout {
    /// What the converter does itself, because libv4lconvert does it wrongly.
    enum Conversion {
        /// Hue, saturation, value; so many bytes a pixel.
        case hues(Int)
        /// A grey a byte, of so many steps above black. libv4lconvert takes them for greys of 256.
        case greys(Int)
    }

    /// `nil` where a picture has as many bytes as it needs.
    let bitsPerPixel: Int?
    /// Whether the driver may pad its rows.
    var hasRows = true
    /// What width and height are multiples of, lest libv4lconvert reads or writes beyond a row.
    var block = (width: 2, height: 2)
    /// What the count of pixels is a multiple of.
    var blockPixels = 1
    /// Pixels that every row has in memory, where that is not the width.
    var storedWidth: Int?
    var conversion: Conversion?
    /// How it is unpacked without libv4lconvert, or before it.
    var unpacking: Unpacking?

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

    init(_ unpacking: Unpacking, block: (width: Int, height: Int) = (1, 1)) {
        self.init(bitsPerPixel: nil, block: block)
        self.unpacking = unpacking
    }

    func takes(width: Int, height: Int) -> Bool {
        (8...16_384).contains(width) && (8...16_384).contains(height) && width <= storedWidth ?? width
            && width.isMultiple(of: block.width) && height.isMultiple(of: block.height)
            && (width * height).isMultiple(of: blockPixels)
            && unpacking?.takes(width: width, height: height) ?? true
    }

    /// Bytes of a row without padding; `nil` where there are no such rows.
    func rowBytes(width: Int) -> Int? { hasRows ? bitsPerPixel.map { width * $0 / 8 } : nil }

    /// Bytes of a whole picture without padding; `nil` where it has as many as it needs.
    func byteCount(width: Int, height: Int) -> Int? {
        bitsPerPixel.map { (storedWidth ?? width) * height * $0 / 8 }
    }
}

extension ConvertibleLayout {
    /// What libv4lconvert 1.22 reads, but for what the encoders read themselves and for JPEG, and what is unpacked here.
    static let known: [PixelFormat: ConvertibleLayout] = (table + unpacked).reduce(into: [:]) { known, line in
        for code in line.codes.split(separator: " ").compactMap({ PixelFormat(String($0)) }) {
            known[code] = line.layout
        }
    }

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
        // 4:2:0 in ways of their own. Lines copied in words of eight bytes, half a line of colour among them.
        (ConvertibleLayout(bitsPerPixel: 12, hasRows: false, block: (16, 2)), "S501 S505 S508"),
        (ConvertibleLayout(bitsPerPixel: 12, hasRows: false), "CITV M420"),
        (ConvertibleLayout(bitsPerPixel: 12, hasRows: false, blockPixels: 256), "KONI"),
        (ConvertibleLayout(bitsPerPixel: 12, hasRows: false, block: (16, 8)), "S920"),
        (ConvertibleLayout(bitsPerPixel: 12, hasRows: false, block: (16, 32), storedWidth: 720), "HM12"),
        // Compressed.
        (ConvertibleLayout(bitsPerPixel: nil), "CPIA S561 S910 SONX P207 M310 JL20 905C S401"),
    ]
}
