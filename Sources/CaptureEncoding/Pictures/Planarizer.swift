import CaptureGate

/// Turns a driver's raw picture into planes.
struct Planarizer: Hashable {
    let layout: PictureLayout
    let pixelFormat: PixelFormat
    let geometry: PlanarGeometry
    /// Whether limited range is widened to JFIF's full range on the way.
    let expands: Bool

    /// - Parameter sampling: what to make of 4:2:2; other formats keep theirs.
    /// - Returns: `nil` for formats without planes of Y: compressed ones and RGB.
    init?(_ format: VideoFormat, sampling: ChromaSampling? = nil, expands: Bool = false) {
        guard let layout = PictureLayout(format) else { return nil }
        let own: ChromaSampling
        switch format.pixelFormat {
        case .yuyv, .uyvy: own = sampling == .yuv420 ? .yuv420 : .yuv422
        case .nv12, .yuv420: own = .yuv420
        case .grey: own = .grey
        default: return nil
        }
        self.layout = layout
        pixelFormat = format.pixelFormat
        geometry = PlanarGeometry(width: format.width, height: format.height, sampling: own)
        // Grey cameras use all 256 values, whatever V4L2's default for "not RGB" says.
        self.expands = expands && own != .grey
    }

    /// Whether the source's own planes will do.
    var needsNoWork: Bool { !expands && (pixelFormat == .yuv420 || pixelFormat == .grey) }

    /// - Parameters:
    ///   - source: `layout.byteCount` bytes.
    ///   - target: `geometry.byteCount` bytes, with scratch where 4:2:2 is halved.
    func convert(_ source: UnsafeRawPointer, into target: UnsafeMutablePointer<UInt8>) {
        switch pixelFormat {
        case .yuyv, .uyvy:
            if geometry.sampling == .yuv420 { halvePacked(source, target) } else { splitPacked(source, target) }
        case .nv12: splitSemiplanar(source, target)
        default: copyPlanes(source, target)
        }
    }

    private func splitPacked(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>) {
        let cb = y + geometry.lumaBytes
        let cr = cb + geometry.chromaBytes
        for row in 0..<geometry.height {
            splitRow(
                source + row * layout.planes[0].stride, y + row * geometry.width, cb + row * geometry.chromaWidth,
                cr + row * geometry.chromaWidth)
        }
    }

    private func halvePacked(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>) {
        let width = geometry.chromaWidth
        let cb = y + geometry.lumaBytes
        let cr = cb + geometry.chromaBytes
        let (otherCb, otherCr) = (y + geometry.byteCount, y + geometry.byteCount + width)
        for row in 0..<geometry.height {
            let isFirst = row.isMultiple(of: 2)
            let (rowCb, rowCr) = (cb + row / 2 * width, cr + row / 2 * width)
            splitRow(
                source + row * layout.planes[0].stride, y + row * geometry.width, isFirst ? rowCb : otherCb,
                isFirst ? rowCr : otherCr)
            if isFirst { continue }
            Rows.average(rowCb, otherCb, into: rowCb, count: width)
            Rows.average(rowCr, otherCr, into: rowCr, count: width)
        }
    }

    private func splitRow(
        _ source: UnsafeRawPointer, _ y: Rows.Target, _ cb: Rows.Target, _ cr: Rows.Target
    ) {
        let pairs = geometry.chromaWidth
        if pixelFormat == .yuyv {
            Rows.splitYUYV(source, y, cb, cr, pairs: pairs)
        } else {
            Rows.splitUYVY(source, y, cb, cr, pairs: pairs)
        }
        expandRow(y, geometry.width, cb, cr)
    }

    private func splitSemiplanar(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>) {
        copyLuma(source, y)
        let plane = layout.planes[1]
        let width = geometry.chromaWidth
        for row in 0..<geometry.chromaHeight {
            let cb = y + geometry.lumaBytes + row * width
            let cr = cb + geometry.chromaBytes
            Rows.split(source + plane.offset + row * plane.stride, cb, cr, count: width)
            expandRow(y, 0, cb, cr)
        }
    }

    private func expandRow(_ y: Rows.Target, _ width: Int, _ cb: Rows.Target, _ cr: Rows.Target) {
        guard expands else { return }
        Rows.expandLuma(y, into: y, count: width)
        Rows.expandChroma(cb, into: cb, count: geometry.chromaWidth)
        Rows.expandChroma(cr, into: cr, count: geometry.chromaWidth)
    }
}
