extension Workspace {
    /// Runs capturegate to its end; there is no terminal to ask at.
    func capturegate(_ arguments: String...) async throws -> Ending {
        try await capturegate(arguments)
    }

    func capturegate(_ arguments: [String]) async throws -> Ending {
        try await run([Executable.capturegate] + arguments)
    }

    /// Runs any program to its end.
    func run(_ command: [String]) async throws -> Ending {
        try await ChildProcess(command, in: self).finish()
    }

    /// Starts capturegate and leaves it running.
    func start(_ arguments: String..., terminal: PseudoTerminal? = nil) throws -> ChildProcess {
        try start(arguments, terminal: terminal)
    }

    func start(_ arguments: [String], terminal: PseudoTerminal? = nil) throws -> ChildProcess {
        try ChildProcess([Executable.capturegate] + arguments, in: self, terminal: terminal?.path)
    }
}
