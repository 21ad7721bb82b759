import FoundationEssentials
import Glibc
import Testing

@Suite("a reader of standard output that never reads", .fewAtOnce)
struct ReaderTests {
    /// A recording into a pipe that is full, and that nobody reads.
    private struct Stuck {
        let workspace: Workspace
        let child: ChildProcess
        private let pipe: Int32

        init(_ options: String) async throws {
            workspace = try Workspace()
            try await workspace.allowAllDevices()
            let path = workspace.file("pipe")
            guard mkfifo(path, 0o600) == 0 else { throw Failure("no pipe could be had") }
            pipe = open(path, O_RDWR | O_CLOEXEC)
            child = try ChildProcess(
                ["sh", "-c", "exec '\(Executable.capturegate)' record - \(options) >'\(path)'"], in: workspace)
            try await waitUntilFull()
        }

        /// Returns when nothing more fits.
        private func waitUntilFull() async throws {
            let pipe = pipe
            try await offPool {
                for _ in 0..<6000 {
                    var item = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
                    if poll(&item, 1, 0) == 0 { return }
                    usleep(10_000)
                }
                throw Failure("the pipe never was full")
            }
        }

        func events() async throws -> [String] {
            let log = try Document(try await workspace.capturegate("log", "--json").output)
            return log["entries"].elements.compactMap { entry in
                let event = entry["event"]
                guard let kind = event["kind"].string, let capability = event["capability"].string else { return nil }
                return ["stop", "revocation"].contains(kind) ? "\(kind) \(capability)" : nil
            }
        }

        func end() { close(pipe) }
    }

    @Test("after a revocation the program ends, and the log has an end for each device")
    func revoked() async throws {
        let stuck = try await Stuck("--camera test:bars --microphone test:tone --video-codec raw")
        defer { stuck.end() }
        _ = try await stuck.workspace.capturegate("revoke", "camera")
        let ending = try await stuck.child.finish()
        #expect(ending.code == 74 && ending.errors.contains("Nothing has read standard output"), "\(ending)")
        #expect(try await stuck.events().sorted() == ["revocation camera", "stop microphone"])
    }

    @Test(
        "one Ctrl-C ends it, in every format",
        arguments: [
            "--camera test:bars --format raw", "--camera test:bars --format y4m", "--camera test:bars --format mjpeg",
            "--camera test:bars --microphone test:tone", "--microphone test:tone --format wav --rate 192000",
            "--camera test:bars --video-codec raw --tee tee.mkv",
        ])
    func interrupted(options: String) async throws {
        let stuck = try await Stuck(options)
        defer { stuck.end() }
        stuck.child.send(SIGINT)
        let ending = try await stuck.child.finish()
        #expect(ending.code == 74 && ending.errors.contains("Nothing has read standard output"), "\(ending)")
        #expect(try await stuck.events().contains { $0.hasPrefix("stop ") })
    }
}
