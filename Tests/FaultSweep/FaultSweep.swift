import CaptureGate
import FoundationEssentials
import Glibc

// Has each call of the C shims fail that a recording makes, once and for ever, with each error its manual page names:
//
//   FaultSweep microphone|camera ID [--depth N] [--milliseconds N] [--only CALL]
//
// The seam is in debug builds alone, and so is this.
@main
struct FaultSweep {
    static func main() async {
        #if DEBUG
            exit(await sweep(CommandLine.arguments))
        #else
            tell("Faults are swept in debug builds alone.")
            exit(69)
        #endif
    }

    /// - Returns: the exit code.
    private static func sweep(_ words: [String]) async -> Int32 {
        var template = Array("/tmp/capturegate-faults.XXXXXX".utf8CString)
        guard words.count >= 3, let capability = capability(words[1]), mkdtemp(&template) != nil else {
            tell("usage: FaultSweep microphone|camera ID [--depth N] [--milliseconds N] [--only CALL]")
            return 64
        }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let recording = try SweptRecording(
                capability, words[2], folder: folder,
                duration: .milliseconds(number(of: "--milliseconds", in: words) ?? 30))
            let sweep = Sweep(
                recording, depth: number(of: "--depth", in: words) ?? 2, only: value(of: "--only", in: words))
            await sweep.run()
            return sweep.failures > 0 || sweep.runs == 0 ? 1 : 0
        } catch {
            tell("not ok: \(error)")
            return 1
        }
    }

    private static func capability(_ word: String) -> CapabilityName? {
        switch word {
        case "microphone": .microphone
        case "camera": .camera
        default: nil
        }
    }

    private static func value(of option: String, in words: [String]) -> String? {
        guard let at = words.firstIndex(of: option), at + 1 < words.count else { return nil }
        return words[at + 1]
    }

    private static func number(of option: String, in words: [String]) -> Int64? {
        value(of: option, in: words).flatMap { Int64($0) }
    }
}
