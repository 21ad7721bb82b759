import FoundationEssentials
import Testing

@Suite("stores that can't be trusted or written", .serialized, .fewAtOnce)
struct RefusedStoreTests {
    /// Two that write and two that read; the last is a capture with a permanent permission.
    static let commands = [
        "grant camera --always", "status", "log --verify", "record a.wav --microphone test:tone --for 200ms",
    ]

    /// A change to the store, the text that the refusal must contain, and the command that it must suggest.
    struct Harm: Sendable, CustomTestStringConvertible {
        let deed: String
        let cause: String
        let command: String
        var testDescription: String { deed }

        init(_ deed: String, _ cause: String, _ command: String) {
            (self.deed, self.cause, self.command) = (deed, cause, command)
        }
    }

    static let harms = [
        Harm("chmod 777 .", "changed by other users", "chmod 700"),
        Harm("chmod 770 .", "changed by other users", "chmod 700"),
        Harm("chmod 666 grants.sqlite", "changed by other users", "chmod 600"),
        Harm("chmod 602 audit.head", "changed by other users", "chmod 600"),
        Harm("chmod 500 .", "is not writable", "chmod 700"),
        Harm("chmod 400 grants.sqlite", "can't be read and written", "chmod 600"),
        Harm("chmod 000 grants.sqlite", "can't be read and written", "chmod 600"),
        Harm("chmod 400 audit.head", "can't be read and written", "chmod 600"),
        Harm("chmod 000 .", "is not writable", "chmod 700"),
        Harm("mv grants.sqlite ../elsewhere; ln -s ../elsewhere grants.sqlite", "a symbolic link", "mv "),
        Harm("mv audit.head ../elsewhere; ln -s ../elsewhere audit.head", "a symbolic link", "mv "),
        Harm("rm grants.sqlite; mkdir grants.sqlite", "not a regular file", "mv "),
        Harm("head -c 30000 /dev/urandom > grants.sqlite", "damaged", "mv "),
        Harm("truncate -s 5000 grants.sqlite", "damaged", "mv "),
        Harm("printf '\\0\\0\\0\\143' | dd of=grants.sqlite bs=1 seek=60 conv=notrunc", "newer CaptureGate", "mv "),
        Harm("printf 'XXXX' | dd of=grants.sqlite bs=1 seek=68 conv=notrunc", "another program", "mv "),
    ]

    @Test("each refuses every command and every capture with 78, and says what to do", arguments: harms)
    func refused(harm: Harm) async throws {
        let workspace = try Workspace()
        #expect(try await workspace.ordinary("grant", "microphone", "--always").code == 0)
        _ = try await workspace.run(["sh", "-c", "cd state/capturegate && \(harm.deed)"])
        if Workspace.isRoot { _ = try await workspace.run(["chown", "-Rh", "65534:65534", workspace.store]) }
        for command in Self.commands {
            let ending = try await workspace.ordinary(command.split(separator: " ").map(String.init))
            #expect(ending.code == 78, "\(command): \(ending)")
            #expect(ending.errors.contains(harm.cause), "\(command): \(ending.errors)")
            #expect(ending.errors.contains(harm.command), "\(command): \(ending.errors)")
        }
        #expect(!workspace.names.contains { $0.hasPrefix("a.wav") })
    }

    @Test("a store of somebody else refuses every command and every capture")
    func foreign() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "microphone", "--always")
        // In a user namespace root's files seem to belong to nobody; root itself can give a directory away.
        let deed = Workspace.isRoot ? "chown 4242 $store/grants.sqlite" : "mount --bind /usr $store"
        for command in Self.commands {
            let ending = try await workspace.mounting(
                "store=state/capturegate; \(deed)\n$capturegate \(command) && exit 0 || exit $?")
            #expect(ending.code == 78, "\(command): \(ending)")
            #expect(ending.errors.contains("belongs to user"), "\(ending.errors)")
            #expect(ending.errors.contains("chown 0"), "\(ending.errors)")
        }
        #expect(!workspace.names.contains { $0.hasPrefix("a.wav") })
    }

    @Test("a file system that can't be written refuses every command and every capture")
    func readOnly() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "microphone", "--always")
        for command in Self.commands {
            let ending = try await workspace.mounting(
                """
                mount --bind state state
                mount -o remount,ro,bind state
                $capturegate \(command) && exit 0 || exit $?
                """)
            #expect(ending.code == 78, "\(command): \(ending)")
            #expect(ending.errors.contains("is on a read-only file system"), "\(ending.errors)")
            #expect(ending.errors.contains("findmnt -T"), "\(ending.errors)")
        }
        #expect(!workspace.names.contains { $0.hasPrefix("a.wav") })
    }

    @Test("a full disk refuses changes and captures, loses nothing, and goes on once there is room")
    func full() async throws {
        let ending = try await Workspace().mounting(
            """
            mkdir -p state
            mount -t tmpfs -o size=400k,mode=700 none state
            $capturegate grant microphone --always
            dd if=/dev/zero of=state/fill bs=1k 2>/dev/null || true
            for command in 'grant camera --always' 'record a.wav --microphone test:tone --for 200ms'; do
                $capturegate $command && echo "$command: 0" || echo "$command: $?"
            done
            ls
            rm state/fill
            $capturegate record b.wav --microphone test:tone --for 200ms
            $capturegate log --verify
            $capturegate status --json
            """)
        #expect(ending.code == 0, "\(ending)")
        #expect(ending.output.contains("grant camera --always: 78"))
        #expect(ending.output.contains("record a.wav --microphone test:tone --for 200ms: 78"))
        #expect(ending.errors.contains("is full. Nothing was changed") && ending.errors.contains("df -h"))
        #expect(!ending.output.contains("\na.wav"))
        #expect(ending.output.contains("The audit log is intact: 3 lines"))
        let status = try Document(ending.output.split(separator: "\n").last ?? "")
        #expect(status["decisions"].elements.map { $0["capability"] } == [.string("microphone")])
    }

    @Test(
        "a capture that runs ends when its store vanishes, is replaced, or may be written by others",
        arguments: [
            "rm -rf state/capturegate", "mv state/capturegate away", "chmod 777 state/capturegate",
            "chmod 666 state/capturegate/grants.sqlite",
            "echo x > y; chmod 600 y; mv y state/capturegate/grants.sqlite", "rm state/capturegate/grants.sqlite-wal",
        ])
    func running(deed: String) async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "microphone", "--always")
        let recording = try workspace.start("record", "null:", "--microphone", "test:tone", "--for", "1h", "--json")
        _ = try await recording.waitForLine(containing: "\"event\":\"start\"")
        _ = try await workspace.run(["sh", "-c", deed])
        let ending = try await recording.finish()
        #expect([77, 78].contains(ending.code), "\(ending.errors)")
        #expect(ending.output.contains("\"reason\":\"revoked\""))
    }
}
