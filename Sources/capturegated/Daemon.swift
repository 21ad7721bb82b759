import CaptureGate
import GateBroker
import LinuxSystem

/// Entry point of the broker's process: serves until a signal ends it.
@main
enum Daemon {
    /// Prepares the process before its first thread, serves, and waits for a signal.
    static func main() {
        // So that no file takes one of the first three descriptors.
        Provision.fillStreams()
        // A client that is gone is an error of a call, not of the process.
        Signals.ignoreBrokenPipes()
        // Before the first thread, since each one inherits its creator's mask.
        let signals = Signals([Signals.interrupt, Signals.terminate])
        signals.block()
        do throws(CaptureError) {
            try Provision.begin()
            let server = try BrokerServer(BrokerConfiguration(arguments: Array(Provision.arguments)))
            server.start()
            _ = signals.wait()
            // Detached: this thread waits for the next signal, which ends the process whatever still runs.
            Task.detached {
                await server.stop()
                Signals.endProcess(status: 0)
            }
            // Twice asked, it goes at once.
            _ = signals.wait()
            Signals.endProcess(status: 1)
        } catch {
            tell(error)
            // The service manager starts it again only if that may help.
            Signals.endProcess(status: error.kind == .usage ? 64 : 1)
        }
    }

    /// Writes an error and what to do, a sentence each, for the service manager's journal.
    private static func tell(_ error: CaptureError) {
        let lines = ["capturegated: \(error.message)"] + error.remedies.map(\.text)
        _ = try? RawDescriptor.standardError.write(Array((lines.joined(separator: "\n") + "\n").utf8))
    }
}
