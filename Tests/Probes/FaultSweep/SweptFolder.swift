import CaptureGate
import GateTestKit
import Glibc

/// A new directory for everything that is written meanwhile: clips, the gate's state, temporary files.
struct SweptFolder {
    let path: String
    var clips: String { path + "/clips" }
    private var state: String { path + "/state" }

    /// - Returns: `nil` if none can be made.
    init?() {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/capturegate-faults.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for name in [clips, path + "/temporary"] { mkdir(name, 0o700) }
        // Temporary files of any library are created where no other process creates any.
        setenv("TMPDIR", path + "/temporary", 1)
    }

    func gatekeeper() throws -> Gatekeeper {
        try Gatekeeper.system(storeIn: state, prompter: ScriptedPrompter([.allow(.always)]), as: .rig)
    }
}
