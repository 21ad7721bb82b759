import CaptureGate
import Gate
import GateStore
import LinuxSystem
import Testing

@testable import capturegate

@Suite("doctor", .fewAtOnce)
struct DoctorTests {
    static let titles = ["Versions", "System", "Protection", "Units", "Devices", "Permissions", "Refusals"]

    @Test("the report has every section, also without a device, a terminal and a store")
    func sections() async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate("doctor")
        #expect(ending.code == 0 && ending.errors.isEmpty, "\(ending)")
        let lines = ending.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.filter { Self.titles.contains($0) } == Self.titles)
        // No section is empty: one without findings states that.
        for title in Self.titles {
            let next = lines.drop { $0 != title }.dropFirst().first
            #expect(next?.hasPrefix("  ") == true, "\(title)")
        }
        let json = try Document(try await workspace.capturegate("doctor", "--json").output)
        #expect(json["versions"]["capturegate"].string?.hasPrefix(LibraryVersions.captureGate) == true)
        #expect(json["protection"]["level"].string?.isEmpty == false)
        #expect(json["permissions"]["camera"] == .string("0 allowed, 0 denied"))
        #expect(json["refusals"] == .array([]))
    }

    @Test("a serial number, names and the home directory that the store and the log contain are left out")
    func redacted() async throws {
        let workspace = try Workspace()
        let (user, serial) = ("adalovelace", "SN20261129X")
        let host = try #require(ProcessFile.text("/proc/sys/kernel/hostname"))
        let device = "camera:usb-046d_HD_Pro_Webcam_C920_\(serial)"
        _ = try await workspace.capturegate("grant", "camera", "--device", device, "--always")
        let store = try SQLiteGrantStore(directory: workspace.store)
        let own = try ProcessSubject.current()
        let subject = Subject(
            userID: own.userID, groupIDs: [],
            executable: Gate.Executable(path: "\(workspace.path)/bin/memo", inode: 1, sha256: own.executable.sha256),
            application: nil, session: own.session)
        try store.append(
            AuditEvent(
                .refusal, at: SystemGateClock().now, subject: subject, capability: .camera,
                devices: [DeviceID(rawValue: device)],
                detail:
                    "\(user) at \(host): \(workspace.path)/memo and /home/babbage/x may not use \"C920\" (\(device))."))
        for arguments in [["doctor"], ["doctor", "--json"]] {
            let ending = try await workspace.run(["env", "USER=\(user)", Executable.capturegate] + arguments)
            #expect(ending.code == 0)
            #expect(ending.output.contains("1 allowed, 0 denied"))
            #expect(ending.output.contains("~/bin/memo") && ending.output.contains("camera:<id>"), "\(ending.output)")
            for secret in [user, serial, workspace.path, "babbage"] {
                #expect(!ending.output.contains(secret), "\(secret) in \(ending.output)")
            }
            let line = ending.output.split(separator: "\n").first { $0.contains("~/memo") }
            #expect(line?.contains(host) == false, "\(ending.output)")
        }
    }

    @Test("names are found as whole words in any case, serial numbers and homes anywhere")
    func words() {
        let redacted = Redaction(
            homes: ["/home/ada", "/"], names: [("ada", "<user>"), ("analytical-engine", "<host>"), ("root", "<user>")],
            serials: ["A1B2C3D4", "1"])
        let texts = [
            ("Ada's phone", "<user>'s phone"), ("Canada", "Canada"), ("/home/ada/clip.mkv", "~/clip.mkv"),
            ("/home/bob/clip.mkv: denied", "/home/<user>/clip.mkv: denied"), ("by root", "by root"),
            ("Analytical-Engine.local", "<host>.local"), ("Cam A1B2C3D4", "Cam <serial>"), ("1 line", "1 line"),
            ("no microphone: none", "no microphone: none"), ("test:bars", "test:bars"),
            ("microphone:usb-Rode_NT_0042.", "microphone:<id>."),
            ("alsa_input.usb-Rode_NT_0042-00.mono", "<id>"), ("\"camera:pci-0000:00:14\"", "\"camera:<id>\""),
        ]
        for (text, expected) in texts { #expect(redacted(text) == expected) }
    }

    @Test("a broken store is reported in the section on permissions, and the rest is there")
    func broken() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--always")
        try await workspace.damageDatabase()
        let ending = try await workspace.capturegate("doctor")
        #expect(ending.code == 0)
        for title in Self.titles { #expect(ending.output.contains("\n\(title)\n") || ending.output.hasPrefix(title)) }
        let database = ending.output.split(separator: "\n").first { $0.hasPrefix("  Database") }
        #expect(database?.contains("can't be read: ") == true && database?.contains(workspace.path) == false)
        #expect(ending.output.contains("The log can't be read: "))
    }
}
