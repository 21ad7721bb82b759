import Glibc

/// Starts a program in a separate session.
struct Spawn {
    let command: [String]
    let environment: [String: String]
    let folder: String
    /// Path of standard input; a terminal becomes the session's controlling terminal.
    let input: String
    let output: Int32
    let errors: String

    func start() throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Self.likeAShell(&attributes)
        return try launch(&actions, &attributes)
    }

    /// A new session, and the signals as a terminal's shell hands them on: not ignored, not blocked.
    private static func likeAShell(_ attributes: inout posix_spawnattr_t) {
        var all = sigset_t()
        sigfillset(&all)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        let newSession: Int32 = 0x80
        posix_spawnattr_setflags(
            &attributes, Int16(newSession | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)))
    }

    private func launch(
        _ actions: inout posix_spawn_file_actions_t, _ attributes: inout posix_spawnattr_t
    ) throws -> pid_t {
        var arguments = (["env", "-C", folder] + command).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id: pid_t = 0
        let outcome = posix_spawnp(&id, "env", &actions, &attributes, &arguments, &variables)
        guard outcome == 0 else { throw Failure("\(command[0]) could not be started (error \(outcome))") }
        return id
    }
}
