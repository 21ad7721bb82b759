import CaptureGate
import GateStore
import Testing

/// The machine's own rules, in a mount namespace whose /etc is this machine's with another policy laid over it.
@Suite("the administrator's rules", .serialized, .fewAtOnce)
struct PolicyInForceTests {
    /// Runs a script as root of a namespace; `$policy` is the directory of rules, which does not exist yet, and `allowed` and
    /// `refused` print the exit codes of captures.
    private func run(_ script: String, in workspace: Workspace? = nil) async throws -> Ending {
        try await (workspace ?? Workspace()).mounting(
            """
            mkdir laid
            mount -t tmpfs none laid
            mkdir laid/upper laid/work
            mount -t overlay -o lowerdir=/etc,upperdir=laid/upper,workdir=laid/work overlay /etc
            rm -rf /etc/capturegate
            policy=/etc/capturegate/policy.d
            rules() { mkdir -p -m 755 $policy; (printf 'version: 1\\nrules:\\n'; cat) > $policy/$1; chmod 644 $policy/$1; }
            sound() { $capturegate record null: --microphone test:tone --for 100ms && echo "sound 0" || echo "sound $?"; }
            picture() { $capturegate record null: --camera test:bars --for 100ms && echo "picture 0" || echo "picture $?"; }
            \(script)
            """)
    }

    private func codes(_ ending: Ending) -> [String] {
        ending.output.split(separator: "\n").map(String.init).filter {
            $0.hasPrefix("sound ") || $0.hasPrefix("picture ")
        }
    }

    @Test("a rule that denies stands above a grant, and is named with its file, line and reason")
    func deny() async throws {
        let ending = try await run(
            """
            $capturegate grant microphone --always; $capturegate grant camera --always
            rules 10-room.yaml <<END
              - deny: microphone
                reason: No recording in this room.
            END
            sound; picture; $capturegate grant microphone --always
            """)
        #expect(codes(ending) == ["sound 77", "picture 0"], "\(ending)")
        #expect(ending.errors.contains("/etc/capturegate/policy.d/10-room.yaml, line 3): No recording in this room."))
        #expect(ending.errors.contains("the permission has no effect"))
    }

    @Test("a rule that allows needs no person; without one that speaks of it somebody must be asked")
    func allow() async throws {
        let ending = try await run(
            """
            rules 10.yaml <<END
              - allow: camera
            END
            sound; picture; $capturegate status
            """)
        #expect(codes(ending) == ["sound 77", "picture 0"], "\(ending)")
        #expect(ending.output.contains("1 rule in 1 file"))
    }

    @Test("a rule that denies until a date does so though the store has seen a later clock; one that allows is over")
    func laterClock() async throws {
        let workspace = try Workspace()
        let store = try SQLiteGrantStore(directory: workspace.store)
        let ahead = GateInstant(wallNanoseconds: 4_102_444_800_000_000_000, bootNanoseconds: 0, bootID: "another")
        try store.append(AuditEvent(.removal, at: ahead, subject: nil, detail: "under a clock that was ahead"))
        let ending = try await run(
            """
            rules 10.yaml <<END
              - deny: microphone
                until: 2099-01-01T00:00:00Z
              - allow: camera
                until: 2099-01-01T00:00:00Z
            END
            $capturegate grant microphone --always
            sound; picture
            """, in: workspace)
        #expect(codes(ending) == ["sound 77", "picture 77"], "\(ending)")
        #expect(ending.errors.contains("10.yaml, line 3"))
    }

    @Test(
        "a place of rules that leads nowhere refuses what was granted, and the check says so",
        arguments: [
            "mkdir -p /etc/capturegate; ln -s /mnt/not-mounted $policy", "ln -s /mnt/not-mounted /etc/capturegate",
            "mkdir -p /etc/capturegate; ln -s policy.d $policy", ": > /etc/capturegate",
            "mkdir -p /etc/capturegate; : > $policy",
        ])
    func nowhere(deed: String) async throws {
        let ending = try await run(
            """
            $capturegate grant microphone --always
            sound; \(deed)
            sound; $capturegate policy check && echo "sound check 0" || echo "sound check $?"
            """)
        #expect(codes(ending) == ["sound 0", "sound 78", "sound check 78"], "\(ending)")
    }

    @Test("the first rule that matches decides, in the order of files and lines")
    func order() async throws {
        let ending = try await run(
            """
            rules 10.yaml <<END
              - allow: camera
                until: 2001-01-01T00:00:00Z
              - deny: camera
            END
            rules 20.yaml <<END
              - allow: any
                executable: $(readlink -f $capturegate)
            END
            sound; picture
            """)
        #expect(codes(ending) == ["sound 0", "picture 77"], "\(ending)")
        #expect(ending.errors.contains("10.yaml, line 5"))
    }

    @Test(
        "rules that can't be understood, read or trusted refuse what was granted",
        arguments: [
            "printf 'version: 1\\nrules: [\\n' > $policy/a.yaml", "chmod 666 $policy/a.yaml", "chmod 777 $policy",
            "mkdir $policy/b.yaml", "chmod 000 $policy/a.yaml", "chmod 000 $policy",
            "chown 4242 $policy/a.yaml || mount --bind /usr $policy",
        ])
    func unreadable(deed: String) async throws {
        // Root of a namespace reads anything: without these two rights it reads what its files' modes allow.
        let ending = try await run(
            """
            $capturegate grant microphone --always
            rules a.yaml <<END
              - allow: camera
            END
            sound; \(deed)
            capturegate="setpriv --bounding-set=-dac_override,-dac_read_search $capturegate"
            sound; picture
            """)
        #expect(codes(ending) == ["sound 0", "sound 78", "picture 78"], "\(ending)")
        #expect(ending.errors.contains("capturegate policy check"))
    }

    @Test(
        "rules that vanish or break while a capture runs end it",
        arguments: [
            "rm -r $policy", "mv $policy ${policy}x", "echo '{' > $policy/a.yaml", "chmod 666 $policy/a.yaml",
            "printf 'version: 1\\nrules:\\n  - deny: any\\n' > $policy/a.yaml",
        ])
    func whileRunning(deed: String) async throws {
        let ending = try await run(
            """
            rules a.yaml <<END
              - allow: microphone
            END
            mkfifo events
            $capturegate record null: --microphone test:tone --for 1h --json > events & recording=$!
            exec 3< events
            head -n 1 <&3
            \(deed)
            wait $recording && echo "sound 0" || echo "sound $?"
            """)
        #expect(["sound 77", "sound 78"].contains(codes(ending).last ?? ""), "\(ending)")
    }
}
