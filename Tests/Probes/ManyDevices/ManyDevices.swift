import CaptureGate
import CaptureRecording
import FoundationEssentials
import GateTestKit
import Glibc

// Records many cameras and microphones at once in one process, received and dropped, and says what that took:
//
//   ManyDevices SECONDS CAMERA MICROPHONE [CAMERA MICROPHONE]...
//
// A line of JSON for what the process took while all were recorded, then one for each pair's ledger.
@main
struct ManyDevices {
    static func main() async {
        let words = CommandLine.arguments
        guard words.count >= 4, words.count % 2 == 0, let seconds = Int(words[1]), seconds > 0 else {
            print("usage: ManyDevices SECONDS CAMERA MICROPHONE [CAMERA MICROPHONE]...")
            exit(64)
        }
        let pairs = stride(from: 2, to: words.count, by: 2).map { (words[$0], words[$0 + 1]) }
        do {
            try await record(pairs, for: .seconds(seconds))
        } catch {
            print("\(error.kind.rawValue): \(error.message)")
            exit(EXIT_FAILURE)
        }
    }

    private static func record(_ pairs: [(String, String)], for duration: Duration) async throws(CaptureError) {
        var template = Array("/tmp/capturegate-many.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CaptureError(.inputOutput, "There is no room in /tmp.") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let prompter = ScriptedPrompter(pairs.map { _ in .allow(.always) })
        let queue = GateQueue(gatekeeper: try Gatekeeper.system(storeIn: folder, prompter: prompter, as: .rig))
        let cost = SharedCost(recordings: pairs.count)
        let recordings = try pairs.map { pair throws(CaptureError) in
            queue.add(try PairRecording(camera: pair.0, microphone: pair.1, duration: duration, cost: cost))
        }
        var ledgers: [LossLedger] = []
        for recording in recordings {
            do { ledgers.append(try await recording.value().ledger) } catch { throw error.captureError }
        }
        print(cost.json)
        for ledger in ledgers { print(ledger.json) }
    }
}
