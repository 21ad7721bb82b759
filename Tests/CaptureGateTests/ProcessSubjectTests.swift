import LinuxSystem
import Testing

@testable import CaptureGate

@Suite("Process subject")
struct ProcessSubjectTests {
    @Test("It is read from the kernel, with the hash of the running file")
    func current() throws {
        let subject = try ProcessSubject.current()
        #expect(subject.executable.path.hasPrefix("/"))
        #expect(subject.executable.sha256.count == 64)
        #expect(try ProcessSubject.executable(at: subject.executable.path) == subject.executable)
    }

    @Test("A command with parentheses and spaces does not shift the fields")
    func startTicks() {
        let fields = (3...22).map { $0 == 22 ? "4711" : "0" }.joined(separator: " ")
        #expect(ProcessFile.startTicks(stat: "12 (a) b (c)) \(fields) 5 6") == 4711)
        #expect(ProcessFile.startTicks(stat: "12 (a) S 1") == nil)
    }

    @Test(
        "The innermost unit of the cgroup is the application",
        arguments: [
            (
                "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-flatpak-org.gnome.Cheese-4711.scope",
                ApplicationID(kind: .flatpak, name: "org.gnome.Cheese")
            ),
            ("0::/system.slice/doorbell.service", ApplicationID(kind: .unit, name: "doorbell.service")),
            (
                "1:cpu:/x.service\n0::/user.slice/snap.obs.obs-1234.scope", ApplicationID(kind: .snap, name: "obs")
            ),
        ])
    func application(cgroup: String, application: ApplicationID) {
        #expect(CgroupApplication.application(cgroup: cgroup) == application)
    }

    @Test("A session outside every unit has no application", arguments: ["", "0::/", "0::/user.slice/session-1.scope"])
    func noApplication(cgroup: String) {
        #expect(CgroupApplication.application(cgroup: cgroup) == nil)
    }

    @Test("A program that is not there is told", arguments: ["/no/such/program", "/tmp"])
    func missing(path: String) {
        #expect(throws: CaptureError.self) { try ProcessSubject.executable(at: path) }
    }
}
