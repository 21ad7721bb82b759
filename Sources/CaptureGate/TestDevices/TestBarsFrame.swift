import CaptureBase

/// Image of `test:bars`: colour bars at 75 % (after SMPTE EG 1, in BT.601), with its number as a bar code in the first
/// rows and in digits below.
///
/// The same number gives the same bytes. The bar code has ``codeBits`` cells from left to right, most significant bit
/// first, white for 1: it survives scaling, lossy coding, and a camera that is pointed at a screen.
///
/// *thread-safe*
public struct TestBarsFrame: BitwiseCopyable, Sendable {
    /// Width in pixels, even.
    public let width: Int
    /// Height in pixels, even.
    public let height: Int
    /// True for planes of Y, Cb and Cr (YU12), false for packed Y0 Cb Y1 Cr (YUYV).
    public let isPlanar: Bool

    /// Makes an image of the nearest size and format that can be drawn.
    ///
    /// - Parameters:
    ///   - width: 16 to 7680 pixels; odd numbers are rounded down, since two pixels share a chroma sample.
    ///   - height: 16 to 4320 pixels; odd numbers are rounded down.
    ///   - pixelFormat: YUYV or YU12; anything else gives YUYV.
    public init(width: Int, height: Int, pixelFormat: PixelFormat) {
        self.width = min(max(width, 16), 7680) & ~1
        self.height = min(max(height, 16), 4320) & ~1
        isPlanar = pixelFormat == .yuv420
    }

    /// Bytes of the whole image, without padding.
    public var byteCount: Int {
        @_noLocks @_noAllocation get { isPlanar ? width * height * 3 / 2 : width * height * 2 }
    }

    /// Distance between the starts of two rows of luma, in bytes.
    public var bytesPerLine: Int {
        @_noLocks @_noAllocation get { isPlanar ? width : width * 2 }
    }

    /// Draws the image of a number.
    ///
    /// - Parameter number: frame's number, of which the last ``codeBits`` bits are drawn.
    /// - Returns: ``byteCount`` bytes.
    public func bytes(number: UInt64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            drawBars(into: base)
            drawNumber(number, into: base)
            count = byteCount
        }
    }

    /// Draws a rectangle. Cells of two by two pixels are the smallest that every format can colour.
    @_noLocks @_noAllocation
    func fill(
        _ x: Int, _ y: Int, _ columns: Int, _ rows: Int, _ colour: TestBarsColour,
        into base: UnsafeMutablePointer<UInt8>
    ) {
        let left = x & ~1
        let right = min(x &+ columns, width)
        var row = y
        while row < min(y &+ rows, height) {
            isPlanar ? fillPlanar(row, left, right, colour, base) : fillPacked(row, left, right, colour, base)
            row &+= 1
        }
    }

    @_noLocks @_noAllocation
    private func fillPacked(
        _ row: Int, _ left: Int, _ right: Int, _ colour: TestBarsColour, _ base: UnsafeMutablePointer<UInt8>
    ) {
        let line = UnsafeMutableRawPointer(base + row &* width &* 2)
        let pair = colour.pair.littleEndian
        var x = left
        while x < right {
            line.storeBytes(of: pair, toByteOffset: x &* 2, as: UInt32.self)
            x &+= 2
        }
    }

    @_noLocks @_noAllocation
    private func fillPlanar(
        _ row: Int, _ left: Int, _ right: Int, _ colour: TestBarsColour, _ base: UnsafeMutablePointer<UInt8>
    ) {
        let size = width &* height
        let luma = base + (row &* width)
        let cb = base + (size &+ row / 2 &* (width / 2))
        let cr = cb + (size / 4)
        var x = left
        while x < right {
            luma[x] = colour.y
            luma[x &+ 1] = colour.y
            cb[x / 2] = colour.cb
            cr[x / 2] = colour.cr
            x &+= 2
        }
    }
}

extension TestBarsFrame {
    /// Number of bits in the bar code: 32, or as many cells of two pixels as fit.
    public var codeBits: Int {
        @_noLocks @_noAllocation get { min(32, width / 2) }
    }

    /// Width of one cell of the bar code in pixels.
    private var cellWidth: Int {
        @_noLocks @_noAllocation get { (width / codeBits) & ~1 }
    }

    /// Height of the bar code in pixels: a sixteenth of the image, 2 to 16.
    private var codeHeight: Int {
        @_noLocks @_noAllocation get { min(16, max(2, (height / 16) & ~1)) }
    }

    /// Draws what all images have in common: the bars, the castellations, and a white block at the bottom.
    @_noLocks @_noAllocation
    func drawBars(into base: UnsafeMutablePointer<UInt8>) {
        fill(0, 0, width, height, TestBarsColour.black, into: base)
        let upper = (height * 2 / 3) & ~1
        let lower = (height * 3 / 4) & ~1
        for bar in 0..<7 {
            let (x, end) = ((width * bar / 7) & ~1, (width * (bar + 1) / 7) & ~1)
            fill(x, 0, end - x, upper, TestBarsColour.bar(bar), into: base)
            fill(x, upper, end - x, lower - upper, TestBarsColour.castellation(bar), into: base)
        }
        fill((width / 6) & ~1, lower, (width / 6) & ~1, height - lower, TestBarsColour.white, into: base)
    }

    /// Draws what differs between images. All its pixels are written each time, so that a buffer can be used again.
    @_noLocks @_noAllocation
    func drawNumber(_ number: UInt64, into base: UnsafeMutablePointer<UInt8>) {
        for cell in 0..<codeBits {
            let isOne = number >> UInt64(codeBits - 1 - cell) & 1 == 1
            let colour = isOne ? TestBarsColour.white : TestBarsColour.black
            fill(cell * cellWidth, 0, cellWidth, codeHeight, colour, into: base)
        }
        drawDigits(number, into: base)
    }

    /// Draws the last eight decimal digits in the middle, white on black; an image too small for them has the bar code
    /// alone.
    @_noLocks @_noAllocation
    private func drawDigits(_ number: UInt64, into base: UnsafeMutablePointer<UInt8>) {
        let dot = (min(width / 64, height / 24)) & ~1
        guard dot >= 2 else { return }
        let (left, top) = (((width - 32 * dot) / 2) & ~1, (height / 3) & ~1)
        fill(left - dot, top - dot, 33 * dot, 7 * dot, TestBarsColour.black, into: base)
        var rest = number
        for place in 0..<8 {
            drawDigit(Int(truncatingIfNeeded: rest % 10), left + (7 - place) * 4 * dot, top, dot, into: base)
            rest /= 10
        }
    }

    /// Draws one digit of three by five dots.
    @_noLocks @_noAllocation
    private func drawDigit(_ digit: Int, _ x: Int, _ y: Int, _ dot: Int, into base: UnsafeMutablePointer<UInt8>) {
        let glyph = TestBarsFrame.glyph(digit)
        for row in 0..<5 {
            for column in 0..<3 where glyph >> UInt16(truncatingIfNeeded: 14 - row * 3 - column) & 1 == 1 {
                fill(x + column * dot, y + row * dot, dot, dot, TestBarsColour.white, into: base)
            }
        }
    }

    /// Dots of a digit, row by row from the top left. A `switch`, since an array literal could allocate.
    @_noLocks @_noAllocation
    private static func glyph(_ digit: Int) -> UInt16 {
        switch digit {
        case 0: 0b111_101_101_101_111
        case 1: 0b010_110_010_010_111
        case 2: 0b111_001_111_100_111
        case 3: 0b111_001_111_001_111
        case 4: 0b101_101_111_001_001
        case 5: 0b111_100_111_001_111
        case 6: 0b111_100_111_101_111
        case 7: 0b111_001_001_001_001
        case 8: 0b111_101_111_101_111
        default: 0b111_101_111_001_111
        }
    }

    /// Reads the bar code.
    ///
    /// - Parameter bytes: an image of this size and format.
    /// - Returns: the number's last ``codeBits`` bits; `nil` if a cell is neither black nor white, or bytes are
    ///   missing.
    public func number(in bytes: RawSpan) -> UInt64? {
        guard bytes.byteCount >= byteCount else { return nil }
        var number: UInt64 = 0
        for cell in 0..<codeBits {
            let x = cell * cellWidth + cellWidth / 2
            let offset = (codeHeight / 2) * bytesPerLine + x * (isPlanar ? 1 : 2)
            let luma = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            // Neither black nor white, even after lossy coding: the cell is damaged, or this is another image.
            guard luma < 85 || luma > 166 else { return nil }
            number = number << 1 | (luma > 166 ? 1 : 0)
        }
        return number
    }
}

/// Colour of the test image in BT.601, limited range.
struct TestBarsColour: BitwiseCopyable, Sendable {
    let y: UInt8
    let cb: UInt8
    let cr: UInt8

    /// Makes a colour of its Y, Cb and Cr.
    @_noLocks @_noAllocation
    init(_ y: UInt8, _ cb: UInt8, _ cr: UInt8) {
        self.y = y
        self.cb = cb
        self.cr = cr
    }

    /// Two pixels as Y0 Cb Y1 Cr, the first byte lowest.
    var pair: UInt32 {
        @_noLocks @_noAllocation get {
            let luma = UInt32(y) &* 0x0001_0001
            let chroma = UInt32(cb) &* 0x0000_0100 &+ UInt32(cr) &* 0x0100_0000
            return luma &+ chroma
        }
    }

    /// Black and white of limited range, not 0 and 255: a reader that takes the range for full shows greys.
    static var black: TestBarsColour {
        @_noLocks @_noAllocation get { TestBarsColour(16, 128, 128) }
    }
    static var white: TestBarsColour {
        @_noLocks @_noAllocation get { TestBarsColour(235, 128, 128) }
    }

    /// Bars at 75 % from left to right: grey, yellow, cyan, green, magenta, red, blue.
    @_noLocks @_noAllocation
    static func bar(_ index: Int) -> TestBarsColour {
        switch index {
        case 0: TestBarsColour(180, 128, 128)
        case 1: TestBarsColour(162, 44, 142)
        case 2: TestBarsColour(131, 156, 44)
        case 3: TestBarsColour(112, 72, 58)
        case 4: TestBarsColour(84, 184, 198)
        case 5: TestBarsColour(65, 100, 212)
        default: TestBarsColour(35, 212, 114)
        }
    }

    /// Row below the bars: their blue components in reverse. Seen through blue alone it matches the bars above if hue
    /// and saturation are right.
    @_noLocks @_noAllocation
    static func castellation(_ index: Int) -> TestBarsColour {
        index % 2 == 1 ? black : index == 6 ? bar(0) : bar(6 &- index)
    }
}
