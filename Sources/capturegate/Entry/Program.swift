import Glibc

/// Where the program starts and ends.
///
/// The main thread waits for signals, and for nothing else; the command runs beside it and ends the process.
@main
enum Program {
    static func main() {
        let desk = SignalDesk()
        let arguments = Array(CommandLine.arguments.dropFirst())
        let isText = Self.areArgumentsText
        // Not on the main actor, whose thread waits.
        Task.detached {
            let status = await SignalDesk.$current.withValue(desk) { await Invocation(arguments, isText: isText).run() }
            // Not `exit`: what libraries clean up there, a thread of theirs or of the gate may be using still.
            fflush(nil)
            _exit(status)
        }
        desk.wait()
    }

    /// Whether all arguments are UTF-8: of others, Swift's strings are not what was written.
    private static var areArgumentsText: Bool {
        (0..<Int(CommandLine.argc)).allSatisfy { index in
            CommandLine.unsafeArgv[index].map { String(validatingCString: $0) != nil } ?? true
        }
    }
}
