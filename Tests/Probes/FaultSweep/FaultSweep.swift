import CaptureGate
import FoundationEssentials
import Glibc

// Has each call of the C shims fail that a recording makes, or a visit to a device's controls, or the listing of all
// devices, once and for ever, with the errors its manual page names:
//
//   FaultSweep microphone|camera|microphone-controls|camera-controls ID
//       [--milliseconds N] [--pixel-format CODE] [--input NAME] [--standard NAME] [--timings NAME] [--only CALL,CALL] [--seed N] [--all] [--part K/N]
//   FaultSweep devices LEAST [--only CALL,CALL] [--seed N] [--all] [--part K/N]
//
// LEAST is how many real devices there must be to list.
//
// Each thread of glibc may have a heap of its own and leave its stack for the next: who wants anonymous mappings to be
// counted starts it with GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.pthread.stack_cache_size=0.
//
// --part takes each Nth fault from the Kth on, 1 upwards: several parts wait side by side.
//
// The seam is in debug builds alone, and so is this.
@main
struct FaultSweep {
    static func main() async {
        #if DEBUG
            exit(await sweep(SweepWords(CommandLine.arguments)))
        #else
            tell("Faults are swept in debug builds alone.")
            exit(69)
        #endif
    }

    /// - Returns: the exit code.
    private static func sweep(_ words: SweepWords) async -> Int32 {
        guard let folder = SweptFolder(), words.device != nil else {
            tell("usage: FaultSweep microphone|camera|microphone-controls|camera-controls ID [OPTION VALUE]...")
            tell("       FaultSweep devices LEAST [OPTION VALUE]...")
            return 64
        }
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        do {
            guard let work = try work(words, in: folder) else { return 64 }
            let sweep = Sweep(work, in: folder, words.options)
            await sweep.run()
            return sweep.failures > 0 || sweep.runs == 0 ? 1 : 0
        } catch {
            tell("not ok: \(error)")
            return 1
        }
    }

    private static func work(_ words: SweepWords, in folder: SweptFolder) throws -> (any SweptWork)? {
        guard let device = words.device else { return nil }
        func recording(_ capability: CapabilityName) throws -> SweptRecording {
            var video = VideoSettings(pixelFormat: words.value("--pixel-format").flatMap { PixelFormat($0) })
            video.input = words.value("--input")
            video.standard = words.value("--standard").flatMap { VideoStandard($0) }
            video.timings = words.value("--timings").flatMap { VideoTimings($0) }
            return try SweptRecording(
                capability, device, in: folder, duration: .milliseconds(words.number("--milliseconds") ?? 30),
                video: video)
        }
        switch words.kind {
        case "microphone": return try recording(.microphone)
        case "camera": return try recording(.camera)
        case "microphone-controls": return try SweptControls(.microphone, device, in: folder)
        case "camera-controls": return try SweptControls(.camera, device, in: folder)
        case "devices": return SweptListing(least: Int(device) ?? .max)
        default: return nil
        }
    }
}
