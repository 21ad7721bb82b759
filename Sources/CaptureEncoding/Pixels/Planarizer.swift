import CaptureGate

/// Turns a driver's raw picture into planes.
struct Planarizer: Hashable {
    let layout: RawLayout
    let arrangement: PixelArrangement
    let geometry: PlanarGeometry
    private let recolouring: ColourConversion
    /// Of red, green and blue.
    private let isLimited: Bool
    /// Whether limited range is widened to JFIF's full range on the way.
    var expands: Bool { recolouring == .widening }

    /// - Parameters:
    ///   - sampling: what to make of packed 4:2:2; other formats keep theirs.
    ///   - target: what the planes are to mean.
    ///   - takesRGB: make 4:4:4 of RGB, by the matrix of BT.601 and in limited range.
    /// - Returns: `nil` for formats without planes of Y: compressed ones, those that nobody here knows, and RGB.
    init?(
        _ format: VideoFormat, sampling: ChromaSampling? = nil, to target: ColourConversion.Target = .source,
        takesRGB: Bool = false
    ) {
        guard let layout = RawLayout(format), let arrangement = PixelArrangement(format.pixelFormat) else {
            return nil
        }
        if case .rgb = arrangement, !takesRGB { return nil }
        var own = arrangement.sampling
        if case .packed = arrangement, sampling == .yuv420 { own = .yuv420 }
        self.layout = layout
        self.arrangement = arrangement
        geometry = PlanarGeometry(width: format.width, height: format.height, sampling: own)
        recolouring = ColourConversion(format.colorimetry, arrangement, to: target)
        isLimited = format.colorimetry.range == .limited
    }

    /// Whether the source's own planes will do.
    var needsNoWork: Bool {
        switch arrangement {
        case .planar(_, swapped: false), .grey: recolouring == .none
        default: false
        }
    }

    /// - Parameters:
    ///   - source: `layout.byteCount` bytes.
    ///   - target: `geometry.byteCount` bytes, with scratch where 4:2:2 is halved.
    func convert(_ source: UnsafeRawPointer, into target: UnsafeMutablePointer<UInt8>) {
        lay(source, into: target)
        recolouring.finish(target, geometry)
    }

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

    func expandRow(_ y: Rows.Target, _ width: Int, _ cb: Rows.Target, _ cr: Rows.Target) {
        guard expands else { return }
        Rows.expandLuma(y, into: y, count: width)
        Rows.expandChroma(cb, into: cb, count: geometry.chromaWidth)
        Rows.expandChroma(cr, into: cr, count: geometry.chromaWidth)
    }
}

/// Where the samples of two pixels stand in their four bytes; the second Y is two behind the first.
struct PackedOrder: Hashable {
    let y: Int
    let cb: Int
    let cr: Int
}

extension Planarizer {
    func splitPacked(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, _ order: PackedOrder) {
        let cb = y + geometry.lumaBytes
        let cr = cb + geometry.chromaBytes
        for row in 0..<geometry.height {
            splitRow(
                source + row * layout.planes[0].stride, y + row * geometry.width, cb + row * geometry.chromaWidth,
                cr + row * geometry.chromaWidth, order)
        }
    }

    func halvePacked(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, _ order: PackedOrder) {
        let width = geometry.chromaWidth
        let cb = y + geometry.lumaBytes
        let cr = cb + geometry.chromaBytes
        let (otherCb, otherCr) = (y + geometry.byteCount, y + geometry.byteCount + width)
        for row in 0..<geometry.height {
            let isFirst = row.isMultiple(of: 2)
            let (rowCb, rowCr) = (cb + row / 2 * width, cr + row / 2 * width)
            splitRow(
                source + row * layout.planes[0].stride, y + row * geometry.width, isFirst ? rowCb : otherCb,
                isFirst ? rowCr : otherCr, order)
            if isFirst { continue }
            Rows.average(rowCb, otherCb, into: rowCb, count: width)
            Rows.average(rowCr, otherCr, into: rowCr, count: width)
        }
    }

    private func splitRow(
        _ source: UnsafeRawPointer, _ y: Rows.Target, _ cb: Rows.Target, _ cr: Rows.Target, _ order: PackedOrder
    ) {
        let pairs = geometry.chromaWidth
        // The orders differ in where Y stands; which of the others is Cb is a matter of two names.
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

extension Planarizer {
    func copyPlanes(_ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, swapped: Bool) {
        copyLuma(source, target)
        let chroma = target + geometry.lumaBytes
        for index in layout.planes.indices.dropFirst() {
            let isSecond = (index == 2) != swapped
            copyPlane(
                source, layout.planes[index], isSecond ? chroma + geometry.chromaBytes : chroma, Rows.expandChroma)
        }
    }

    func splitSemiplanar(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, swapped: Bool) {
        copyLuma(source, y)
        let plane = layout.planes[1]
        let width = geometry.chromaWidth
        for row in 0..<geometry.chromaHeight {
            let cb = y + geometry.lumaBytes + row * width
            let cr = cb + geometry.chromaBytes
            let (first, second) = swapped ? (cr, cb) : (cb, cr)
            Rows.split(source + plane.offset + row * plane.stride, first, second, count: width)
            expandRow(y, 0, cb, cr)
        }
    }

    /// Eight bits of sixteen.
    func narrow(
        _ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, _ shift: UInt16, _ isBigEndian: Bool
    ) {
        for row in 0..<geometry.height {
            Rows.narrow(
                source + row * layout.planes[0].stride, into: target + row * geometry.width, count: geometry.width,
                shift: shift, isBigEndian: isBigEndian)
        }
    }

    func separate(
        _ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, red: Int, blue: Int, _ shares: RGBToYCbCr
    ) {
        for row in 0..<geometry.height {
            let start = y + row * geometry.width
            Rows.separate(
                (source + row * layout.planes[0].stride).assumingMemoryBound(to: UInt8.self), start,
                start + geometry.lumaBytes, start + 2 * geometry.lumaBytes, count: geometry.width, red: red, blue: blue,
                shares)
        }
    }

    private func copyLuma(_ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>) {
        copyPlane(source, layout.planes[0], target, Rows.expandLuma)
    }

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
