import ArgumentParser

/// `capturegate policy`
struct PolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Work with the administrator's policy files.",
        discussion: """
            The policy stands above what people decide: /etc/capturegate/policy.d/*.yaml.

              capturegate policy check
              capturegate policy check ./policy.d
            """,
        subcommands: [PolicyCheckCommand.self])
}
