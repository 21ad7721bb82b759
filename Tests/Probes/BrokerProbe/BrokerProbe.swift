import CaptureBase
import GateBroker
import LinuxSystem

/// A broker for the tests of one user, in a separate process like the real one: prints "ready", and serves until nobody reads its
/// output any more.
///
/// usage: BrokerProbe FOLDER AGENT
@main
enum BrokerProbe {
    static func main() async {
        let words = CommandLine.arguments
        guard words.count == 3 else {
            print("usage: BrokerProbe FOLDER AGENT")
            Signals.endProcess(status: 64)
        }
        Signals.ignoreBrokenPipes()
        do {
            let configuration = try BrokerConfiguration(
                arguments: ["--socket", words[1] + "/broker", "--state", words[1], "--agent", words[2]])
            let server = try BrokerServer(configuration, trusting: [0, Users.effectiveID])
            server.start()
            print("ready", ProcessStart.processID)
            ProcessStart.flushStreams()
            // Errors alone: the pipe has no reader any more.
            var output = [PollItem(RawDescriptor.standardOutput.number, [])]
            _ = try? Poll.wait(for: &output, until: .never)
            await server.stop()
        } catch {
            print(error)
            Signals.endProcess(status: 1)
        }
    }
}
