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

/// CRC-32 of IEEE 802.3 (3.2.9): reflected, with the polynomial 0x04C11DB7, as of zlib and PNG.
///
/// *thread-safe*
package struct FrameChecksum: Sendable {
    /// Sixteen tables of 256 words: table n has the remainder of a byte that n zero bytes follow. With them sixteen bytes take
    /// one step, which a frame of 1080p needs: byte by byte it would take a third of a core at 30 frames a second.
    private static let tables: [UInt32] = {
        var words = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { word, _ in word >> 1 ^ (word & 1 == 0 ? 0 : 0xEDB8_8320) }
        }
        for index in 256..<4096 {
            let word = words[index - 256]
            words.append(word >> 8 ^ words[Int(word & 0xFF)])
        }
        return words
    }()

    /// Computes the checksum of bytes.
    package static func crc32(_ bytes: Span<UInt8>) -> UInt32 {
        // Pointers, as the checks of sixteen indices take more time than the sums.
        tables.withUnsafeBufferPointer { tables in
            bytes.withUnsafeBytes { bytes in
                var (word, index) = (UInt32.max, 0)
                while index + 16 <= bytes.count {
                    let low = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
                    let high = bytes.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self).littleEndian
                    word = remainder(low ^ UInt64(word), tables, from: 8) ^ remainder(high, tables, from: 0)
                    index += 16
                }
                while index < bytes.count {
                    word = word >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: word) ^ bytes[index])]
                    index += 1
                }
                return ~word
            }
        }
    }

    /// Remainder of eight bytes, the first one in the lowest bits, that `table` bytes follow.
    @inline(__always)
    private static func remainder(_ word: UInt64, _ tables: UnsafeBufferPointer<UInt32>, from table: Int) -> UInt32 {
        var (sum, rest) = (UInt32(0), word)
        for index in 0..<8 {
            sum ^= tables[(table + 7 - index) << 8 + Int(rest & 0xFF)]
            rest >>= 8
        }
        return sum
    }
}
