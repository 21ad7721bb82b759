import CMedia
import Testing

@testable import CaptureGate
@testable import CaptureRealtime

@Suite("what a camera's samples mean")
struct ColorimetryTests {
    private func camera(
        _ code: String, _ colorspace: v4l2_colorspace, encoding: v4l2_ycbcr_encoding = V4L2_YCBCR_ENC_DEFAULT,
        range: v4l2_quantization = V4L2_QUANTIZATION_DEFAULT, transfer: v4l2_xfer_func = V4L2_XFER_FUNC_DEFAULT
    ) throws -> CameraFormat {
        var format = CameraFormat(
            width: 1280, height: 720, fourcc: try #require(PixelFormat(code)).rawValue,
            layouts: [PlaneLayout(bytesPerLine: 2560, sizeImage: 1)], fpsNumerator: 30, fpsDenominator: 1,
            isCompressed: code == "MJPG")
        format.colorspace = colorspace.rawValue
        format.ycbcrEncoding = encoding.rawValue
        format.quantization = range.rawValue
        format.transfer = transfer.rawValue
        return format
    }

    @Test(
        "a driver's 0 means what the kernel's headers say of the colour space",
        arguments: [
            (V4L2_COLORSPACE_SMPTE170M, .smpte170M, .bt709, .bt601), (V4L2_COLORSPACE_REC709, .bt709, .bt709, .bt709),
            (V4L2_COLORSPACE_SRGB, .bt709, .srgb, .bt601), (V4L2_COLORSPACE_OPRGB, .opRGB, .opRGB, .bt601),
            (V4L2_COLORSPACE_BT2020, .bt2020, .bt709, .bt2020), (V4L2_COLORSPACE_DCI_P3, .dciP3, .dciP3, .bt709),
            (V4L2_COLORSPACE_SMPTE240M, .smpte240M, .smpte240M, .smpte240M),
            (V4L2_COLORSPACE_470_SYSTEM_M, .bt470M, .bt709, .bt601),
            (V4L2_COLORSPACE_470_SYSTEM_BG, .bt470BG, .bt709, .bt601),
            (V4L2_COLORSPACE_RAW, .unspecified, .linear, .bt601),
        ] as [(v4l2_colorspace, Colorimetry.Primaries, Colorimetry.Transfer, Colorimetry.Matrix)])
    func defaults(
        _ colorspace: v4l2_colorspace, _ primaries: Colorimetry.Primaries, _ transfer: Colorimetry.Transfer,
        _ matrix: Colorimetry.Matrix
    ) throws {
        let expected = Colorimetry(primaries: primaries, transfer: transfer, matrix: matrix, range: .limited)
        #expect(Colorimetry(try camera("YUYV", colorspace)) == expected)
        var colours = expected
        (colours.matrix, colours.range) = (.rgb, .full)
        #expect(Colorimetry(try camera("RGB3", colorspace)) == colours)
        #expect(Colorimetry(try camera("MJPG", colorspace)) == expected.asJPEG)
    }

    @Test("JPEG's colour space has all values")
    func jpegSpace() throws {
        let found = Colorimetry(try camera("YUYV", V4L2_COLORSPACE_JPEG))
        #expect(found == Colorimetry(primaries: .bt709, transfer: .srgb, matrix: .bt601, range: .full))
    }

    @Test(
        "what a driver says itself counts, whatever the colour space",
        arguments: [
            (V4L2_YCBCR_ENC_601, .bt601), (V4L2_YCBCR_ENC_709, .bt709), (V4L2_YCBCR_ENC_BT2020, .bt2020),
            (V4L2_YCBCR_ENC_BT2020_CONST_LUM, .bt2020Constant), (V4L2_YCBCR_ENC_SMPTE240M, .smpte240M),
            (v4l2_ycbcr_encoding(rawValue: 5), .bt601), (v4l2_ycbcr_encoding(rawValue: 77), .bt601),
        ] as [(v4l2_ycbcr_encoding, Colorimetry.Matrix)])
    func said(_ encoding: v4l2_ycbcr_encoding, _ matrix: Colorimetry.Matrix) throws {
        for space in [V4L2_COLORSPACE_SRGB, V4L2_COLORSPACE_REC709, V4L2_COLORSPACE_BT2020] {
            let full = try camera("NV12", space, encoding: encoding, range: V4L2_QUANTIZATION_FULL_RANGE)
            #expect(Colorimetry(full).matrix == matrix && Colorimetry(full).range == .full)
            let limited = try camera("NV12", space, encoding: encoding, range: V4L2_QUANTIZATION_LIM_RANGE)
            #expect(Colorimetry(limited).range == .limited)
        }
    }

    @Test("xvYCC has limited range alone")
    func xvYCC() throws {
        for (encoding, matrix) in [(V4L2_YCBCR_ENC_XV601, Colorimetry.Matrix.bt601), (V4L2_YCBCR_ENC_XV709, .bt709)] {
            let found = Colorimetry(
                try camera("YUYV", V4L2_COLORSPACE_REC709, encoding: encoding, range: V4L2_QUANTIZATION_FULL_RANGE))
            #expect(found.matrix == matrix && found.range == .limited)
        }
    }

    @Test(
        "limited range of red, green and blue is kept, hues have none, and grey has it where it is said",
        arguments: [("RGB3", true), ("AB24", true), ("RGGB", true), ("HSV3", false), ("GREY", true), ("MJPG", false)])
    func limited(_ code: String, _ isLimited: Bool) throws {
        let format = try camera(code, V4L2_COLORSPACE_SRGB, range: V4L2_QUANTIZATION_LIM_RANGE)
        #expect((Colorimetry(format).range == .limited) == isLimited)
        #expect(Colorimetry(try camera(code, V4L2_COLORSPACE_SRGB)).range == .full)
    }

    @Test("a driver without a colour space is judged by its signal")
    func unsaid() throws {
        var format = try camera("YUYV", V4L2_COLORSPACE_DEFAULT)
        #expect(Colorimetry(format).primaries == .bt709 && Colorimetry(format).matrix == .bt601)
        format.isDigital = true
        #expect(Colorimetry(format).matrix == .bt709)
        format.isDigital = false
        format.standardLines = 625
        #expect(Colorimetry(format).primaries == .smpte170M && Colorimetry(format).matrix == .bt601)
    }

    @Test("libv4lconvert leaves a limited range in the RGB that it makes")
    func converted() throws {
        var source = VideoFormat(
            try camera("RGBP", V4L2_COLORSPACE_SRGB, range: V4L2_QUANTIZATION_LIM_RANGE))
        let target = try #require(FrameConverter(source)).target
        #expect(target.colorimetry.range == .limited && target.colorimetry.matrix == .rgb)
        source.fieldOrder = .topFirst
        #expect(try #require(FrameConverter(source)).target.fieldOrder == .topFirst)
    }
}
