import CaptureBase

/// The picture of `test:bars`: colour bars at 75 % (after SMPTE EG 1, in BT.601), its number as a bar code in the first rows
/// and in digits below. The same number gives the same bytes.
///
/// The bar code has ``codeBits`` cells from left to right, most significant bit first, white for 1: it survives scaling,
/// lossy coding and a camera pointed at a screen.
///
/// *thread-safe*
public struct TestBarsFrame: BitwiseCopyable, Sendable {
    /// Pixels, even.
    public let width: Int
    /// Pixels, even.
    public let height: Int
    /// Planes Y, Cb, Cr (YU12), else Y0 Cb Y1 Cr packed (YUYV).
    public let isPlanar: Bool

    /// - Parameters:
    ///   - width: 16…7680, else the nearest; odd numbers are rounded down.
    ///   - height: 16…4320, else the nearest; odd numbers are rounded down.
    ///   - pixelFormat: YUYV or YU12; anything else gives YUYV.
    public init(width: Int, height: Int, pixelFormat: PixelFormat) {
        self.width = min(max(width, 16), 7680) & ~1
        self.height = min(max(height, 16), 4320) & ~1
        isPlanar = pixelFormat == .yuv420
    }

    public var byteCount: Int {
        @_noLocks @_noAllocation get { isPlanar ? width * height * 3 / 2 : width * height * 2 }
    }

    /// From the start of one row of luma to the next, bytes.
    public var bytesPerLine: Int {
        @_noLocks @_noAllocation get { isPlanar ? width : width * 2 }
    }

    /// The whole picture with that number.
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
