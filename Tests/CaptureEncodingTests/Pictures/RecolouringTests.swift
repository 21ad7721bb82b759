import CaptureBase
import ClipScenery
import Foundation
import Testing

@testable import CaptureEncoding

/// What a matrix and a range make of a colour, by the standards' own formulas.
private struct Reference {
    let matrix: Colorimetry.Matrix
    let range: Colorimetry.Range

    private var shares: (red: Double, blue: Double) {
        switch matrix {
        case .bt709: (0.2126, 0.0722)
        case .bt2020, .bt2020Constant: (0.2627, 0.0593)
        case .smpte240M: (0.212, 0.087)
        case .bt601, .rgb: (0.299, 0.114)
        }
    }
    private var luma: (black: Double, steps: Double) { range == .limited ? (16, 219) : (0, 255) }
    private var chroma: Double { range == .limited ? 224 : 255 }

    func samples(_ colour: [Double]) -> [UInt8] {
        let (y, cb, cr) = matrix == .bt2020Constant ? constant(colour) : mixed(colour)
        return [luma.black + luma.steps * y, 128 + chroma * cb, 128 + chroma * cr].map {
            UInt8(min(max($0.rounded(), 0), 255))
        }
    }

    private func mixed(_ colour: [Double]) -> (Double, Double, Double) {
        let y = shares.red * colour[0] + (1 - shares.red - shares.blue) * colour[1] + shares.blue * colour[2]
        return (y, (colour[2] - y) / (2 * (1 - shares.blue)), (colour[0] - y) / (2 * (1 - shares.red)))
    }

    /// BT.2020, table 4.
    private func constant(_ colour: [Double]) -> (Double, Double, Double) {
        let light = colour.map { $0 < 0.081 ? $0 / 4.5 : pow(($0 + 0.099) / 1.099, 1 / 0.45) }
        let whole = 0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2]
        let y = whole < 0.018 ? 4.5 * whole : 1.099 * pow(whole, 0.45) - 0.099
        let (blue, red) = (colour[2] - y, colour[0] - y)
        return (y, blue / (blue <= 0 ? 1.9404 : 1.5816), red / (red <= 0 ? 1.7184 : 0.9936))
    }

    /// Of 0…255.
    func colour(_ samples: [UInt8]) -> [Double] {
        let y = (Double(samples[0]) - luma.black) / luma.steps
        let (cb, cr) = ((Double(samples[1]) - 128) / chroma, (Double(samples[2]) - 128) / chroma)
        let (red, blue) = (y + 2 * (1 - shares.red) * cr, y + 2 * (1 - shares.blue) * cb)
        let green = (y - shares.red * red - shares.blue * blue) / (1 - shares.red - shares.blue)
        return [red, green, blue].map { min(max(255 * $0, 0), 255) }
    }
}

@Suite("colours that are what the camera meant")
struct RecolouringTests {
    private static let matrices: [Colorimetry.Matrix] = [.bt601, .bt709, .bt2020, .bt2020Constant, .smpte240M]
    /// Bars, greys, and colours between them.
    private static let colours: [[Double]] = [
        [1, 1, 1], [0.7, 0.7, 0], [0, 0.7, 0.7], [0, 0.7, 0], [0.7, 0, 0.7], [0.7, 0, 0], [0, 0, 0.7], [0, 0, 0],
        [0.5, 0.5, 0.5], [0.9, 0.3, 0.1], [0.2, 0.6, 0.4], [1, 0, 0], [0, 1, 0], [0, 0, 1],
    ]
    private static let layouts = ["YUYV", "UYVY", "NV12", "YU12", "NV24", "422P", "YV12"]

    private func format(_ code: String, _ matrix: Colorimetry.Matrix, _ range: Colorimetry.Range) throws -> VideoFormat
    {
        var format = Source.video(try #require(PixelFormat(code)), 6, 4)
        format.colorimetry = Colorimetry(primaries: .bt709, transfer: .bt709, matrix: matrix, range: range)
        return format
    }

    /// An image of one colour.
    private func picture(_ format: VideoFormat, _ samples: [UInt8]) throws -> [UInt8] {
        let arrangement = try #require(PixelArrangement(format.pixelFormat))
        let layout = try #require(RawLayout(format))
        var bytes = [UInt8](repeating: samples[0], count: layout.byteCount)
        switch arrangement {
        case .packed(let y, let cb, let cr):
            for place in bytes.indices {
                bytes[place] = place % 4 == cb ? samples[1] : place % 4 == cr ? samples[2] : samples[0]
            }
            #expect(y < 2)
        case .semiplanar(_, let swapped):
            for place in layout.planes[1].offset..<bytes.count {
                bytes[place] = samples[(place % 2 == 0) == swapped ? 2 : 1]
            }
        case .planar(_, let swapped):
            for place in layout.planes[1].offset..<bytes.count {
                bytes[place] = samples[(place < layout.planes[2].offset) == swapped ? 2 : 1]
            }
        default: Issue.record("\(format.pixelFormat) has no planes of Y.")
        }
        return bytes
    }

    private func isNear(_ first: [Double], _ second: [Double]) -> Bool {
        zip(first, second).allSatisfy { abs($0 - $1) <= 3 }
    }

    private func planes(_ planarizer: Planarizer, _ picture: [UInt8]) -> [UInt8] {
        let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: planarizer.geometry.byteCountWithScratch)
        defer { room.deallocate() }
        picture.withUnsafeBytes { source in
            guard let start = source.baseAddress, let target = room.baseAddress else { return }
            planarizer.convert(start, into: target)
        }
        return Array(room.prefix(planarizer.geometry.byteCount))
    }

    /// Red, green and blue, or grey, of a pixel.
    private func pixel(
        _ place: Int, _ format: VideoFormat, _ picture: [UInt8], _ parameters: StillParameters = StillParameters()
    ) throws -> [Double] {
        let encoder = try StillEncoder(format, as: .png, parameters: parameters)
        let pixels = try encoder.pixels(of: picture.span.bytes)
        let channels = pixels.kind.channels
        return (0..<channels).map { Double(pixels.start[channels * place * pixels.kind.depth / 8 + $0]) }
    }

    /// Samples of a corner, the middle and the end of what the planarizer makes.
    private func converted(_ format: VideoFormat, _ target: ColourConversion.Target, _ picture: [UInt8]) throws
        -> [[UInt8]]
    {
        let planarizer = try #require(Planarizer(format, to: target))
        let geometry = planarizer.geometry
        let bytes = planes(planarizer, picture)
        return [0, geometry.lumaBytes / 2, geometry.lumaBytes - 1].map { place in
            let chroma = place * geometry.chromaBytes / geometry.lumaBytes
            return [
                bytes[place], bytes[geometry.lumaBytes + chroma],
                bytes[geometry.lumaBytes + geometry.chromaBytes + chroma],
            ]
        }
    }

    @Test(
        "JPEG's planes are of BT.601 and all values", arguments: matrices,
        [Colorimetry.Range.limited, .full])
    func jpeg(_ matrix: Colorimetry.Matrix, _ range: Colorimetry.Range) throws {
        let source = Reference(matrix: matrix, range: range)
        for code in Self.layouts {
            let format = try format(code, matrix, range)
            for colour in Self.colours {
                for samples in try converted(format, .jpeg, picture(format, source.samples(colour))) {
                    let found = Reference(matrix: .bt601, range: .full).colour(samples)
                    #expect(isNear(found, colour.map { 255 * $0 }), "\(code) \(colour): \(found)")
                }
            }
        }
    }

    @Test("Y4M's planes are of BT.601 and keep the range", arguments: matrices, [Colorimetry.Range.limited, .full])
    func y4m(_ matrix: Colorimetry.Matrix, _ range: Colorimetry.Range) throws {
        let source = Reference(matrix: matrix, range: range)
        for code in Self.layouts {
            let format = try format(code, matrix, range)
            for colour in Self.colours {
                let samples = source.samples(colour)
                for found in try converted(format, .y4m, picture(format, samples)) {
                    if matrix == .bt601 { #expect(found == samples, "no sample changes") }
                    let seen = Reference(matrix: .bt601, range: range).colour(found)
                    #expect(isNear(seen, colour.map { 255 * $0 }), "\(code) \(colour): \(seen)")
                }
            }
        }
    }

    @Test("PNG and QOI have red, green and blue", arguments: matrices, [Colorimetry.Range.limited, .full])
    func stills(_ matrix: Colorimetry.Matrix, _ range: Colorimetry.Range) throws {
        let source = Reference(matrix: matrix, range: range)
        for code in Self.layouts {
            let format = try format(code, matrix, range)
            for colour in Self.colours {
                let picture = try picture(format, source.samples(colour))
                for place in [0, 6 * 4 / 2, 6 * 4 - 1] {
                    let found = try pixel(place, format, picture)
                    #expect(isNear(found, colour.map { 255 * $0 }), "\(code) \(colour): \(found)")
                }
            }
        }
    }

    @Test("red, green and blue of limited range are widened everywhere", arguments: [PixelFormat.rgb24, .bgr24])
    func limitedRGB(_ pixelFormat: PixelFormat) throws {
        var format = Source.video(pixelFormat, 16, 16)
        format.colorimetry.range = .limited
        for colour in Self.colours {
            let own = colour.map { UInt8((16 + 219 * $0).rounded()) }
            let sample = pixelFormat == .rgb24 ? own : own.reversed()
            let picture = (0..<256).flatMap { _ in sample }
            let found = try pixel(0, format, picture)
            #expect(isNear(found, colour.map { 255 * $0 }), "\(found)")

            let made = planes(try #require(Planarizer(format, to: .y4m, takesRGB: true)), picture)
            let seen = Reference(matrix: .bt601, range: .limited).colour([made[0], made[256], made[512]])
            #expect(isNear(seen, colour.map { 255 * $0 }), "\(seen)")

            let parameters = StillParameters(jpeg: MJPEGParameters(quality: 100))
            let encoder = try StillEncoder(format, as: .jpeg, parameters: parameters)
            let image = try encoder.encode(picture.span.bytes)
            let shown = try pixel(0, Source.video(.mjpeg, 16, 16), image)
            #expect(isNear(shown, colour.map { 255 * $0 }), "\(shown)")
        }
    }

    @Test("grey has all values, unless the camera says that it has not")
    func grey() throws {
        for (code, bytes) in [("GREY", [UInt8(235)]), ("Y16", [0, 235])] {
            var format = Source.video(try #require(PixelFormat(code)), 8, 8)
            let picture = (0..<64).flatMap { _ in bytes }
            for (range, white) in [(Colorimetry.Range.full, UInt8(235)), (.limited, 255)] {
                format.colorimetry.range = range
                #expect(try pixel(0, format, picture) == [Double(white)])
                let made = planes(try #require(Planarizer(format, to: .jpeg)), picture)
                #expect(made.allSatisfy { $0 == white })
            }
        }
    }

    @Test("a person may know the range better than the driver")
    func overridden() throws {
        let format = try format("YUYV", .bt601, .limited)
        let picture = try picture(format, [235, 128, 128])
        let parameters = StillParameters(jpeg: MJPEGParameters(range: .full))
        #expect(try pixel(0, format, picture, parameters)[0] == 235)
        #expect(try pixel(0, format, picture)[0] == 255)
    }
}
