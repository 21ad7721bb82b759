import CMedia
import CaptureRealtime

/// A microphone that does what a test wrote down, one entry a reading; after the last one it is unplugged.
struct ScriptedAudio: ~Copyable, AudioSource, @unchecked Sendable {
    // `@unchecked Sendable`: a test hands it over once.
    enum Entry {
        /// This number of frames, the first of them taken at that instant.
        case frames(Int, at: Int64)
        case read(AudioReadResult)
        case wakeup(SourceWakeup)
        case run(() -> Void)
    }

    let settings: PCMSettings
    var allowsRealtimePriority: Bool { true }
    var script: [Entry]
    var calls: Calls

    /// Calls of the loop.
    final class Calls: @unchecked Sendable {
        // `@unchecked Sendable`: read after the loop has ended.
        var starts = 0
        var stops = 0
        /// What a stop does beside being counted.
        var atStop: () -> Void = {}
        var recoveries: [Bool] = []
        var pauses = 0
    }

    init(_ script: [Entry], settings: PCMSettings, calls: Calls = Calls()) {
        self.script = script.reversed()
        self.settings = settings
        self.calls = calls
    }

    mutating func start() -> RealtimeFault? {
        calls.starts += 1
        return nil
    }

    mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup {
        while let entry = script.last {
            switch entry {
            case .run(let work): work()
            case .wakeup(let wakeup):
                script.removeLast()
                return wakeup
            case .frames, .read: return .ready
            }
            script.removeLast()
        }
        return .ready
    }

    mutating func pause(control: Int32, milliseconds: Int32) { calls.pauses += 1 }

    mutating func read(into memory: UnsafeMutableRawPointer, frames: Int) -> AudioReadResult {
        guard let entry = script.popLast() else { return .gone }
        switch entry {
        case .frames(let count, let instant):
            memory.initializeMemory(as: UInt8.self, repeating: 0x5A, count: count * settings.bytesPerFrame)
            return .frames(count, timestamp: instant)
        case .read(let read): return read
        case .wakeup, .run: return .nothing
        }
    }

    mutating func recover(suspended: Bool) -> RealtimeFault? {
        calls.recoveries.append(suspended)
        return nil
    }

    mutating func stop() {
        calls.stops += 1
        calls.atStop()
    }

    static func capture(_ stream: inout AudioStream<ScriptedAudio>) -> LoopResult { CaptureLoop.run(&stream) }
}
