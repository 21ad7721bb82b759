import CaptureRealtime
import Testing

@testable import CaptureGate

@Suite("Mode that a camera takes by itself")
struct ModeChoiceTests {
    private static func mode(_ code: String, _ width: Int, _ height: Int, _ rates: Int...) -> VideoMode {
        VideoMode(
            pixelFormat: PixelFormat(code) ?? .yuyv, width: width, height: height,
            frameRates: rates.compactMap { FrameRate($0) })
    }

    /// A camera that lists these, and counts its answers.
    private struct Listed: CameraModes {
        let modes: [VideoMode]
        private(set) var questions = 0

        init(_ modes: [VideoMode]) { self.modes = modes }

        mutating func codes() -> [UInt32] {
            modes.map(\.pixelFormat.rawValue).reduce(into: []) { codes, code in
                if !codes.contains(code) { codes.append(code) }
            }
        }

        mutating func sizes(_ code: UInt32) -> [VideoMode] { modes.filter { $0.pixelFormat.rawValue == code } }

        mutating func rate(of mode: VideoMode, width: Int, height: Int, enough: Double) -> Double {
            questions += 1
            return mode.frameRates.map(\.framesPerSecond).max() ?? .infinity
        }
    }

    private static func completed(_ settings: VideoSettings, _ modes: [VideoMode]) -> CameraSettings {
        var camera = Listed(modes)
        return settings.camera.completed(by: &camera)
    }

    /// A webcam at a port that is too slow for large raw frames.
    private static let webcam = [
        mode("YUYV", 640, 480, 30, 15), mode("YUYV", 1280, 720, 10, 5), mode("YUYV", 1920, 1080, 5),
        mode("MJPG", 640, 480, 60, 30), mode("MJPG", 1280, 720, 60, 30), mode("MJPG", 1920, 1080, 30, 15),
        mode("MJPG", 3840, 2160, 30),
    ]

    /// Chosen mode, as `MJPG 1920x1080`.
    private static func chosen(_ modes: [VideoMode], _ settings: VideoSettings = VideoSettings()) -> String {
        let camera = completed(settings, modes)
        return "\(PixelFormat(rawValue: camera.fourcc)) \(camera.width)x\(camera.height)"
    }

    @Test("The largest of at most 1920x1080 that comes at 30 a second, in whatever order the driver lists them")
    func live() {
        #expect(Self.chosen(Self.webcam) == "MJPG 1920x1080")
        #expect(Self.chosen(Self.webcam.reversed()) == "MJPG 1920x1080")
        let slow = [
            Self.mode("YUYV", 1920, 1080, 5), Self.mode("YUYV", 1280, 720, 15), Self.mode("YUYV", 640, 480, 25),
        ]
        #expect(Self.chosen(slow) == "YUYV 640x480")
        let television = [Self.mode("YUYV", 720, 480, 15), Self.mode("YUYV", 704, 480)]
        #expect(Self.chosen(television) == "YUYV 704x480")
    }

    @Test("Raw before JPEG where it is as fast and as large, and what needs no conversion before what does")
    func kinds() {
        let modes = ["MJPG", "BA81", "YUYV", "UYVY"].map { Self.mode($0, 1280, 720, 30) }
        #expect(Self.chosen(modes) == "YUYV 1280x720")
        #expect(Self.chosen(Array(modes.prefix(2))) == "MJPG 1280x720")
        #expect(Self.chosen([modes[1]]) == "BA81 1280x720")
        // Not recorded as pictures.
        #expect(Self.chosen([Self.mode("H264", 640, 480, 30), Self.mode("GREY", 320, 240, 30)]) == "GREY 320x240")
    }

    @Test(
        "A camera's own H.264 where it may be taken, and nothing else is as large at 30 a second; never H.265, nor more than 1920x1080"
    )
    func streams() {
        var settings = VideoSettings()
        settings.mayBePredicted = true
        let small = [Self.mode("YUYV", 640, 480, 30), Self.mode("YUYV", 1920, 1080, 5)]
        let own = small + [Self.mode("H264", 1920, 1080, 30), Self.mode("H264", 640, 480, 30)]
        #expect(Self.chosen(own) == "YUYV 640x480")
        #expect(Self.chosen(own, settings) == "H264 1920x1080")
        #expect(Self.chosen(own + [Self.mode("MJPG", 1920, 1080, 30)], settings) == "MJPG 1920x1080")
        #expect(Self.chosen(own + [Self.mode("MJPG", 1280, 720, 30)], settings) == "H264 1920x1080")
        #expect(Self.chosen(small + [Self.mode("H264", 1920, 1080, 15)], settings) == "YUYV 640x480")
        #expect(Self.chosen(small + [Self.mode("H264", 3840, 2160, 30)], settings) == "YUYV 640x480")
        #expect(Self.chosen(small + [Self.mode("HEVC", 1920, 1080, 30)], settings) == "YUYV 640x480")
        #expect(Self.chosen([Self.mode("H264", 1280, 720, 30)], settings) == "H264 1280x720")
        (settings.width, settings.height) = (640, 480)
        #expect(Self.chosen(own, settings) == "YUYV 640x480")
    }

    @Test("A rate that is a thousandth below 30 is as fast")
    func television() {
        let modes = [
            VideoMode(pixelFormat: .yuyv, width: 1280, height: 720, frameRates: [FrameRate(unchecked: 30000, 1001)]),
            Self.mode("YUYV", 640, 480, 30),
        ]
        #expect(Self.chosen(modes) == "YUYV 1280x720")
    }

    @Test("What is asked for stays, and the rest fits it")
    func partly() {
        #expect(Self.chosen(Self.webcam, VideoSettings(width: 1280, height: 720)) == "MJPG 1280x720")
        #expect(Self.chosen(Self.webcam, VideoSettings(width: 640, height: 480)) == "YUYV 640x480")
        #expect(Self.chosen(Self.webcam, VideoSettings(pixelFormat: .yuyv)) == "YUYV 640x480")
        #expect(Self.chosen(Self.webcam, VideoSettings(frameRate: FrameRate(60))) == "MJPG 1280x720")
        #expect(Self.chosen(Self.webcam, VideoSettings(frameRate: FrameRate(5))) == "YUYV 1920x1080")
        #expect(Self.chosen(Self.webcam, VideoSettings(width: 3840, height: 2160)) == "MJPG 3840x2160")
        let video = PixelFormat("H264")
        #expect(
            Self.chosen(
                [Self.mode("H264", 640, 480, 30), Self.mode("YUYV", 1280, 720, 30)], VideoSettings(pixelFormat: video))
                == "H264 640x480")
    }

    @Test("Only sizes that could be better than what was found are asked for their rates")
    func questions() {
        let sizes = [(640, 480), (1280, 720), (1920, 1080), (3840, 2160)]
        let codes = ["YUYV", "UYVY", "NV12", "YU12", "MJPG", "BA81", "RGB3"]
        var camera = Listed(codes.flatMap { code in sizes.map { Self.mode(code, $0.0, $0.1, 30) } })
        #expect(VideoSettings().camera.completed(by: &camera).width == 1920)
        #expect(camera.questions == 1)
    }

    @Test("What no mode has is left to the driver, which takes the nearest")
    func nothing() {
        let odd = VideoSettings(width: 1000, height: 700)
        #expect(Self.completed(odd, Self.webcam) == odd.camera)
        #expect(Self.completed(VideoSettings(), []) == VideoSettings().camera)
        var card = VideoSettings()
        card.timings = VideoTimings("1920x1080p60")
        #expect(Self.completed(card, Self.webcam) == card.camera)
    }

    @Test("A driver may claim any size and any rate")
    func claims() {
        let most = Int(UInt32.max)
        let huge = [Self.mode("YUYV", most, most, 30), Self.mode("YUYV", 0, 0, 30), Self.mode("YUYV", 640, 480, 30)]
        #expect(Self.chosen(huge) == "YUYV 640x480")
        let range = VideoMode(
            pixelFormat: .yuyv, width: most, height: most,
            smaller: SizeSteps(width: most, height: 1, widthStep: 1, heightStep: most), frameRates: [])
        #expect(Self.chosen([range]) == "YUYV \(most)x1")
    }

    @Test("Of a range of sizes the largest step of at most 1920x1080")
    func ranges() {
        let range = VideoMode(
            pixelFormat: .nv12, width: 4056, height: 3040,
            smaller: SizeSteps(width: 32, height: 32, widthStep: 32, heightStep: 16),
            frameRates: [FrameRate(unchecked: 30, 1)])
        #expect(Self.chosen([range]) == "NV12 1920x1072")
        #expect(Self.chosen([range], VideoSettings(width: 2048, height: 1536)) == "NV12 2048x1536")
        let odd = VideoSettings(width: 2050, height: 1536)
        #expect(Self.completed(odd, [range]) == odd.camera)
    }

    /// The nearest of a list, as `MJPG 1920x1080 at 30/1`.
    private static func nearest(_ settings: VideoSettings, _ modes: [VideoMode]) -> String? {
        settings.camera.nearest(among: modes).map {
            "\(PixelFormat(rawValue: $0.fourcc)) \($0.width)x\($0.height) at \($0.fpsNumerator)/\($0.fpsDenominator)"
        }
    }

    @Test("Of modes that are told all at once, the nearest to the wish, and its nearest rate")
    func nearest() {
        #expect(Self.nearest(VideoSettings(), Self.webcam) == "MJPG 1920x1080 at 30/1")
        let small = VideoSettings(width: 700, height: 500, pixelFormat: .yuyv, frameRate: FrameRate(25))
        #expect(Self.nearest(small, Self.webcam) == "YUYV 640x480 at 30/1")
        #expect(
            Self.nearest(VideoSettings(width: 1280, height: 720, pixelFormat: .yuyv), Self.webcam)
                == "YUYV 1280x720 at 10/1")
        // A format that it does not have.
        #expect(
            Self.nearest(VideoSettings(width: 640, height: 480, pixelFormat: .nv12), Self.webcam)
                == "YUYV 640x480 at 30/1")
        #expect(Self.nearest(VideoSettings(), []) == nil)
    }

    @Test("Of a range of sizes and rates, those that are asked for")
    func anySize() {
        let any = VideoMode(
            pixelFormat: .uyvy, width: 4096, height: 4096,
            smaller: SizeSteps(width: 16, height: 16, widthStep: 16, heightStep: 2),
            frameRates: [FrameRate(unchecked: 60, 1), FrameRate(unchecked: 1, 1)], takesRatesBetween: true)
        let wish = VideoSettings(width: 330, height: 240, frameRate: FrameRate(25))
        #expect(Self.nearest(wish, [any]) == "UYVY 320x240 at 25/1")
        #expect(
            Self.nearest(VideoSettings(width: 8, height: 9000, frameRate: FrameRate(120)), [any])
                == "UYVY 16x4096 at 60/1")
    }
}
