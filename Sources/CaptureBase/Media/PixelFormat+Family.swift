extension PixelFormat {
    /// What its samples are.
    package enum Family: Hashable {
        case yuv, grey, compressed
        /// Hues and mosaics of red, green and blue among them.
        case rgb
    }

    /// What is not known counts as Y, Cb and Cr.
    package var family: Family {
        if isCompressed { return .compressed }
        return isHue || Self.red.contains(self) ? .rgb : Self.greys.contains(self) ? .grey : .yuv
    }

    package var isHue: Bool { Self.hues.contains(self) }

    private static func codes(_ text: String) -> Set<PixelFormat> {
        Set(text.split(separator: " ").compactMap { PixelFormat(String($0)) })
    }

    private static let hues = codes("HSV3 HSV4")
    private static let greys = codes("GREY Y04 Y06 Y10 Y012 Y12 Y14 Y16 Y16-BE Y10B Y10P Y12P Y14P Z16")

    /// V4L2's: packed colours of 8 to 64 bits a pixel, then mosaics.
    private static let red = codes(
        """
        RGB1 R444 AR12 XR12 RA12 RX12 AB12 XB12 GA12 BX12 RGBO AR15 XR15 RA15 RX15 AB15 XB15 BA15 BX15 RGBP RGBQ \
        AR15-BE XR15-BE RGBR BGRH BGR3 RGB3 BGR4 AR24 XR24 RA24 RX24 RGB4 BA24 BX24 AB24 XB24 RX30 RA30 AR30 B312 \
        B412 BGR6 RGB6 \
        BA81 GBRG GRBG RGGB S680 BYR2 BG10 GB10 BA10 RG10 pBAA pGAA pgAA pRAA aBA8 aGA8 agA8 aRA8 bBA8 bGA8 bgA8 \
        bRA8 BG12 GB12 BA12 RG12 pBCC pGCC pgCC pRCC BG14 GB14 GR14 RG14 pBEE pGEE pgEE pREE GB16 GR16 RG16
        """)
}
