import CMedia
import CaptureRealtime
import Testing

/// On a PCM of `Tests/PacedPCM` that sleeps for 200 ms after half a second, through the real libasound.
@Suite("Suspended PCM", .serialized)
struct PCMSuspensionTests {
    /// 480 frames per period: the sleep is at the end of one, or within one. Unread frames are read after the sleep, before the
    /// gap.
    @Test(
        "A suspended device is resumed, its gap is counted, and every sample after it is right",
        arguments: [24_000, 24_100])
    func resumed(after: Int) throws {
        // The rig's group `dead-server` judges the length of the gap to the frame, in virtual time. Here a delay of the thread
        // between the plugin's count and the reading of the clock would be measured, too.
        try SleepHearing.listen(to: "paced_with:SLEEP_AFTER=\(after)").expectOneSleep(after: after)
    }

    @Test("A device that can't resume is prepared and started, and goes on likewise")
    func refused() async {
        await #expect(processExitsWith: .success) {
            // What the kernel says of hardware without SNDRV_PCM_INFO_RESUME.
            cm_faults_plan("snd_pcm_resume", 1, ENOSYS, CM_FAULTS_THIS_CALL)
            let hearing = try SleepHearing.listen(to: "paced_with:SLEEP_AFTER=24000,WAKES=0")
            hearing.expectOneSleep(after: 24_000, isKept: false)
            #expect(CallCounts.of("snd_pcm_resume") == 1)
            #expect(CallCounts.of("snd_pcm_prepare") == 2)
            #expect(CallCounts.of("snd_pcm_start") == 2)
        }
    }

    @Test("A device that is still asleep is asked again, at intervals, and not started anew")
    func asleep() async {
        await #expect(processExitsWith: .success) {
            // Whatever libasound makes of the plugin's own answers, this answer is EAGAIN.
            cm_faults_plan("snd_pcm_resume", 1, EAGAIN, CM_FAULTS_ONCE)
            let hearing = try SleepHearing.listen(to: "paced_with:SLEEP_AFTER=24000")
            hearing.expectOneSleep(after: 24_000)
            // 200 ms, at 5 ms each but for the first few.
            #expect((2...60).contains(CallCounts.of("snd_pcm_resume")))
            #expect(CallCounts.of("snd_pcm_prepare") == 1)
        }
    }

    @Test("A device that refuses in silence is restarted by the watchdog, and goes on likewise")
    func silent() async {
        await #expect(processExitsWith: .success) {
            // Like the ioplug layer of libasound before 1.2.10: no error, and the state stays SUSPENDED.
            cm_faults_plan("snd_pcm_resume", 1, EAGAIN, CM_FAULTS_THIS_CALL)
            let hearing = try SleepHearing.listen(to: "paced_with:SLEEP_AFTER=24000")
            #expect(hearing.sound.counters.stalls == 1)
            #expect(hearing.numbers.jumps.count == 1)
            #expect(hearing.sound.wrong == 0)
            #expect(CallCounts.of("snd_pcm_prepare") == 2)
        }
    }
}

/// Audio of a device that falls asleep.
struct SleepHearing {
    let sound: PacedSound
    let numbers: FrameNumbers

    static func listen(to name: String) throws -> SleepHearing {
        let numbers = FrameNumbers()
        let settings = PCMSettings(format: .s32, periodFrames: 480)
        let sound = try PacedSound.listen(to: name, settings, frames: 40_000, look: numbers.look)
        return SleepHearing(sound: sound, numbers: numbers)
    }

    /// - Parameter isKept: true if frames that were not read before the sleep can be read after it. Otherwise they are lost: up to
    ///   a buffer on a machine that is delayed.
    func expectOneSleep(after: Int, isKept: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) {
        let counters = sound.counters
        #expect(sound.result == LoopResult(.stopped), sourceLocation: sourceLocation)
        #expect(sound.wrong == 0, sourceLocation: sourceLocation)
        #expect(numbers.jumps.count == 1, sourceLocation: sourceLocation)
        let gaps = sound.headers.filter { $0.lost.total > 0 }
        #expect(gaps.map(\.flags) == [[.suspended, .gap]], sourceLocation: sourceLocation)
        #expect(counters.restarts == 1 && counters.stalls == 0, sourceLocation: sourceLocation)
        #expect(counters.xruns == 0 && counters.xrunFrames == 0, sourceLocation: sourceLocation)
        #expect(counters.made == counters.delivered + counters.deviceLost, sourceLocation: sourceLocation)
        guard let gap = gaps.first, let jump = numbers.jumps.first else { return }
        #expect(jump.missing >= 9600, sourceLocation: sourceLocation)
        let unread = isKept ? 0 : sound.settings.bufferFrames
        #expect((after - unread...after).contains(jump.heard), sourceLocation: sourceLocation)
        // Its place. Frames that the device makes between its resumption and the reading of the unread count seem older than they
        // are: none, unless the thread is delayed exactly there.
        let late = Int(gap.sequence - gap.lost.device) - jump.heard
        #expect((0...480).contains(late), "\(late) frames late", sourceLocation: sourceLocation)
    }
}

/// What went through the seam since the last plan.
enum CallCounts {
    static func of(_ name: String) -> Int {
        #expect(cm_faults_seen() < 4096)
        return (1...4096).count { number in
            cm_faults_call(number).map { String(cString: $0) } == name
        }
    }
}
