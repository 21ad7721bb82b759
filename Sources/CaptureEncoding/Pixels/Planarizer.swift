import CaptureBase

/// Converter of a driver's raw frames to planes without padding.
package struct Planarizer: Hashable {
    /// Planes of the source.
    package let layout: RawLayout
    /// Samples of the source.
    package let arrangement: PixelArrangement
    /// Planes of the result.
    package let geometry: PlanarGeometry
    /// Change of matrix and range.
    private let recolouring: ColourConversion
    /// Range of an RGB source.
    private let isLimited: Bool
    /// Limited range is expanded to full range row by row, while the row is in the cache.
    package var expands: Bool { recolouring == .widening }

    /// - Parameters:
    ///   - format: of the source.
    ///   - sampling: 4:2:0 to halve packed 4:2:2; other formats keep theirs.
    ///   - target: colorimetry of the result.
    ///   - takesRGB: accepts RGB, and makes 4:4:4 of limited range by BT.601.
    /// - Returns: `nil` for formats without a Y plane: compressed ones, unknown ones, and RGB
    ///   unless accepted.
    package init?(
        _ format: VideoFormat, sampling: ChromaSampling? = nil, to target: ColourConversion.Target = .source,
        takesRGB: Bool = false
    ) {
        guard let layout = RawLayout(format), let arrangement = PixelArrangement(format.pixelFormat) else {
            return nil
        }
        // libjpeg takes RGB itself; converting it here would cost a pass.
        if case .rgb = arrangement, !takesRGB { return nil }
        // Only packed 4:2:2 is halved; planes are copied unchanged.
        var own = arrangement.sampling
        if case .packed = arrangement, sampling == .yuv420 { own = .yuv420 }
        self.layout = layout
        self.arrangement = arrangement
        geometry = PlanarGeometry(width: format.width, height: format.height, sampling: own)
        recolouring = ColourConversion(format.colorimetry, arrangement, to: target)
        isLimited = format.colorimetry.range == .limited
    }

    private init(_ whole: Planarizer, _ rows: Range<Int>) {
        layout = whole.layout.part(rows)
        arrangement = whole.arrangement
        geometry = PlanarGeometry(
            width: whole.geometry.width, height: rows.count, sampling: whole.geometry.sampling)
        recolouring = whole.recolouring
        isLimited = whole.isLimited
    }

    /// Converter of some rows of the frame, which is still handed in from its start.
    /// - Parameter rows: of Y; begin with an even one.
    package func part(_ rows: Range<Int>) -> Planarizer { Planarizer(self, rows) }

    /// The source's own planes are the result.
    package var needsNoWork: Bool {
        switch arrangement {
        case .planar(_, swapped: false), .grey: recolouring == .none
        default: false
        }
    }

    /// Converts one frame.
    /// - Parameters:
    ///   - source: `layout.byteCount` bytes.
    ///   - target: `geometry.byteCount` bytes, with scratch if 4:2:2 is halved.
    package func convert(_ source: UnsafeRawPointer, into target: UnsafeMutablePointer<UInt8>) {
        lay(source, into: target)
        // Widening happened on the way; the other changes need whole planes.
        recolouring.finish(target, geometry)
    }

    /// Separates the samples; ``ColourConversion`` does the rest.
    private func lay(_ source: UnsafeRawPointer, into target: UnsafeMutablePointer<UInt8>) {
        switch arrangement {
        case .packed(let y, let cb, let cr):
            let order = PackedOrder(y: y, cb: cb, cr: cr)
            if geometry.sampling == .yuv420 {
                halvePacked(source, target, order)
            } else {
                splitPacked(source, target, order)
            }
        case .semiplanar(_, let swapped): splitSemiplanar(source, target, swapped: swapped)
        case .planar(_, let swapped): copyPlanes(source, target, swapped: swapped)
        case .grey: copyPlanes(source, target, swapped: false)
        case .deepGrey(let shift, let isBigEndian): narrow(source, target, shift, isBigEndian)
        case .rgb(let red, let blue):
            separate(source, target, red: red, blue: blue, isLimited ? .ofLimited : .ofFull)
        }
    }

    /// Expands a row of Y and its chroma in place.
    package func expandRow(_ y: Rows.Target, _ width: Int, _ cb: Rows.Target, _ cr: Rows.Target) {
        guard expands else { return }
        Rows.expandLuma(y, into: y, count: width)
        Rows.expandChroma(cb, into: cb, count: geometry.chromaWidth)
        Rows.expandChroma(cr, into: cr, count: geometry.chromaWidth)
    }
}

/// Offsets of the samples of two pixels in their four bytes; the second Y is two after the first.
package struct PackedOrder: Hashable {
    package let y: Int
    package let cb: Int
    package let cr: Int
}

/// Packed 4:2:2.
extension Planarizer {
    /// Makes planar 4:2:2, without changing a sample.
    package func splitPacked(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, _ order: PackedOrder) {
        let cb = y + geometry.lumaBytes
        let cr = cb + geometry.chromaBytes
        for row in 0..<geometry.height {
            splitRow(
                source + layout.planes[0].start(of: row), y + row * geometry.width, cb + row * geometry.chromaWidth,
                cr + row * geometry.chromaWidth, order)
        }
    }

    /// Makes planar 4:2:0: the chroma of two rows is averaged, which sites it between them as JPEG
    /// wants it.
    package func halvePacked(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, _ order: PackedOrder) {
        let width = geometry.chromaWidth
        let cb = y + geometry.lumaBytes
        let cr = cb + geometry.chromaBytes
        // The second row's chroma waits in the scratch rows after the frame.
        let (otherCb, otherCr) = (y + geometry.byteCount, y + geometry.byteCount + width)
        for row in 0..<geometry.height {
            let isFirst = row.isMultiple(of: 2)
            let (rowCb, rowCr) = (cb + row / 2 * width, cr + row / 2 * width)
            splitRow(
                source + layout.planes[0].start(of: row), y + row * geometry.width, isFirst ? rowCb : otherCb,
                isFirst ? rowCr : otherCr, order)
            if isFirst { continue }
            Rows.average(rowCb, otherCb, into: rowCb, count: width)
            Rows.average(rowCr, otherCr, into: rowCr, count: width)
        }
    }

    /// Splits one row.
    private func splitRow(
        _ source: UnsafeRawPointer, _ y: Rows.Target, _ cb: Rows.Target, _ cr: Rows.Target, _ order: PackedOrder
    ) {
        let pairs = geometry.chromaWidth
        // The orders differ in the position of Y; which of the other two is Cb is only a matter of names.
        let isCbFirst = order.cb < order.cr
        let (first, second) = isCbFirst ? (cb, cr) : (cr, cb)
        if order.y == 0 {
            Rows.splitYUYV(source, y, first, second, pairs: pairs)
        } else {
            Rows.splitUYVY(source, y, first, second, pairs: pairs)
        }
        expandRow(y, geometry.width, cb, cr)
    }
}

/// Planar, semiplanar, grey and RGB frames.
extension Planarizer {
    /// Copies the planes without their padding, Cb ahead of Cr.
    package func copyPlanes(_ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, swapped: Bool) {
        copyLuma(source, target)
        let chroma = target + geometry.lumaBytes
        for index in layout.planes.indices.dropFirst() {
            // Planes of Cr and Cb trade places.
            let isSecond = (index == 2) != swapped
            copyPlane(
                source, layout.planes[index], isSecond ? chroma + geometry.chromaBytes : chroma, Rows.expandChroma)
        }
    }

    /// Splits the interleaved chroma plane.
    package func splitSemiplanar(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, swapped: Bool) {
        copyLuma(source, y)
        let plane = layout.planes[1]
        let width = geometry.chromaWidth
        for row in 0..<geometry.chromaHeight {
            let cb = y + geometry.lumaBytes + row * width
            let cr = cb + geometry.chromaBytes
            let (first, second) = swapped ? (cr, cb) : (cb, cr)
            Rows.split(source + plane.offset + row * plane.stride, first, second, count: width)
            // Luma is expanded already.
            expandRow(y, 0, cb, cr)
        }
    }

    /// Keeps the upper 8 bits of 16-bit grey.
    package func narrow(
        _ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, _ shift: UInt16, _ isBigEndian: Bool
    ) {
        for row in 0..<geometry.height {
            Rows.narrow(
                source + layout.planes[0].start(of: row), into: target + row * geometry.width, count: geometry.width,
                shift: shift, isBigEndian: isBigEndian)
        }
    }

    /// Makes 4:4:4 of RGB.
    package func separate(
        _ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, red: Int, blue: Int, _ shares: RGBToYCbCr
    ) {
        for row in 0..<geometry.height {
            let start = y + row * geometry.width
            Rows.separate(
                (source + layout.planes[0].start(of: row)).assumingMemoryBound(to: UInt8.self), start,
                start + geometry.lumaBytes, start + 2 * geometry.lumaBytes, count: geometry.width, red: red, blue: blue,
                shares)
        }
    }

    /// Copies Y.
    private func copyLuma(_ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>) {
        copyPlane(source, layout.planes[0], target, Rows.expandLuma)
    }

    /// Copies a plane row by row, and expands its range if the target needs that.
    private func copyPlane(
        _ source: UnsafeRawPointer, _ plane: RawLayout.Plane, _ target: UnsafeMutablePointer<UInt8>,
        _ expand: (Rows.Source, Rows.Target, Int) -> Void
    ) {
        for row in 0..<plane.rows {
            let from = source + plane.offset + row * plane.stride
            let to = target + row * plane.rowBytes
            if expands {
                expand(from.assumingMemoryBound(to: UInt8.self), to, plane.rowBytes)
            } else {
                UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: plane.rowBytes)
            }
        }
    }
}
