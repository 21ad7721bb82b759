import CaptureRig
import FoundationEssentials
import Glibc
import ProbeKit

/// A sound card whose clock is slow or fast, and a camera's: whether audio and video of a clip stay in sync.
///
/// The rig's group `drift` loads the drivers and gives it their names.
@main
struct Drift {
    private let stage: Stage
    /// Length of the long clips.
    private let seconds: Int
    // Line by line: who reads a pipe sees how far it has come.
    private let report = TAPReport { line in
        print(line)
        fflush(nil)
    }

    static func main() {
        let words = CommandLine.arguments
        guard words.count == 7, let seconds = Int(words[1]), seconds > 0 else {
            print("usage: Drift SECONDS CAMERA-NODE CAMERA MICROPHONE JUDGES RIG")
            exit(64)
        }
        let stage = Stage(
            cameraNode: words[2], camera: words[3], microphone: words[4], judges: words[5], rig: words[6])
        let drift = Drift(stage: stage, seconds: seconds)
        do throws(ProbeFailure) {
            try drift.run()
        } catch {
            print("not ok 0 - \(error)")
            exit(1)
        }
        exit(drift.report.finish())
    }

    private func run() throws(ProbeFailure) {
        try measured()
        try together("slow", -510 ... -430)
        try stage.shiftRate(to: 99_950)
        try together("fast", 490...570)
        try beyondUsual()
        try stage.shiftRate(to: 100_050)
        try stampedAtTheEnd()
        try stage.clap(seconds: 50)
        try paused()
        try late()
        try otherClocks()
    }

    // MARK: The clock alone

    private func heard(seconds: Int) throws(ProbeFailure) -> Film {
        let film = Film(soundOf: stage, seconds: seconds)
        _ = try film.start().end()
        return film
    }

    private func measured() throws(ProbeFailure) {
        try stage.shiftRate(to: 99_950)
        let fast = try heard(seconds: 12).audio?.drift
        report.within("a clock that is fast by 500.25 ppm is measured within 10 ppm", 490.25...510.25, fast)
        try stage.shiftRate(to: 100_050)
        let film = try heard(seconds: 12)
        let slow = film.audio?.drift
        report.within("and one that is slow by 499.75 ppm", -509.75 ... -489.75, slow)
        let uncertainty = film.audio?.driftUncertainty
        report.note("measured: \(told(fast)) and \(told(slow)) ppm, ± \(told(uncertainty))")
        report.within("known to be so", 0...50, uncertainty)
        report.equal("the file has its length to the sample", 12 * 48_000, try film.samples())
    }

    // MARK: Audio and video

    /// A clip with the card's present clock, off by this number of ppm.
    private func together(_ name: String, _ range: ClosedRange<Double>) throws(ProbeFailure) {
        let film = Film("\(name).mkv", of: stage, seconds: seconds)
        try stage.clap(seconds: seconds)
        let clock = KernelClock()
        clock.start()
        try film.make("picture and \(name) sound are recorded", report)
        let seen = (SlopeFit([clock.stop()])?.slope ?? 0) * 1e6
        try stage.hush()
        judgeClocks(of: film, seen, range)
        try judgeLength(of: film)
        let claps = try staysTogether(film)
        let means = claps.means
        report.note("27 in a row: \(told(means.min())) to \(told(means.max())) ms in the mean")
        report.within("of any 27 in a row the mean is no more than 5 ms too early", 11.7...21.7, means.min())
        report.within("and none too late", 11.7...21.7, means.max())
        // They come by the audio clock: a fast one makes more of them, a thousandth at most.
        let due = seconds * 100 / 76
        report.within(
            "the claps are there", Double(due - 3)...Double(due + 1 + seconds / 760), Double(claps.count))
        try? FileManager.default.removeItem(atPath: film.path)
    }

    private func judgeClocks(of film: Film, _ seen: Double, _ range: ClosedRange<Double>) {
        let (audio, video) = (film.audio, film.video)
        report.note(
            "the kernel's count: \(told(seen)) ppm; the clip's: sound \(told(audio?.drift)), picture \(told(video?.drift)); "
                + "\(audio?.corrected ?? 0) samples corrected")
        report.equal(
            "no picture and no sample is lost", [0, 0, 0],
            [video?.lost["device"], video?.lost["ring"], audio?.lost["xrun"]].map { $0 ?? -1 })
        report.within("the sound's clock is off by about 500 ppm", range, seen)
        report.within("that is measured within 5 ppm", -5...5, audio?.drift.map { $0 - seen })
        report.within("the camera's clock, which is not off, likewise", -5...5, video?.drift)
    }

    private func judgeLength(of film: Film) throws(ProbeFailure) {
        report.equal("the sound has its length to the sample", seconds * 48_000, film.frames)
        report.equal(
            "which is what the device gave and what was put in", seconds * 48_000,
            film.audio.map { $0.delivered + $0.filled + $0.corrected })
        let length = Double(seconds)
        report.within("the clip lasts as long as asked", length - 0.034...length + 0.034, try film.duration())
    }

    /// Two checks of each single clap.
    @discardableResult
    private func staysTogether(_ film: Film, latest: Double = 38.3) throws(ProbeFailure) -> Claps {
        let claps = try Claps(in: film, of: stage)
        report.note("claps: \(claps.count), \(told(claps.least)) to \(told(claps.most)) ms")
        report.within("no flash is more than 5 ms too early for its click", -5...latest, claps.least)
        report.within("and none too late", -5...latest, claps.most)
        return claps
    }

    /// A card of 48480 Hz that reports 48000, and is in its place after some seconds; and one that is off by more than can be
    /// corrected.
    private func beyondUsual() throws(ProbeFailure) {
        try stage.shiftRate(to: 99_010)
        try stage.clap(seconds: 36)
        let wrong = Film("wrong.mkv", of: stage, seconds: 36)
        try wrong.make("picture and sound that is fast by a hundredth are recorded", report)
        try stage.hush()
        report.note("drift \(told(wrong.audio?.drift)) ppm, \(told(wrong.audio?.endOffset)) ns off at the end")
        report.within("its drift is measured", 9_800...10_200, wrong.audio?.drift)
        report.within("at its end it is within 5 ms", -5e6...5e6, wrong.audio?.endOffset)
        let claps = try Claps(in: wrong, of: stage, after: 20)
        report.within("the claps are there", 17...24, Double(claps.count))
        report.check(
            "from 20 s on no flash is too early or too late for its click",
            claps.claps.allSatisfy { (-5...38.3).contains($0.offset) },
            "\(told(claps.least)) to \(told(claps.most)) ms")
        try stage.shiftRate(to: 95_000)
        let beyond = Film("beyond.mkv", of: stage, seconds: 10)
        try beyond.make("sound that is fast by a twentieth is recorded", report)
        report.within("how far it is behind at the end is told", 150e6...1000e6, beyond.audio?.endOffset)
    }

    // MARK: Other devices

    /// Timestamps of the end of a frame, as capture cards give them.
    private func stampedAtTheEnd() throws(ProbeFailure) {
        try stage.setCamera("timestamp_source=0")
        try stage.clap(seconds: 22)
        let usual = Film("end30.mkv", of: stage, seconds: 8)
        try usual.make("pictures that are stamped when they end are recorded", report)
        try staysTogether(usual)
        let quick = Film("end60.mkv", of: stage, seconds: 8, fps: 60)
        try quick.make("sixty a second, too", report)
        try stage.hush()
        try staysTogether(quick, latest: 21.7)
        try stage.setCamera("timestamp_source=1")
    }

    /// A second in which nobody reads: the missing part is silence, and later audio is in its place again.
    private func paused() throws(ProbeFailure) {
        let film = Film("paused.mkv", of: stage, seconds: 12)
        let recording = try film.start()
        film.waitForStart()
        sleep(3)
        recording.send(SIGSTOP)
        sleep(1)
        recording.send(SIGCONT)
        film.end(recording, "a recording that was stopped for a second ends well", report)
        let audio = film.audio
        report.note(
            "stopped: sound lost \(audio?.lost["xrun"] ?? 0), filled \(audio?.filled ?? 0), "
                + "corrected \(audio?.corrected ?? 0)")
        report.equal("its sound has its length to the sample", 12 * 48_000, film.frames)
        report.check("what is lost of it is filled in", audio?.lost["xrun"] ?? 0 > 24_000)
        let claps = try staysTogether(film)
        report.within("most of the claps are there", 11...16, Double(claps.count))
    }

    /// A clip begins when all its devices deliver, and its audio is cut to the sample at which the video begins: nobody can hear
    /// that a card needs half a second more to start.
    private func late() throws(ProbeFailure) {
        let film = Film("late.mkv", of: stage, seconds: 12)
        let begun = nanoseconds()
        let recording = try film.start(["LD_PRELOAD": "\(stage.judges)/late.so", "LATE_MICROSECONDS": "500000"])
        film.waitForStart()
        report.check("a microphone that starts half a second late is waited for", nanoseconds() - begun > 500_000_000)
        film.end(recording, "and recorded", report)
        report.equal(
            "neither sound nor picture is told to begin later than the clip", [0, 0],
            film.events.end?.ledger?.tracks.map(\.startOffset))
        report.equal(
            "no silence had to be put in for that", [12 * 48_000, 0], [film.frames ?? -1, film.audio?.filled ?? -1])
        let claps = try staysTogether(film)
        report.within("from the clip's first clap on", 0...0.77, claps.claps.first?.click)
    }

    private func otherClocks() throws(ProbeFailure) {
        let free = Film("free.mkv", of: stage, seconds: 6, ["--sync", "none"])
        try free.make("with no clock that rules", report)
        let freeWorst = try Claps.worst(in: free, of: stage, spacing: 0.76, report)
        report.within("the clicks are as the device gave them", 0...0.03, freeWorst)
        report.equal("nothing is corrected", 0, free.audio?.corrected)
        let sound = Film("sound.mkv", of: stage, seconds: 12, ["--sync", "sound"])
        try sound.make("with the sound's clock", report)
        try stage.hush()
        let soundWorst = try Claps.worst(in: sound, of: stage, spacing: 0.76, report)
        report.within("the clicks are as the device gave them, too", 0...0.03, soundWorst)
        let pace = try sound.pace()
        report.note("a picture each \(told(pace)) ms")
        // 33.3333 ms by the camera's clock.
        report.within("and the pictures come sooner", 33.31...33.326, pace)
    }

    /// A figure with three digits after the point.
    private func told(_ value: Double?) -> String { value.map { "\(($0 * 1000).rounded() / 1000)" } ?? "nothing" }
}
