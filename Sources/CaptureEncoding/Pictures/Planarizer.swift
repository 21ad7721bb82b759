import CaptureGate

/// Turns a driver's raw picture into planes.
struct Planarizer: Hashable {
    let layout: RawFrameLayout
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
        guard let layout = RawFrameLayout(format), let arrangement = PixelArrangement(format.pixelFormat) else {
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

    func expandRow(_ y: PixelRows.Target, _ width: Int, _ cb: PixelRows.Target, _ cr: PixelRows.Target) {
        guard expands else { return }
        PixelRows.expandLuma(y, into: y, count: width)
        PixelRows.expandChroma(cb, into: cb, count: geometry.chromaWidth)
        PixelRows.expandChroma(cr, into: cr, count: geometry.chromaWidth)
    }
}
