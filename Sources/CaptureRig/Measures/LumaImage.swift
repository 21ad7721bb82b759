/// Layout of the pixels' brightness in the bytes of a frame.
///
/// Packed formats need no conversion: YUYV has a `step` of 2, UYVY an `offset` of 1 as well, 16-bit grey in little endian
/// likewise. For RGB the green byte (`offset` 1, `step` 3) stands for the brightness.
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

    /// True where all pixels lie inside so many bytes. A driver's sizes come in here: none of them may trap.
    package func fits(_ count: Int) -> Bool {
        let most = 1 << 20
        let sizes = [width, height, step, stride]
        guard sizes.allSatisfy({ 1...most ~= $0 }), 0...most ~= offset else { return false }
        return offset + (height - 1) * stride + (width - 1) * step < count
    }
}

/// Brightness of a picture or of a coarse grid of its points, row by row without gaps.
///
/// *thread-safe*
package struct LumaImage: Hashable, Sendable {
    package let width: Int
    package let height: Int
    /// `width` × `height` bytes, 0...255.
    package let bytes: [UInt8]

    /// Makes a picture from bytes without gaps.
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
    /// - Returns: `nil` where the shape is larger than the bytes.
    package init?(_ frame: Span<UInt8>, _ shape: LumaShape) {
        self.init(frame, shape, columns: shape.width, rows: shape.height)
    }

    /// Picks points of a frame, each from the middle of a cell.
    ///
    /// Points and not means: the noise of a live sensor stays in them, by which a repeated frame differs from a still scene.
    ///
    /// - Parameters:
    ///   - frame: bytes of the frame.
    ///   - shape: where the brightness lies.
    ///   - columns: most points a row.
    ///   - rows: most rows.
    /// - Returns: `nil` where the shape is larger than the bytes.
    package init?(_ frame: Span<UInt8>, _ shape: LumaShape, columns: Int, rows: Int) {
        guard shape.fits(frame.count), columns > 0, rows > 0 else { return nil }
        let (across, down) = (min(columns, shape.width), min(rows, shape.height))
        let pixels = (0..<across).map { Self.middle($0, of: across, in: shape.width) * shape.step }
        width = across
        height = down
        bytes = [UInt8](unsafeUninitializedCapacity: across * down) { points, count in
            for row in 0..<down {
                let start = shape.offset + Self.middle(row, of: down, in: shape.height) * shape.stride
                for pixel in pixels {
                    points.initializeElement(at: count, to: frame[start + pixel])
                    count += 1
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
    /// Variance of the picture after Laplace's operator (4 at the pixel, −1 at its four neighbours): the sharper the picture,
    /// the larger; noise counts as sharpness, too, so that it is compared with a golden figure and not with a limit for all.
    ///
    /// - Returns: squares of brightness steps; `nil` below 3 × 3 pixels.
    package var sharpness: Double? {
        guard width >= 3, height >= 3 else { return nil }
        var (sum, squares) = (0, 0)
        let bytes = bytes.span
        for y in 1..<height - 1 {
            for index in y * width + 1..<(y + 1) * width - 1 {
                let around = Int(bytes[index - 1]) + Int(bytes[index + 1]) + Int(bytes[index - width])
                let edge = 4 * Int(bytes[index]) - around - Int(bytes[index + width])
                sum += edge
                squares += edge * edge
            }
        }
        let count = Double((width - 2) * (height - 2))
        let mean = Double(sum) / count
        return Double(squares) / count - mean * mean
    }

    /// Measure `sharpness`, without a limit: a check compares it with the golden figure.
    package static func sharpnessMeasure(of image: LumaImage?) -> Measure {
        Measure("sharpness", image?.sharpness, "", .target)
    }
}
