import Glibc

/// Where the program starts and ends.
@main
enum Program {
    static func main() async {
        // Before any thread is there: each thread inherits what is blocked.
        Signals.prepare()
        let status = await Invocation(Array(CommandLine.arguments.dropFirst())).run()
        exit(status)
    }
}
