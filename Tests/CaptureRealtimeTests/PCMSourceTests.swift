import CMedia
import CaptureRealtime
import Testing

/// Through the real libasound. `null` is in every configuration, `paced` in that of `Tests/PacedPCM`, which
/// `ALSA_CONFIG_PATH` names, as `Tests/run` sets it.
@Suite("PCM source", .serialized)
struct PCMSourceTests {
    @Test("The null PCM opens, and says what it does")
    func null() throws {
        let asked = PCMSettings(rate: 44_100, channels: 1, format: .s32, periodFrames: 441, bufferFrames: 4410)
        let source = try PCMSource(opening: "null", asked: asked)
        let (got, isAllowed, isInterleaved) = (source.got, source.allowsRealtimePriority, source.isInterleaved)
        #expect(got == asked)
        #expect(isInterleaved)
        // It is no card's: nobody paces it.
        #expect(!isAllowed)
    }

    @Test("A card that is not there is a fault with its errno")
    func missing() {
        for name in ["hw:31,0", "no-such-pcm"] {
            do {
                _ = try PCMSource(opening: name)
                Issue.record("\(name) opened")
            } catch {
                #expect(error.call == .openPCM)
                #expect([ENOENT, ENODEV, ENXIO].contains(error.errno), "\(error)")
            }
        }
    }

    @Test("libasound says nothing on standard error, whatever is missing")
    func silent() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for name in ["hw:31,0", "no-such-pcm", "plug:no-such-pcm"] { _ = try? PCMSource(opening: name).got }
        }
        #expect(result?.standardErrorContent == [])
    }

    @Test("Every bit is the device's, in every sample format", arguments: PCMFormat.allCases)
    func bits(format: PCMFormat) throws {
        let heard = try PacedSound.listen(to: "paced", PCMSettings(channels: 2, format: format), frames: 9600)
        #expect(heard.result == LoopResult(.stopped))
        #expect(heard.wrong == 0)
        #expect(heard.counters.delivered >= 9600)
        #expect(heard.counters.deviceLost + heard.counters.ringLost == 0)
    }

    @Test("Eight channels and the ends of the rates", arguments: [8000, 192_000])
    func rates(rate: Int) throws {
        let heard = try PacedSound.listen(
            to: "paced", PCMSettings(rate: rate, channels: 8, format: .s32), frames: UInt64(rate / 5))
        #expect(heard.wrong == 0)
        #expect(heard.headers.first?.frameCount == rate / 100)
    }

    @Test("What a device can't do is told as what it does instead")
    func negotiated() throws {
        let asked = PCMSettings(rate: 44_100, channels: 1, format: .float32)
        let source = try PCMSource(opening: "paced_48k_stereo", asked: asked)
        let (before, got) = (source.asked, source.got)
        #expect(before == asked)
        #expect(got.rate == 48_000)
        #expect(got.channels == 2)
    }

    @Test("A period lasts what was asked, at the rate that was got", arguments: [8000, 44_100, 192_000])
    func periodTime(rate: Int) throws {
        let asked = PCMSettings(rate: rate, periodTime: 100_000_000)
        let other = try PCMSource(opening: "paced_48k_stereo", asked: asked).got
        #expect(other.rate == 48_000 && other.periodFrames == 4800)
        let same = try PCMSource(opening: "paced", asked: asked).got
        #expect(same.rate == rate && same.periodFrames == rate / 10)
    }

    @Test("A buffer too small for the period gets smaller ones: never is one all of it", arguments: [8192, 65_536])
    func smallBuffer(bytes: Int) throws {
        let asked = PCMSettings(rate: 192_000, periodTime: 100_000_000)
        // The smaller one holds 11 ms: a busy machine may stop for longer, and audio lost then is not wrong audio.
        let isPatient = bytes < 65_536 ? 1 : 0
        let heard = try PacedSound.listen(
            to: "paced_with:BUFFER_BYTES=\(bytes),PATIENT=\(isPatient)", asked, frames: 57_600)
        #expect(heard.settings.bufferFrames == bytes / 4)
        #expect(heard.settings.periodFrames == bytes / 16)
        #expect(heard.result == LoopResult(.stopped))
        #expect(heard.wrong == 0)
    }

    @Test("An overrun is recovered, and its length is measured within a period")
    func xrun() throws {
        let heard = try PacedSound.listen(to: "paced_stall", frames: 40_000)
        #expect(heard.counters.xruns == 1)
        let lost = try #require(heard.headers.first { $0.lost.device > 0 })
        #expect(lost.flags == [.xrun, .gap])
        #expect(heard.counters.xrunFrames == lost.lost.device)
        #expect(heard.counters.delivered + heard.counters.deviceLost == heard.counters.made)
    }

    @Test("An unplugged device ends as gone")
    func vanished() throws {
        let heard = try PacedSound.listen(to: "paced_vanish")
        #expect(heard.result == LoopResult(.deviceGone, fault: RealtimeFault(.readPCM, result: -ENODEV)))
        // What it had not handed out yet is gone with it.
        #expect((1...24_000).contains(heard.counters.delivered))
        #expect(heard.wrong == 0)
    }

    @Test("A device that falls silent without an error ends as stalled, after one restart")
    func dead() throws {
        let heard = try PacedSound.listen(to: "paced_dead")
        #expect(heard.result == LoopResult(.stalled))
        #expect(heard.counters.restarts == 1)
        #expect(heard.counters.delivered == 24_000)
    }

    @Test("A sound server that is dead in silence costs no more than a look every eighth of a second")
    func deadAndSilent() async {
        await #expect(processExitsWith: .success) {
            cm_faults_plan("", 0, 0, CM_FAULTS_ONCE)
            let heard = try PacedSound.listen(to: "paced_with:DEAD_AFTER=480")
            #expect(heard.result == LoopResult(.stalled))
            // Four checks in each half of a second, before the restart and after it, and those of the opening.
            #expect(CallCounts.of("snd_pcm_readi") <= 20)
            #expect(CallCounts.of("poll") <= 40)
        }
    }

    @Test("A dead sound server whose descriptor calls for ever is noticed, and not asked without a pause")
    func deadAndCalling() async {
        await #expect(processExitsWith: .success) {
            cm_faults_plan("", 0, 0, CM_FAULTS_ONCE)
            let heard = try PacedSound.listen(to: "paced_with:DEAD_AFTER=480,DEAD_CALLS=1")
            #expect(heard.result == LoopResult(.stalled))
            #expect(heard.counters.delivered == 480 && heard.counters.restarts == 1)
            // Twice half a second, with a pause of 5 ms before each check except the first few.
            #expect(CallCounts.of("poll") <= 500)
            #expect(CallCounts.of("snd_pcm_readi") <= 20)
        }
    }

    @Test("Plugins get no realtime priority")
    func plugins() throws {
        for name in ["paced", "plug:paced"] {
            let source = try PCMSource(opening: name)
            let isAllowed = source.allowsRealtimePriority
            #expect(!isAllowed)
        }
    }
}
