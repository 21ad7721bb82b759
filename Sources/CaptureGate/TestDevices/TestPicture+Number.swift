extension TestBarsFrame {
    /// How many bits of the number the bar code shows: 32, or what fits.
    public var codeBits: Int {
        @_noLocks @_noAllocation get { min(32, width / 2) }
    }

    /// Pixels.
    private var cellWidth: Int {
        @_noLocks @_noAllocation get { (width / codeBits) & ~1 }
    }

    /// Pixels.
    private var codeHeight: Int {
        @_noLocks @_noAllocation get { min(16, max(2, (height / 16) & ~1)) }
    }

    /// What is the same in every picture.
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

    /// What differs: all of its pixels are written each time, so that a buffer can be used again.
    @_noLocks @_noAllocation
    func drawNumber(_ number: UInt64, into base: UnsafeMutablePointer<UInt8>) {
        for cell in 0..<codeBits {
            let isOne = number >> UInt64(codeBits - 1 - cell) & 1 == 1
            let colour = isOne ? TestBarsColour.white : TestBarsColour.black
            fill(cell * cellWidth, 0, cellWidth, codeHeight, colour, into: base)
        }
        drawDigits(number, into: base)
    }

    /// The last eight decimal digits in the middle, white on black; a picture too small for them shows the bar code alone.
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

    @_noLocks @_noAllocation
    private func drawDigit(_ digit: Int, _ x: Int, _ y: Int, _ dot: Int, into base: UnsafeMutablePointer<UInt8>) {
        let glyph = TestBarsFrame.glyph(digit)
        for row in 0..<5 {
            for column in 0..<3 where glyph >> UInt16(truncatingIfNeeded: 14 - row * 3 - column) & 1 == 1 {
                fill(x + column * dot, y + row * dot, dot, dot, TestBarsColour.white, into: base)
            }
        }
    }

    /// Three by five dots, row by row from the top left.
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
    /// - Parameter bytes: A picture of this size and format.
    /// - Returns: The number's last ``codeBits`` bits; `nil` where a cell is neither black nor white, or bytes are missing.
    public func number(in bytes: RawSpan) -> UInt64? {
        guard bytes.byteCount >= byteCount else { return nil }
        var number: UInt64 = 0
        for cell in 0..<codeBits {
            let x = cell * cellWidth + cellWidth / 2
            let offset = (codeHeight / 2) * bytesPerLine + x * (isPlanar ? 1 : 2)
            let luma = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            guard luma < 85 || luma > 166 else { return nil }
            number = number << 1 | (luma > 166 ? 1 : 0)
        }
        return number
    }
}
