import CaptureGate

/// Paints synthetic pictures in the layouts that cameras deliver.
struct PicturePainter {
    private let format: VideoFormat
    private let layout: RawLayout
    private let arrangement: PixelArrangement
    private let scenery: Scenery
    private let seed: UInt64

    /// - Throws: `.usage` for formats without known planes.
    init(_ format: VideoFormat, seed: UInt64) throws(CaptureError) {
        guard let layout = RawLayout(format), let arrangement = PixelArrangement(format.pixelFormat) else {
            throw CaptureError(
                .usage, "No picture of \(format.width)x\(format.height) \(format.pixelFormat) can be painted.",
                remedies: [Remedy("Choose YUYV, NV12, YU12, GREY or RGB3, of an even width.")])
        }
        self.format = format
        self.layout = layout
        self.arrangement = arrangement
        self.seed = seed
        scenery = Scenery(seed: seed)
    }

    /// The scenery moves by some pixels from one to the next, and the grain is another.
    func picture(number: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 128, count: layout.byteCount)
        var noise = Noise(seed: seed &+ UInt64(truncatingIfNeeded: number) &* 7919 &+ 1)
        bytes.withUnsafeMutableBufferPointer { bytes in
            for (index, plane) in layout.planes.enumerated() {
                for row in 0..<plane.rows {
                    let line = bytes.baseAddress.map { $0 + plane.offset + row * plane.stride }
                    guard let line else { continue }
                    let grain = noise.next(below: Scenery.grainCount)
                    paint(line, count: plane.rowBytes, row: row, plane: index, number: number, grain: grain)
                }
            }
        }
        return bytes
    }

    private func paint(
        _ line: UnsafeMutablePointer<UInt8>, count: Int, row: Int, plane: Int, number: Int, grain: Int
    ) {
        let isColour = plane > 0
        let mask = Scenery.side - 1
        let top = ((row * (isColour ? layout.planes[0].rows / layout.planes[plane].rows : 1)) + 2 * number) & mask
        scenery.brightness.withUnsafeBufferPointer { shades in
            scenery.grain.withUnsafeBufferPointer { grains in
                for index in 0..<count {
                    let (x, isChroma) = place(index, isColour)
                    let shade = Int(shades[top << 9 + (x + 3 * number) & mask])
                    let speck = Int(grains[(grain + index) & (Scenery.grainCount - 1)])
                    line[index] = isChroma ? Self.chroma(shade, speck, index) : UInt8(clamping: shade + speck)
                }
            }
        }
    }

    /// Which column of the scenery a byte shows, and whether it is colour.
    private func place(_ index: Int, _ isColour: Bool) -> (x: Int, isChroma: Bool) {
        switch arrangement {
        case .packed(let y, _, _): (index >> 1, index & 1 != y & 1)
        case .semiplanar: isColour ? (index & ~1, true) : (index, false)
        case .planar: isColour ? (2 * index, true) : (index, false)
        case .grey: (index, false)
        case .deepGrey: (index >> 1, false)
        case .rgb: (index / 3, false)
        }
    }

    /// Colour changes less than brightness does, and has less grain.
    private static func chroma(_ shade: Int, _ speck: Int, _ index: Int) -> UInt8 {
        let sign = index & 2 == 0 ? 1 : -1
        return UInt8(clamping: 128 + sign * (shade - 120) / 4 + speck / 4)
    }
}
