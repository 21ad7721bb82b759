import CaptureBase
import Testing

@testable import CaptureRealtime

@Suite("Loop result")
struct LoopResultTests {
    @Test("Every end survives being packed, with and without its fault")
    func packing() {
        for end in [LoopEnd.stopped, .revoked, .expired, .deviceGone, .stalled, .failed] {
            #expect(LoopResult(packed: LoopResult(end).packed) == LoopResult(end))
            for call in RealtimeCall.allCases {
                let result = LoopResult(end, fault: RealtimeFault(call, result: -121))
                #expect(LoopResult(packed: result.packed) == result)
            }
        }
        #expect(LoopResult(packed: 0) == nil)
    }

    @Test("Every call has its function's name")
    func names() {
        for call in RealtimeCall.allCases { #expect(!call.function.isEmpty) }
        #expect(RealtimeCall.dequeueBuffer.function == "VIDIOC_DQBUF")
        #expect(RealtimeCall.openPCM.function == "snd_pcm_open")
    }

    @Test("Every priority survives being packed")
    func priorities() {
        for priority in [.fifo(20), .nice(-11), .normal(.sourceCallsServer), .normal(.refused(errno: 1))]
            as [ThreadPriority]
        {
            #expect(ThreadPriority(packed: priority.packed) == priority)
        }
        #expect(ThreadPriority(packed: 0) == nil)
    }
}
