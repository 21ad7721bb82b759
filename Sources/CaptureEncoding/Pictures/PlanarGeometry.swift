/// A planar picture without padding: Y, then Cb, then Cr.
struct PlanarGeometry: Hashable {
    let width: Int
    let height: Int
    let sampling: ChromaSampling

    var lumaBytes: Int { width * height }
    var chromaWidth: Int {
        switch sampling {
        case .yuv444: width
        case .yuv422, .yuv420: (width + 1) / 2
        case .grey: 0
        }
    }
    var chromaHeight: Int {
        switch sampling {
        case .yuv444, .yuv422: height
        case .yuv420: (height + 1) / 2
        case .grey: 0
        }
    }
    var chromaBytes: Int { chromaWidth * chromaHeight }
    var byteCount: Int { lumaBytes + 2 * chromaBytes }
    /// Two rows of chroma behind the picture, for halving 4:2:2.
    var byteCountWithScratch: Int { byteCount + 2 * chromaWidth }
}
