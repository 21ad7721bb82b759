import FoundationEssentials
import Glibc
import Testing

@Suite("secure", .serialized, .fewAtOnce, .enabled(if: geteuid() == 0, "it needs root, to make a user below a folder"))
struct SecureTests {
    private let package = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    /// Root directory of a system without CaptureGate.
    private func system() throws -> Workspace {
        let workspace = try Workspace()
        for folder in ["root/etc", "root/usr/bin", "root/var/lib"] {
            try FileManager.default.createDirectory(
                atPath: workspace.file(folder), withIntermediateDirectories: true)
        }
        for name in ["passwd", "group", "shadow", "gshadow", "login.defs"] {
            try workspace.write("", to: "root/etc/\(name)")
        }
        return workspace
    }

    private func secure(_ workspace: Workspace, _ options: String...) async throws -> Ending {
        try await workspace.capturegate(
            ["secure", "--root", workspace.file("root"), "--from", package] + options)
    }

    /// All below the root, but for what useradd(8) leaves beside the files that it changes.
    private func names(_ workspace: Workspace) -> [String] {
        let all = FileManager.default.enumerator(atPath: workspace.file("root"))?.compactMap { $0 as? String } ?? []
        return all.filter { !$0.hasSuffix("-") && !$0.hasPrefix("etc/sub") && !$0.hasPrefix("usr/bin/") }.sorted()
    }

    @Test("a system is secured and is as before when that is taken back")
    func backAndForth() async throws {
        let workspace = try system()
        let before = names(workspace)
        let done = try await secure(workspace)
        #expect(done.code == 0, "\(done.errors)")
        #expect(try workspace.text("root/etc/passwd").contains("capturegate:"))
        #expect(
            try workspace.text("root/etc/udev/rules.d/72-capturegate.rules")
                == Workspace.text(at: package + "/udev-rules/72-capturegate.rules"))
        #expect(names(workspace).contains("etc/capturegate/policy.d"))
        let again = try await secure(workspace)
        #expect(again.output == "Nothing to change.\n")
        #expect(try await secure(workspace, "--undo").code == 0)
        #expect(try !workspace.text("root/etc/passwd").contains("capturegate"))
        #expect(try !workspace.text("root/etc/group").contains("capturegate"))
        // The system's own directories stay, since other programs may use them by now.
        let left = Set(names(workspace)).subtracting(before)
        #expect(
            left.allSatisfy { ["etc/udev", "etc/udev/rules.d", "etc/systemd", "etc/systemd/system"].contains($0) },
            "\(left)")
        #expect(try await secure(workspace, "--undo").output.contains("Nothing to undo"))
    }

    @Test("a dry run says each step and changes nothing")
    func dry() async throws {
        let workspace = try system()
        let before = names(workspace)
        let ending = try await secure(workspace, "--dry-run")
        #expect(ending.output.contains("would: Install /etc/udev/rules.d/72-capturegate.rules\n"))
        #expect(names(workspace) == before)
    }

    @Test("a file that was changed since is left, and one that was there before is never touched")
    func changed() async throws {
        let workspace = try system()
        _ = try await secure(workspace)
        try workspace.write("# mine\n", to: "root/etc/udev/rules.d/72-capturegate.rules")
        let undone = try await secure(workspace, "--undo")
        #expect(undone.output.contains("Keep /etc/udev/rules.d/72-capturegate.rules"))
        let refused = try await secure(workspace)
        #expect(refused.code == 73)
        #expect(try workspace.text("root/etc/udev/rules.d/72-capturegate.rules") == "# mine\n")
        #expect(try !workspace.text("root/etc/passwd").contains("capturegate"))
    }

    @Test("units of an installation elsewhere name its broker, and no other is installed")
    func elsewhere() async throws {
        let workspace = try system()
        for folder in ["share/udev-rules", "share/systemd", "root/opt/bin"] {
            try FileManager.default.createDirectory(
                atPath: workspace.file(folder), withIntermediateDirectories: true)
        }
        try workspace.write("", to: "root/opt/bin/capturegated")
        let rules = "udev-rules/72-capturegate.rules"
        try workspace.write(Workspace.text(at: "\(package)/\(rules)"), to: "share/\(rules)")
        for name in ["capturegated.service", "capturegated.socket"] {
            let unit = try Workspace.text(at: "\(package)/Samples/systemd/\(name)")
            try workspace.write(unit.replacing("/usr/bin/", with: "/opt/bin/"), to: "share/systemd/\(name)")
        }
        let done = try await workspace.capturegate(
            ["secure", "--root", workspace.file("root"), "--from", workspace.file("share")])
        #expect(done.code == 0, "\(done.errors)")
        #expect(!done.output.contains("bin/capturegated"))
        #expect(
            try workspace.text("root/etc/systemd/system/capturegated.service")
                .contains("\nExecStart=/opt/bin/capturegated\n"))
    }
}
