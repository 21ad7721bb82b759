import CaptureRecording
import Foundation
import Testing

@testable import CaptureGate
@testable import CaptureRig

@Suite("Checks of what a camera shows, on virtual devices")
struct PictureCheckTests {
    /// A check with settings for a quick test: small images, and few of them.
    struct Made: Sendable, CustomTestStringConvertible {
        let check: String
        var parameters: [String: PlanValue] = [
            "size": .size(width: 64, height: 48), "rate": .rate(numerator: 10, denominator: 1),
        ]
        var limits: [String: Limit] = [:]
        var faults = FaultPlan()

        init(_ check: String, _ change: (inout Made) -> Void = { _ in }) {
            self.check = check
            faults.grain = 2
            switch check {
            case "camera.exposure": parameters["for"] = .duration(.seconds(4))
            case "camera.pixels": parameters["frames"] = .count(12)
            case "camera.shutter":
                parameters["close"] = .command(PlanCommand(["true"], limit: .seconds(20)))
                faults.shutterCloses = .milliseconds(1300)
            default: parameters["for"] = .duration(.seconds(1))
            }
            change(&self)
        }

        var testDescription: String { check }

        func result(_ folder: PlanFolder, accepts: Bool = false) async throws -> CheckResult {
            var options = RigRun.Options()
            (options.accepts, options.directory) = (accepts, "\(folder.path)/report")
            return try await VirtualRig.result(
                check, camera: faults, parameters: parameters, limits: limits, golden: "\(folder.path)/golden",
                options: options)
        }
    }

    /// A digital source, whose frames have the golden checksums.
    static let digital = Made("camera.pixels") {
        ($0.limits["crc_mismatches"], $0.faults.grain) = (Limit(most: 0), 0)
    }
    /// A camera before a chart.
    static let chart = Made("camera.pixels") { $0.faults.standsStill = true }

    static let good = [
        Made("camera.frozen"), Made("camera.frozen") { $0.faults.standsStill = true }, digital, chart,
        Made("camera.sharpness"),
        Made("camera.exposure") { ($0.faults.standsStill, $0.faults.exposureSettling) = (true, .seconds(1)) },
        Made("camera.low_light"), Made("camera.shutter"),
    ]

    @Test("A good camera passes with every seed", arguments: good)
    func passes(made: Made) async throws {
        let folder = try PlanFolder()
        var made = made
        let first = try await made.result(folder, accepts: true)
        #expect(first.verdict.isGood, "\(first)")
        for seed in Extent.seeds {
            (made.faults.seed, made.faults.jitter) = (seed + 1, .microseconds(20))
            let result = try await made.result(folder)
            #expect(result.verdict.isGood, "\(seed): \(result)")
            #expect(result.evidence.isEmpty)
        }
    }

    /// A faulty camera, the measure that must find the fault, and the images that must be kept.
    struct Twin: Sendable, CustomTestStringConvertible {
        let good: Made
        let measure: String
        let pictures: Int
        let fault: @Sendable (inout FaultPlan) -> Void

        init(_ good: Made, _ measure: String, pictures: Int, _ fault: @escaping @Sendable (inout FaultPlan) -> Void) {
            (self.good, self.measure, self.pictures, self.fault) = (good, measure, pictures, fault)
        }

        init(_ check: String, _ measure: String, pictures: Int, _ fault: @escaping @Sendable (inout FaultPlan) -> Void)
        {
            self.init(Made(check), measure, pictures: pictures, fault)
        }

        var testDescription: String { "\(good.check): \(measure)" }
    }

    static let twins = [
        Twin("camera.frozen", "frozen", pictures: 3) { $0.frozen = 0.6 },
        Twin("camera.frozen", "black", pictures: 3) { $0.black = 0.6 },
        Twin("camera.frozen", "unreadable", pictures: 3) { $0.cut = 0.6 },
        Twin(digital, "crc_mismatches", pictures: 3) { $0.flipped = 0.5 },
        Twin(digital, "unreadable", pictures: 3) { $0.cut = 0.5 },
        Twin(chart, "ssim", pictures: 3) { $0.blur = 3 },
        Twin(chart, "psnr", pictures: 3) { $0.blur = 3 },
        Twin(chart, "unreadable", pictures: 3) { $0.cut = 0.5 },
        Twin("camera.sharpness", "sharpness_change", pictures: 0) { $0.blur = 3 },
        Twin("camera.sharpness", "unreadable", pictures: 3) { $0.cut = 0.6 },
        Twin("camera.exposure", "exposure_settles", pictures: 0) { $0.exposureHunting = 0.3 },
        Twin("camera.exposure", "exposure_change", pictures: 0) { $0.exposureHunting = 0.3 },
        Twin("camera.low_light", "frame_rate_distance", pictures: 0) { $0.clockError = -500_000 },
        Twin("camera.low_light", "interval_variance", pictures: 0) { $0.jitter = .milliseconds(60) },
        Twin("camera.shutter", "uncovered", pictures: 3) { $0.seesThroughShutter = true },
        Twin("camera.shutter", "shutter_event", pictures: 0) { $0.reportsShutter = false },
        Twin("camera.shutter", "shutter_event", pictures: 2) { $0.shutterCloses = .milliseconds(1800) },
    ]

    @Test("A faulty camera fails for the measure that is about its fault, and a few frames show it", arguments: twins)
    func fails(twin: Twin) async throws {
        let folder = try PlanFolder()
        _ = try await twin.good.result(folder, accepts: true)
        var faulty = twin.good
        twin.fault(&faulty.faults)
        let result = try await faulty.result(folder)
        #expect(result.verdict == .fail, "\(result)")
        #expect(result.measures.first { $0.name == twin.measure }?.verdict == .fail, "\(result.measures)")
        #expect(result.evidence.count == twin.pictures, "\(result.evidence)")
        for evidence in result.evidence {
            #expect(try #require(folder.bytes("report/\(evidence.file)")).count > 60)
            #expect(evidence.caption.contains("ms after the first one. "))
        }
    }

    @Test("A still scene before a sensor without noise is frozen, and one that moves slowly is where a plan says so")
    func still() async throws {
        let folder = try PlanFolder()
        var made = Made("camera.frozen") { ($0.faults.standsStill, $0.faults.grain) = (true, 0) }
        #expect(try await made.result(folder).measures.value("frozen") == 100 * 10 / 11.0)
        made.faults.grain = 1
        #expect(try await made.result(folder).measures.value("frozen") == 0)
        made.parameters["frozen_above"] = .number(0.5)
        #expect(try await made.result(folder).measures.value("frozen") == 100 * 10 / 11.0)
    }

    @Test(
        "Without a golden file, or with one that is none, a check can't judge: that is an error",
        arguments: [
            "camera.pixels", "camera.sharpness",
        ])
    func golden(check: String) async throws {
        let folder = try PlanFolder()
        let result = try await Made(check).result(folder)
        #expect(result.verdict == .error)
        #expect(result.message == "The golden file \(folder.path)/golden/\(check).txt does not exist.")
        for text in ["", "a picture\n", "-1\n"] {
            try folder.write(text, to: "golden/\(check).txt")
            try folder.write("P5\n64 48\n255\nshort", to: "golden/\(check).pgm")
            let result = try await Made(check).result(folder)
            #expect(result.verdict == .error && result.message?.contains("golden") == true, "\(result)")
        }
    }

    @Test("A golden picture of another size is an error, and not a difference")
    func otherSize() async throws {
        let folder = try PlanFolder()
        _ = try await Self.chart.result(folder, accepts: true)
        var larger = Self.chart
        larger.parameters["size"] = .size(width: 96, height: 64)
        let result = try await larger.result(folder)
        #expect(result.verdict == .error)
        #expect(result.message == "The golden image has 64x48 points, but the frames have another size.")
    }

    @Test("A real capture goes on while the shutter's command runs, and for two seconds after it")
    func real() async throws {
        let close = PlanValue.command(PlanCommand(["true"], limit: .seconds(20)))
        let result = try await VirtualRig.result("camera.shutter", parameters: ["close": close], isVirtual: false)
        // The built-in camera has no shutter: nothing reports one, and the image stays.
        #expect(result.verdict == .fail)
        #expect(try #require(result.measures.value("shutter_event")) >= 2000)
        #expect(try #require(result.measures.value("uncovered")) > 1)
        #expect(result.measures.value("unreadable") == 0)
    }

    @Test("A shutter is opened again after a check that fails, and after one that could not be made")
    func opens() async throws {
        let folder = try PlanFolder()
        for (close, verdict) in [("true", Verdict.fail), ("false", .error)] {
            var made = Made("camera.shutter") { $0.faults.seesThroughShutter = true }
            made.parameters["close"] = .command(PlanCommand([close], limit: .seconds(20)))
            made.parameters["open"] = .command(PlanCommand(["touch", "\(folder.path)/\(close)"], limit: .seconds(20)))
            #expect(try await made.result(folder).verdict == verdict)
            #expect(folder.bytes(close) == [])
        }
        var made = Made("camera.shutter")
        made.parameters["close"] = nil
        #expect(try await made.result(folder).message == "camera.shutter has no command that closes the shutter.")
    }
}

@Suite("Brightness of frames by their format")
struct FrameLumaTests {
    private static func format(_ code: String, width: Int = 64, height: Int = 48) throws -> VideoFormat {
        let pixels = try #require(PixelFormat(code))
        let bytes =
            ["YUYV", "UYVY", "YVYU", "Y16", "Y10"].contains(code) ? 2 : code == "RGB3" || code == "BGR3" ? 3 : 1
        return VideoFormat(
            width: width, height: height, pixelFormat: pixels, frameRate: FrameRate(unchecked: 30, 1),
            bytesPerLine: code == "MJPG" ? 0 : bytes * width)
    }

    private static func points(_ code: String) throws -> LumaImage {
        let media = ClipTrack.Media.video(try format(code))
        let frame = try #require(try BenchmarkFrames(of: media, count: 1, seed: 3).frames.first)
        return try #require(try FrameLuma(media).points(of: frame.span.bytes))
    }

    @Test("The same scene has nearly the same brightness in each format")
    func formats() throws {
        let yuyv = try Self.points("YUYV")
        for code in ["UYVY", "NV12", "YU12", "GREY", "RGB3", "Y16", "MJPG"] {
            let other = try Self.points(code)
            // Ranges differ, and each frame's grain does.
            #expect(isNear(other.mean, yuyv.mean, by: 20), "\(code): \(other.mean) \(yuyv.mean)")
            #expect(try #require(PictureSimilarity.ssim(yuyv, other)) > 0.4, "\(code)")
        }
    }

    @Test("Grey of ten bits, which no byte has, is narrowed")
    func narrow() throws {
        let frame = (0..<64).flatMap { [UInt8(truncatingIfNeeded: $0 << 4), UInt8($0 >> 4)] }
        let luma = try FrameLuma(.video(try Self.format("Y10", width: 8, height: 8)))
        #expect(luma.middle(of: frame.span.bytes, width: 8, height: 8)?.bytes == (0..<64).map { UInt8(4 * $0) })
    }

    @Test(
        "A frame that is short by one byte can't be read", arguments: ["YUYV", "NV12", "YU12", "GREY", "RGB3", "Y10"])
    func short(code: String) throws {
        let format = try Self.format(code)
        let luma = try FrameLuma(.video(format))
        let frame = [UInt8](repeating: 0, count: try #require(RawLayout(format)).byteCount)
        #expect(luma.points(of: frame.span.bytes) != nil)
        let cut = Array(frame.dropLast())
        #expect(luma.points(of: cut.span.bytes) == nil)
        #expect(luma.middle(of: cut.span.bytes, width: 8, height: 8) == nil)
    }

    @Test("The middle of a frame is what is asked for, or the whole of a smaller one")
    func middle() throws {
        let format = try Self.format("GREY", width: 6, height: 4)
        let frame = (0..<24).map { UInt8($0) }
        let luma = try FrameLuma(.video(format))
        #expect(luma.middle(of: frame.span.bytes, width: 2, height: 2)?.bytes == [8, 9, 14, 15])
        #expect(luma.middle(of: frame.span.bytes, width: 99, height: 99)?.bytes == frame)
    }

    @Test("The middle of 1080p lies behind the first million bytes, and is found")
    func far() throws {
        let format = try Self.format("YUYV", width: 1920, height: 1080)
        let frame = [UInt8](repeating: 77, count: 2 * 1920 * 1080)
        let middle = try FrameLuma(.video(format)).middle(of: frame.span.bytes, width: 640, height: 480)
        #expect(middle?.mean == 77)
    }

    @Test("A format that no picture can be made of is said to be one")
    func unknown() throws {
        let format = try Self.format("H264")
        let error = #expect(throws: CaptureError.self) { try FrameLuma(.video(format)) }
        #expect(error?.message == "64x48 H264 can't be converted to an image.")
        #expect(error?.remedies.isEmpty == false)
    }

    @Test("A graymap that was written is read, and nothing else is")
    func graymap() throws {
        let scene = TestPictures.scene(seed: 1)
        #expect(LumaImage(graymap: scene.graymap) == scene)
        for broken in ["", "P5", "P5\n96 64\n255\n", "P6\n1 1\n255\nx", "P5\n1 -1\n255\nx", "P5\n1\n255\nx"] {
            #expect(LumaImage(graymap: Array(broken.utf8)) == nil, "\(broken)")
        }
    }
}

extension PlanFolder {
    /// Bytes of a file; `nil` if none exists.
    func bytes(_ name: String) -> [UInt8]? {
        guard let file = fopen("\(path)/\(name)", "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return bytes
    }
}
