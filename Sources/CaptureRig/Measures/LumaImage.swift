/// Layout of the pixels' brightness in the bytes of a frame.
///
/// Packed formats need no conversion: YUYV has a `step` of 2, UYVY an `offset` of 1 as well, 16-bit grey in little endian
/// likewise. For RGB the green byte (`offset` 1, `step` 3) represents the brightness.
///
/// *thread-safe*
package struct LumaShape: Hashable, Sendable {
    /// Pixels a row, at least 1.
    package var width: Int
    /// Rows, at least 1.
    package var height: Int
    /// Bytes from one row to the next.
    package var stride: Int
    /// Index of the first pixel's byte.
    package var offset: Int
    /// Bytes from one pixel to the next.
    package var step: Int

    /// - Parameter stride: bytes from one row to the next; without it, rows lie close together.
    package init(width: Int, height: Int, stride: Int? = nil, offset: Int = 0, step: Int = 1) {
        self.width = width
        self.height = height
        self.offset = offset
        self.step = step
        self.stride = stride ?? width.multipliedReportingOverflow(by: step).partialValue
    }

    /// True if all pixels are within this number of bytes. A driver's sizes come in here: none of them may trap.
    package func fits(_ count: Int) -> Bool {
        let most = 1 << 20
        let sizes = [width, height, step, stride]
        guard sizes.allSatisfy({ 1...most ~= $0 }), 0...most * most ~= offset else { return false }
        return offset + (height - 1) * stride + (width - 1) * step < count
    }
}

/// Brightness of an image or of a coarse grid of its points, row by row without gaps.
///
/// *thread-safe*
package struct LumaImage: Hashable, Sendable {
    package let width: Int
    package let height: Int
    /// `width` × `height` bytes, 0...255.
    package let bytes: [UInt8]

    /// Makes an image from bytes without gaps.
    ///
    /// - Returns: `nil` unless there are exactly `width` × `height` bytes, and some.
    package init?(width: Int, height: Int, bytes: [UInt8]) {
        let shape = LumaShape(width: width, height: height)
        guard shape.fits(bytes.count), width * height == bytes.count else { return nil }
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// Copies the brightness of a frame.
    ///
    /// - Returns: `nil` if the shape is larger than the bytes.
    package init?(_ frame: Span<UInt8>, _ shape: LumaShape) {
        self.init(frame, shape, columns: shape.width, rows: shape.height)
    }

    /// Picks points of a frame, each from the middle of a cell.
    ///
    /// Points and not means: they keep the noise of a live sensor, by which a new frame of a still scene differs from a repeated
    /// frame.
    ///
    /// - Parameters:
    ///   - frame: bytes of the frame.
    ///   - shape: layout of the brightness.
    ///   - columns: maximum number of points per row.
    ///   - rows: maximum number of rows.
    /// - Returns: `nil` if the shape is larger than the bytes.
    package init?(_ frame: Span<UInt8>, _ shape: LumaShape, columns: Int, rows: Int) {
        guard shape.fits(frame.count), columns > 0, rows > 0 else { return nil }
        let (across, down) = (min(columns, shape.width), min(rows, shape.height))
        let pixels = (0..<across).map { Self.middle($0, of: across, in: shape.width) * shape.step }
        width = across
        height = down
        bytes = frame.withUnsafeBufferPointer { frame in
            [UInt8](unsafeUninitializedCapacity: across * down) { points, count in
                for row in 0..<down {
                    let start = shape.offset + Self.middle(row, of: down, in: shape.height) * shape.stride
                    for (column, pixel) in pixels.enumerated() {
                        points.initializeElement(at: count &+ column, to: frame[start &+ pixel])
                    }
                    count += across
                }
            }
        }
    }

    /// The pixel in the middle of a cell, where `count` cells divide `size` pixels.
    private static func middle(_ cell: Int, of count: Int, in size: Int) -> Int { (2 * cell + 1) * size / (2 * count) }

    /// Mean brightness, 0...255.
    package var mean: Double { Double(bytes.reduce(0) { $0 + Int($1) }) / Double(bytes.count) }
}

extension LumaImage {
    /// Variance of the image after Laplace's operator (4 at the pixel, −1 at its four neighbours): the sharper the image, the
    /// larger. Noise counts as sharpness, too, so it is compared with a golden figure and not with a common limit.
    ///
    /// - Returns: squares of brightness steps; `nil` below 3 × 3 pixels.
    package var sharpness: Double? {
        guard width >= 3, height >= 3 else { return nil }
        var (sum, squares) = (0, 0)
        bytes.withUnsafeBufferPointer { bytes in
            for y in 1..<height - 1 {
                // This number of squares, of 1020 at most, fits into a word of 32 bits, of which a vector contains twice as many.
                for start in stride(from: y * width + 1, to: (y + 1) * width - 1, by: 4096) {
                    let part = Self.edges(bytes, start..<min(start + 4096, (y + 1) * width - 1), width)
                    sum += Int(part.sum)
                    squares += Int(part.squares)
                }
            }
        }
        let count = Double((width - 2) * (height - 2))
        let mean = Double(sum) / count
        return Double(squares) / count - mean * mean
    }

    /// Sums of Laplace's operator over pixels of a row, and of its squares.
    private static func edges(
        _ bytes: UnsafeBufferPointer<UInt8>, _ pixels: Range<Int>, _ width: Int
    ) -> (sum: Int32, squares: UInt32) {
        var (sum, squares) = (Int32(0), UInt32(0))
        for index in pixels {
            let beside = Int32(bytes[index &- 1]) &+ Int32(bytes[index &+ 1])
            let edge =
                4 &* Int32(bytes[index]) &- beside &- Int32(bytes[index &- width]) &- Int32(bytes[index &+ width])
            sum &+= edge
            squares &+= UInt32(bitPattern: edge &* edge)
        }
        return (sum, squares)
    }

    /// Measure `sharpness`, without a limit: a check compares it with the golden figure.
    package static func sharpnessMeasure(of image: LumaImage?) -> Measure {
        Measure("sharpness", image?.sharpness, "", .target)
    }
}
