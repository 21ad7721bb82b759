import CaptureGate
import CaptureRealtime
import Dispatch
import LinuxSystem

/// Sound that a check plays over and over while it captures.
///
/// *thread-safe*
package struct PlayedSound: Sendable {
    /// Frames a second.
    package let rate: Int
    package let channels: Int
    /// Interleaved samples of one repetition.
    package let samples: [Int16]

    /// Frames of one repetition.
    package var frames: Int { samples.count / channels }

    /// Time of a number of frames in ns.
    func nanoseconds(_ frames: Int) -> Int64 { Int64(frames) * 1_000_000_000 / Int64(rate) }

    /// A second of sines of half of full scale, one on each channel; it can be repeated without a click.
    ///
    /// - Parameters:
    ///   - tones: Hz by channel.
    ///   - rate: frames a second.
    /// - Throws: `.usage` for a tone that is no whole number of Hz, or that the rate can't have.
    init(tones: [Double], rate: Int) throws(CaptureError) {
        for tone in tones where tone != tone.rounded() || tone < 20 || 2 * tone >= Double(rate) {
            throw CaptureError(
                .usage, "A tone of \(tone) Hz can't be played at \(rate) Hz.",
                remedies: [Remedy("Choose a whole number of Hz from 20 to half of the rate.")])
        }
        let waves = tones.map { tone in
            (0..<rate).map { Int16(16_384 * sine(2 * .pi * tone * Double($0) / Double(rate))) }
        }
        self.rate = rate
        channels = tones.count
        samples = (0..<rate).flatMap { position in waves.map { $0[position] } }
    }

    /// A quarter of a second of white noise of half of full scale on both channels, and then silence until a second is over.
    init(noiseAt rate: Int) {
        var noise = TestNoise(seed: 20)
        let burst = (0..<rate / 4).flatMap { _ in
            [Int16](repeating: Int16(noise.next(below: 32_769) - 16_384), count: 2)
        }
        self.rate = rate
        channels = 2
        samples = burst + [Int16](repeating: 0, count: 2 * rate - burst.count)
    }
}

/// Player of sounds for checks: on a device, or into a virtual microphone.
///
/// *thread-safe*
package protocol SoundPlayer: Sendable {
    /// Plays a sound over and over while a body runs.
    ///
    /// - Parameters:
    ///   - sound: sound to play.
    ///   - name: name of the device.
    ///   - body: captures.
    /// - Returns: the body's result, and the times, CLOCK_MONOTONIC in ns, at which repetitions began to be played, without the
    ///   first one.
    /// - Throws: the body's error, or that of a device that does not play.
    func play<Output: Sendable>(
        _ sound: PlayedSound, on name: String, while body: @Sendable () async throws(CaptureError) -> Output
    ) async throws(CaptureError) -> (output: Output, starts: [Int64])
}

/// Player on the machine's devices, by ALSA's names for them. It opens nothing that hears, so it needs no permission.
///
/// *thread-safe*
package struct DevicePlayer: SoundPlayer {
    /// Length of the device's buffer: long enough for a thread without priority. It does not affect any measure.
    private static let latency: Int64 = 200_000_000

    package init() {}

    package func play<Output: Sendable>(
        _ sound: PlayedSound, on name: String, while body: @Sendable () async throws(CaptureError) -> Output
    ) async throws(CaptureError) -> (output: Output, starts: [Int64]) {
        let box = try await Self.opened(name, sound)
        let isStopped = StopMark()
        async let played = Self.onThread { Playing.play(sound, box, isStopped) }
        let output = await outcome(of: body)
        isStopped.set()
        let (playing, value) = (await played, try output.get())
        if let fault = playing.fault { throw Self.error(fault, name, sound) }
        return (value, playing.starts)
    }

    private static func opened(
        _ name: String, _ sound: PlayedSound
    ) async throws(CaptureError) -> Handoff<PCMPlayback> {
        let opened = await onThread { () -> Result<Handoff<PCMPlayback>, RealtimeFault> in
            do throws(RealtimeFault) {
                return .success(
                    Handoff(
                        try PCMPlayback(
                            opening: name, rate: sound.rate, channels: sound.channels, latency: latency)))
            } catch {
                return .failure(error)
            }
        }
        return try opened.mapError { error($0, name, sound) }.get()
    }

    /// A device may keep a call waiting, which must not block one of Swift's threads.
    private static func onThread<Output: Sendable>(_ body: @escaping @Sendable () -> Output) async -> Output {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "capturegate.rig.playback").async { continuation.resume(returning: body()) }
        }
    }

    /// Errors of the bench and not of the device that is tested: none of them is `.noDevice` or `.deviceGone`.
    static func error(_ fault: RealtimeFault, _ name: String, _ sound: PlayedSound) -> CaptureError {
        let call = "\(fault.call.function): \(Errno(fault.errno).text)"
        switch (fault.call, Errno(fault.errno)) {
        case (_, .resourceBusy):
            return CaptureError(
                .busy, "Another program plays on \(name) (\(call)).", errno: fault.errno,
                remedies: [Remedy("End it, or choose another device.")])
        case (.openPCM, _):
            return CaptureError(
                .unavailable, "\(name) can't be opened for playback (\(call)).", errno: fault.errno,
                remedies: [Remedy("Choose one of the names that `aplay -L` lists, such as plughw:0,0.")])
        case (.setPlaybackPCM, _):
            return CaptureError(
                .unavailable, "\(name) can't play \(sound.channels) channels of S16_LE at \(sound.rate) Hz (\(call)).",
                errno: fault.errno,
                remedies: [Remedy("Choose plughw: instead of hw:, because plughw converts the format.")])
        default:
            return CaptureError(.unavailable, "\(name) stopped playing (\(call)).", errno: fault.errno)
        }
    }
}

/// Playing of one sound, on a separate thread.
private struct Playing: Sendable {
    private(set) var starts: [Int64] = []
    /// Error that ended it.
    private(set) var fault: RealtimeFault?

    static func play(_ sound: PlayedSound, _ box: Handoff<PCMPlayback>, _ isStopped: StopMark) -> Playing {
        var playing = Playing()
        guard let device = box.take() else { return playing }
        do throws(RealtimeFault) {
            while !isStopped.isSet { try playing.repetition(of: sound, on: device, isStopped) }
        } catch {
            playing.fault = error
        }
        return playing
    }

    private mutating func repetition(
        of sound: PlayedSound, on device: borrowing PCMPlayback, _ isStopped: StopMark
    ) throws(RealtimeFault) {
        // By when all is played that was written: nothing changes that while it plays. Before, nobody knows.
        if let delay = device.delay { starts.append(SystemClock.monotonic.now + sound.nanoseconds(delay)) }
        var written = 0
        while written < sound.frames, !isStopped.isSet {
            let end = min(written + sound.rate / 50, sound.frames)
            written += try device.write(sound.samples[written * sound.channels..<end * sound.channels])
        }
    }
}
