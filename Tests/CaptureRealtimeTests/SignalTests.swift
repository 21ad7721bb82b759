import CMedia
import CaptureBase
import Testing

@testable import CaptureRealtime

@Suite("Signal")
struct SignalTests {
    private let base = cm_monotonic() - 900_000_000
    private let interval: Int64 = 33_333_333

    private func picture(_ number: Int, missing: Int = 0) -> ScriptedVideo.Entry {
        .picture(UInt32(number), at: base + Int64(number + missing) * interval)
    }

    private func run(_ script: [ScriptedVideo.Entry]) throws -> (LoopResult, [FrameHeader], CaptureCounters) {
        let counters = CaptureCounters()
        let reader = Reader()
        let source = try ScriptedVideo(script.flatMap { [.run { reader.drain() }, $0] })
        let capture = try VideoCapture(source, control: LoopControl(), counters: counters)
        var stream = capture.stream
        reader.adopt(capture.consumer)
        let result = stream.capture()
        stream.finish(result)
        reader.drain()
        return (result, reader.headers, counters)
    }

    @Test(
        "Each picture without a signal says so, until it is back",
        arguments: [SignalState.noPower, .noSignal, .noLock, .outOfRange])
    func gone(state: SignalState) throws {
        let (_, headers, counters) = try run([
            picture(0), .read(.news(.state(state))), picture(1), picture(2), .read(.news(.state(.present))), picture(3),
        ])
        #expect(headers.map { $0.flags.contains(.noSignal) } == [false, true, true, false])
        #expect(counters.signal == .present && counters.delivered == 4)
    }

    @Test("So does each picture behind a closed shutter")
    func covered() throws {
        let (_, headers, counters) = try run([picture(0), .read(.news(.state(.covered))), picture(1)])
        #expect(headers.map(\.flags) == [[], [.covered]])
        #expect(counters.signal == .covered)
    }

    @Test("Another signal ends the loop, and says what it is")
    func changed() throws {
        let shape = SignalTimings(width: 1920, height: 1080, isInterlaced: true, millihertz: 25_000)
        let (result, headers, counters) = try run([picture(0), .read(.news(.changed(shape))), picture(1)])
        #expect(result == LoopResult(.signalChanged) && headers.count == 1)
        #expect(counters.changedSignal == shape)
        #expect(LoopResult(packed: result.packed) == result)
    }

    @Test("So does a device that says that its stream is over")
    func over() throws {
        let (result, _, _) = try run([picture(0), .read(.news(.over)), picture(1)])
        #expect(result == LoopResult(.failed, fault: .streamOver))
    }

    @Test("News alone, without a picture, are a stall")
    func newsAlone() throws {
        let news = (0..<64).map { ScriptedVideo.Entry.read(.news(.state($0 % 2 == 0 ? .noSignal : .present))) }
        let (result, _, counters) = try run([picture(0)] + news + [picture(1)])
        #expect(result == LoopResult(.deviceGone) && counters.delivered == 2)
    }

    @Test("A picture that the driver dropped without a gap in its numbers is missing by its stamp")
    func droppedByDriver() throws {
        let (_, headers, counters) = try run((0..<20).map { picture($0, missing: $0 < 10 ? 0 : $0 < 15 ? 1 : 3) })
        #expect(counters.deviceLost == 3 && counters.made == 23)
        #expect(headers.map(\.lost.device).filter { $0 > 0 } == [1, 2])
        for (last, next) in zip(headers, headers.dropFirst()) {
            #expect(next.sequence == last.sequence + 1 + next.lost.total)
        }
    }

    @Test("Two rates are one signal within half a percent; another size, field or rate is another")
    func likeness() {
        let shape = SignalTimings(width: 1920, height: 1080, isInterlaced: false, millihertz: 60_000)
        var other = shape
        #expect(other.isLike(shape))
        other.millihertz = 59_940
        #expect(other.isLike(shape) && shape.isLike(other))
        other.millihertz = 50_000
        #expect(!other.isLike(shape))
        (other.millihertz, other.isInterlaced) = (60_000, true)
        #expect(!other.isLike(shape))
        (other.width, other.isInterlaced) = (1280, false)
        #expect(!other.isLike(shape))
    }

    @Test("What a driver says of an input's status and of its timings is one of six states")
    func states() {
        #expect(SignalState(status: 0) == .present)
        #expect(SignalState(status: UInt32(V4L2_IN_ST_HFLIP | V4L2_IN_ST_COLOR_KILL | V4L2_IN_ST_NO_COLOR)) == .present)
        #expect(SignalState(status: UInt32(V4L2_IN_ST_NO_SIGNAL | V4L2_IN_ST_NO_H_LOCK)) == .noSignal)
        #expect(SignalState(status: UInt32(V4L2_IN_ST_NO_POWER)) == .noPower)
        #expect(SignalState(status: UInt32(V4L2_IN_ST_NO_CARRIER)) == .noSignal)
        #expect(SignalState(status: UInt32(V4L2_IN_ST_NO_SYNC)) == .noLock)
        #expect([ENOLINK, ENOLCK, ERANGE].map { SignalState(query: -$0) } == [.noSignal, .noLock, .outOfRange])
        #expect(SignalState(query: -EIO) == nil && SignalState(query: 0) == nil)
        #expect(SignalState.allCases.allSatisfy { $0.code == $0.rawValue })
    }

    @Test("Timings of any numbers are a shape, and never trap")
    func numbers() {
        var timings = cm_v4l2_timings()
        for clock: UInt64 in [0, 1, 148_500_000, .max] {
            for all: UInt64 in [0, 1, 2200 * 1125, .max] {
                (timings.numerator, timings.denominator) = (clock, all)
                (timings.width, timings.height) = (.max, .max)
                #expect(SignalTimings(timings).millihertz >= 0)
            }
        }
        (timings.numerator, timings.denominator) = (148_500_000, 2200 * 1125)
        #expect(SignalTimings(timings).millihertz == 60_000)
    }

    @Test("1080i50 is 25 frames of 50 fields, by either number, and 60 is 59.94, too")
    func names() {
        let own = SignalTimings(width: 1920, height: 1080, isInterlaced: true, millihertz: 25_000)
        func asked(_ millihertz: Int, _ isInterlaced: Bool = true) -> SignalTimings {
            SignalTimings(width: 1920, height: 1080, isInterlaced: isInterlaced, millihertz: millihertz)
        }
        #expect(own.isMeant(by: asked(50_000)) && own.isMeant(by: asked(25_000)))
        #expect(!own.isMeant(by: asked(60_000)) && !own.isMeant(by: asked(50_000, false)))
        #expect(asked(59_940, false).isMeant(by: asked(60_000, false)))
    }
}

@Suite("Sizes that a camera claims")
struct CameraFormatTests {
    private func format(_ width: Int, _ height: Int, _ sizes: [Int], line: Int = 0) -> CameraFormat {
        CameraFormat(
            width: width, height: height, fourcc: 0x4750_4A4D,
            layouts: sizes.map { PlaneLayout(bytesPerLine: line, sizeImage: $0) }, fpsNumerator: 30, fpsDenominator: 1,
            isCompressed: true)
    }

    private func fault(_ format: CameraFormat) -> RealtimeFault? {
        do throws(RealtimeFault) {
            try format.check()
            return nil
        } catch { return error }
    }

    @Test("Pictures of many times the memory that their size can need are refused, in one plane or several")
    func tooLarge() {
        let tooLarge = RealtimeFault(.getFormat, result: -EFBIG)
        #expect(fault(format(320, 240, [2_000_000_000])) == tooLarge)
        #expect(fault(format(320, 240, [10_000_000, 10_000_000, 10_000_000])) == tooLarge)
        #expect(fault(format(320, 240, [153_600], line: Int(UInt32.max))) == tooLarge)
    }

    @Test("So are sides and planes that no picture has")
    func absurd() {
        let absurd = RealtimeFault(.getFormat, result: -EPROTO)
        for format in [
            format(0, 240, [1]), format(320, 0, [1]), format(65_536, 1, [1]), format(1, Int(UInt32.max), [1]),
            format(320, 240, []),
        ] {
            #expect(fault(format) == absurd)
        }
    }

    @Test("What cameras deliver is taken: 8192×4320 of eight bytes a pixel, and small ones with room to spare")
    func usual() {
        #expect(fault(format(8192, 4320, [8192 * 4320 * 8], line: 8192 * 8)) == nil)
        #expect(fault(format(320, 240, [4_147_200])) == nil)
        #expect(fault(format(160, 120, [160 * 120 * 2], line: 320)) == nil)
    }

    @Test("Of large pictures there are fewer buffers, and never less than three")
    func buffers() {
        #expect(format(640, 480, [614_400]).bufferCount(atMost: 8) == 8)
        #expect(format(3840, 2160, [3840 * 2160 * 2]).bufferCount(atMost: 8) == 8)
        #expect(format(8192, 4320, [8192 * 4320 * 2]).bufferCount(atMost: 8) == 3)
        #expect(format(3840, 2160, [3840 * 2160 * 6]).bufferCount(atMost: 8) == 5)
        #expect(format(640, 480, [0]).bufferCount(atMost: 8) == 8)
    }
}
