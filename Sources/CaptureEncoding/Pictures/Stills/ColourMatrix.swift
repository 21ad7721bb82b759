/// From Y, Cb and Cr to R, G and B by ITU-R BT.601, in 1/65536.
struct ColourMatrix: Hashable {
    let black: Int32
    let luma: Int32
    let redCr: Int32
    let greenCb: Int32
    let greenCr: Int32
    let blueCb: Int32

    init(_ range: MJPEGParameters.Range) {
        let isLimited = range == .limited
        black = isLimited ? 16 : 0
        luma = isLimited ? 76_309 : 65_536
        redCr = isLimited ? 104_597 : 91_881
        greenCb = isLimited ? -25_675 : -22_554
        greenCr = isLimited ? -53_279 : -46_802
        blueCb = isLimited ? 132_201 : 116_130
    }
}

extension Rows {
    /// A row of R, G and B from one of Y and one of each chroma.
    /// - Parameter halves: whether two pixels share their chroma.
    static func mix(
        _ y: Source, _ cb: Source, _ cr: Source, into target: Target, count: Int, halves: Bool, _ matrix: ColourMatrix
    ) {
        let shift = halves ? 1 : 0
        for index in 0..<count {
            let luma = (Int32(y[index]) &- matrix.black) &* matrix.luma &+ 32_768
            let blue = Int32(cb[index &>> shift]) &- 128
            let red = Int32(cr[index &>> shift]) &- 128
            let pixel = target + 3 &* index
            pixel[0] = clamped(luma &+ matrix.redCr &* red)
            pixel[1] = clamped(luma &+ matrix.greenCb &* blue &+ matrix.greenCr &* red)
            pixel[2] = clamped(luma &+ matrix.blueCb &* blue)
        }
    }

    private static func clamped(_ value: Int32) -> UInt8 { UInt8(min(max(value >> 16, 0), 255)) }
}
