import CaptureGate
import Glibc

/// Where the program starts and ends.
///
/// The main thread waits for signals, and for nothing else; the command runs beside it and ends the process.
@main
enum Program {
    static func main() {
        Provision.fillStreams()
        ensureColumns()
        let dispatcher = SignalDispatcher()
        let invocation = Invocation(Provision.arguments, isText: Provision.areArgumentsText)
        do throws(CaptureError) {
            try Provision.begin()
        } catch {
            _exit(invocation.tell(error))
        }
        // Not on the main actor, whose thread waits.
        Task.detached {
            let status = await SignalDispatcher.$current.withValue(dispatcher) { await invocation.run() }
            // Not `exit`: what libraries clean up there, a thread of theirs or of the gate may be using still.
            fflush(nil)
            _exit(status)
        }
        dispatcher.wait()
    }

    /// The parser's library traps where a terminal, or COLUMNS, leaves a line less room than its indentation takes. Nothing
    /// else runs yet that could read the variable meanwhile.
    private static func ensureColumns() {
        let columns = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
        if columns ?? StandardStream.output.columns < 40 { setenv("COLUMNS", "40", 1) }
    }
}
