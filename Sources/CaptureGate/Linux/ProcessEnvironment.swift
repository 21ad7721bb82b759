import Gate
import GateStore

/// The environment variables of this process, read from the kernel: `getenv` races with `setenv` of other threads.
///
/// Whatever reads a variable that says where decisions are kept reads it here: what decides and what is decided with would
/// otherwise mean different stores.
enum ProcessEnvironment {
    /// As the process was started, as far as it can be read: for what decides nothing.
    static var current: [String: String] { (try? read()) ?? [:] }

    /// As the process was started; of a name that occurs twice the first, as getenv(3) has it.
    ///
    /// - Throws: `.store` where it can't be read to its end: where the decisions are would be a guess.
    static func read() throws(CaptureError) -> [String: String] {
        guard let text = SmallFile.bytes("/proc/self/environ", limit: mostBytes + 1) else {
            throw CaptureError(
                .store, "The kernel does not say which environment this is: /proc/self/environ can't be read.",
                remedies: [Remedy("Mount /proc, and make the program's file readable for this user.")])
        }
        guard text.count <= mostBytes else {
            throw CaptureError(
                .store,
                "The environment is longer than \(mostBytes >> 20) MiB, and where decisions are kept may stand beyond.",
                remedies: [Remedy("Take out what is too long.", command: "env | awk '{print length}' | sort -n | tail")]
            )
        }
        return variables(text)
    }

    /// More than the kernel lets a program be started with (6 MiB with its arguments, execve(2)).
    private static let mostBytes = 16 << 20

    /// - Parameter text: `NAME=value`, each ended by a zero.
    static func variables(_ text: [UInt8]) -> [String: String] {
        text.split(separator: 0).reduce(into: [:]) { variables, entry in
            guard let sign = entry.firstIndex(of: UInt8(ascii: "=")) else { return }
            let name = String(decoding: entry[..<sign], as: UTF8.self)
            guard variables[name] == nil else { return }
            variables[name] = String(decoding: entry[(sign + 1)...], as: UTF8.self)
        }
    }
}

extension SQLiteGrantStore {
    /// The folder of this user's store: the same for the gate and for every command.
    ///
    /// - Throws: `.store` where the environment can't be read or there is no home folder.
    package static func userDirectory() throws(CaptureError) -> String {
        try defaultDirectory(environment: ProcessEnvironment.read())
    }
}
