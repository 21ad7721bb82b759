import CaptureBase
import Testing

@testable import CaptureRecording

@Suite("Thumbnails") struct ThumbnailTests {
    /// Of 24 bits a pixel.
    private func format(_ width: Int, _ height: Int) throws -> VideoFormat {
        VideoFormat(
            width: width, height: height, pixelFormat: .rgb24, frameRate: try #require(FrameRate(30)),
            bytesPerLine: 3 * width)
    }

    @Test("Each pixel is the mean of what it covers") func mean() throws {
        let maker = try ThumbnailMaker(format(4, 2), width: 2, height: 1)
        let frame: [UInt8] = [
            0, 10, 20, 100, 10, 20, 255, 255, 255, 255, 255, 255,
            0, 30, 20, 100, 30, 20, 255, 255, 255, 255, 255, 255,
        ]
        let picture = maker.make(of: frame.span.bytes)
        #expect(picture == Thumbnail(width: 2, height: 1, pixels: [50, 20, 20, 255, 255, 255]))
    }

    @Test("It is never larger than the picture") func larger() throws {
        let maker = try ThumbnailMaker(format(4, 2), width: 80, height: 50)
        #expect(maker.width == 4 && maker.height == 2)
    }

    @Test("Of a picture that is cut short there is none") func short() throws {
        let maker = try ThumbnailMaker(format(4, 2), width: 2, height: 1)
        let picture = maker.make(of: [UInt8](repeating: 0, count: 12).span.bytes)
        #expect(picture == nil)
    }

    @Test("It keeps its shape within the bounds, and no more are made than asked") func preview() throws {
        let track = ClipTrack(.video(try format(64, 32)), name: "camera", device: "camera:1")
        var (shown, now): ([Thumbnail], Int64) = ([], 0)
        let settings = PreviewSettings(width: 20, height: 20, interval: .milliseconds(100))
        let source = try #require(PreviewSource(track, settings, now: { now }, show: { shown.append($0) }))
        let frame = [UInt8](repeating: 7, count: 64 * 32 * 3)
        for time in [0, 50, 99, 100, 150] { source.take(frame.span.bytes, at: Int64(time) * 1_000_000) }
        #expect(shown.map(\.width) == [20, 20] && shown.map(\.height) == [10, 10])
        #expect(shown.allSatisfy { $0.pixels.allSatisfy { $0 == 7 } })
    }

    @Test("A slow preview takes a fifth of the time at most") func slow() throws {
        let track = ClipTrack(.video(try format(4, 2)), name: "camera", device: "camera:1")
        var (count, now): (Int, Int64) = (0, 0)
        let clock = {
            now += 50_000_000
            return now
        }
        let source = try #require(
            PreviewSource(track, PreviewSettings(width: 4, height: 2), now: clock, show: { _ in count += 1 }))
        let frame = [UInt8](repeating: 7, count: 24)
        for time in stride(from: 0, to: 1000, by: 50) { source.take(frame.span.bytes, at: Int64(time) * 1_000_000) }
        // Each took 50 ms, so the next may come 200 ms later.
        #expect(count == 5)
    }
}
