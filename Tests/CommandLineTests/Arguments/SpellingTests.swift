import CaptureGate
import CaptureRecording
import Testing

@testable import capturegate

@Suite("spellings of arguments")
struct SpellingTests {
    @Test(
        "NTSC's rates are fractions, however many digits a decimal has",
        arguments: [
            ("29.97", 30000, 1001), ("29.970", 30000, 1001), ("29.97003", 30000, 1001), ("59.94", 60000, 1001),
            ("23.976", 24000, 1001), ("23.98", 24000, 1001), ("119.88", 120_000, 1001), ("30", 30, 1),
            ("7.5", 7500, 1000),
            ("12.5", 12500, 1000), ("29.98", 29980, 1000), ("30.0", 30000, 1000), ("30000/1001", 30000, 1001),
        ])
    func rates(text: String, numerator: Int, denominator: Int) {
        #expect(FrameRate(argument: text) == FrameRate(numerator, denominator))
    }

    @Test(
        "Rates are shown as people say them",
        arguments: [
            ("30000/1001", "29.97"), ("24000/1001", "23.976"), ("15/2", "7.5"), ("60/2", "30"), ("1/3", "0.333"),
        ])
    func shownRates(text: String, phrase: String) { #expect(FrameRate(argument: text)?.phrase == phrase) }

    @Test(
        "Pixel formats have their codes and the names of other programs",
        arguments: [
            ("yuyv", "YUYV"), ("MJPEG", "MJPG"), ("mjpeg", "MJPG"), ("yuyv422", "YUYV"), ("YUY2", "YUYV"),
            ("yuv420p", "YU12"),
            ("gray", "GREY"), ("pBAA", "pBAA"), ("nv12", "NV12"),
        ])
    func pixels(text: String, code: String) { #expect(PixelFormat(argument: text)?.description == code) }

    @Test("Sample formats, too; cd and dat say rate and channels as well")
    func samples() {
        #expect(SampleArgument(argument: "s16le")?.format == .s16)
        #expect(SampleArgument(argument: "s24le")?.format == .s24Packed)
        #expect(SampleArgument(argument: "S24_LE")?.format == .s24)
        #expect(SampleArgument(argument: "f32le")?.format == .float32)
        let cd = SampleArgument(argument: "cd")
        #expect(cd?.format == .s16 && cd?.sampleRate == 44_100 && cd?.channels == 2)
        #expect(SampleArgument(argument: "dat")?.sampleRate == 48_000)
        #expect(SampleArgument(argument: "s16")?.sampleRate == nil)
        for text in ["", "cda", "s8", "s16be"] { #expect(SampleArgument(argument: text) == nil) }
    }

    @Test(
        "Channels are a number, or a choice",
        arguments: [
            ("2", 2, .all), ("mono", nil, .mono), ("LEFT", nil, .left), ("right", nil, .right),
            ("1,3", nil, .list([1, 3])), ("2,2", nil, .list([2, 2])), ("3,", nil, .list([3])),
        ] as [(String, Int?, ChannelSelection)])
    func channels(text: String, count: Int?, selection: ChannelSelection) {
        let channels = ChannelSelectionArgument(argument: text)
        #expect(channels?.count == count && channels?.selection == selection)
    }

    @Test(
        "Channels that there can't be are none",
        arguments: ["", ",", "0", "65", "1,0", "1,,2", "1,2,", "stereo", "-1", "1,65"])
    func noChannels(text: String) { #expect(ChannelSelectionArgument(argument: text) == nil) }

    @Test("A gain is in dB, with its unit or without")
    func gains() {
        for (text, decibels) in [("6dB", 6.0), ("6", 6), ("+1.5db", 1.5), ("-3", -3), ("-120", -120), ("60", 60)] {
            #expect(GainArgument(argument: text)?.decibels == decibels, "\(text)")
        }
        for text in ["", "dB", "loud", "61", "-121", "nan", "inf", "3dBFS"] {
            #expect(GainArgument(argument: text) == nil, "\(text)")
        }
    }

    @Test(
        "Sizes have names",
        arguments: [
            ("720p", 1280, 720), ("hd720", 1280, 720), ("1080P", 1920, 1080), ("VGA", 640, 480), ("64x36", 64, 36),
        ])
    func sizes(text: String, width: Int, height: Int) {
        let size = SizeArgument(argument: text)
        #expect(size?.width == width && size?.height == height)
    }

    @Test(
        "Lengths of time may be written as a clock shows them",
        arguments: [
            ("00:00:10", 10_000), ("1:30", 90_000), ("01:02:03.5", 3_723_500), ("90:00", 5_400_000), ("10", 10_000),
            ("1.5s", 1500),
        ])
    func times(text: String, milliseconds: Int) {
        #expect(DurationArgument(argument: text)?.duration == .milliseconds(milliseconds))
    }

    @Test(
        "What nobody can mean is none of them",
        arguments: [
            "00:00:00", "1:60", "1:60:00", ":10", "1:", "1:2:3:4", "-1:00", "1:2e3", "0x10:10", "1:nan", "", "5x",
            "1:+3",
        ])
    func nonsense(text: String) {
        #expect(DurationArgument(argument: text) == nil)
        #expect(SizeArgument(argument: text) == nil)
    }
}
