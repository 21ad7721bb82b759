import CaptureGate
import Foundation
import Testing

@Suite("Format differences")
struct FormatDifferenceTests {
    @Test(
        "Each says in words what was asked and what was got",
        arguments: [
            (.sampleRate(asked: 44100, got: 48000), "sample rate 48000 Hz instead of 44100 Hz"),
            (.channels(asked: 2, got: 1), "1 instead of 2 channels"),
            (.sampleFormat(asked: .s32, got: .s16), "sample format S16_LE instead of S32_LE"),
            (
                .size(askedWidth: 321, askedHeight: nil, gotWidth: 320, gotHeight: 240),
                "size 320x240 instead of 321xany"
            ),
            (.pixelFormat(asked: .mjpeg, got: .yuyv), "pixel format YUYV instead of MJPG"),
            (
                .frameRate(asked: FrameRate(unchecked: 60, 1), got: FrameRate(unchecked: 30000, 1001)),
                "30000/1001 fps instead of 60"
            ),
            (.conversion(from: .nv12, to: .rgb24), "frames are captured as NV12 and converted to RGB3"),
        ] as [(FormatDifference, String)])
    func words(_ difference: FormatDifference, _ words: String) {
        #expect(difference.description == words)
    }

    @Test("A built-in camera that can't do the size tells both sizes")
    func size() async throws {
        let gate = try GateFixture(answers: [.allow(.once)])
        let differences = try await gate.queue.run(
            Capture(camera: "test:bars") { permit throws(CaptureError) in
                var permit = permit
                let settings = VideoSettings(width: 321, height: 241)
                let session = try await VideoSession(opening: permit.takeOnly(), settings: settings)
                let differences = session.differences
                await session.close()
                return differences
            })
        #expect(differences == [.size(askedWidth: 321, askedHeight: 241, gotWidth: 320, gotHeight: 240)])
    }
}

@Suite("Thread priorities")
struct ThreadPriorityTests {
    static let all: [ThreadPriority] = [
        .fifo(50), .roundRobin(20), .nice(-11), .normal(.sourceCallsServer), .normal(.refused(errno: 1)),
        .normal(.refused(errno: 13)), .normal(.refused(errno: 99)), .notRunning,
    ]

    @Test("Each is read from its own words", arguments: all)
    func words(_ priority: ThreadPriority) throws {
        #expect(ThreadPriority(priority.description) == priority)
        let written = try JSONEncoder().encode([priority])
        #expect(try JSONDecoder().decode([String].self, from: written) == [priority.description])
        #expect(try JSONDecoder().decode([ThreadPriority].self, from: written) == [priority])
    }

    @Test(
        "The words of another release are kept",
        arguments: ["", "SCHED_FIFO", "SCHED_FIFO x", "nice", "normal: ", "normal: Function not implemented"])
    func otherWords(_ text: String) throws {
        #expect(ThreadPriority(text) == .other(text))
        let read = try JSONDecoder().decode([ThreadPriority].self, from: JSONEncoder().encode([text]))
        #expect(read == [.other(text)] && read.map(\.description) == [text])
    }
}
