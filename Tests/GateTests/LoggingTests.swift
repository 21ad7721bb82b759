import Gate
import GateTestKit
import Logging
import Testing

@Suite("Logging of operations")
struct LoggingTests {
    /// Keeps the logged messages.
    struct Keeper: LogHandler {
        let lines: Record<String>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.append("\(event.level): \(event.message)\(event.metadata?["operation"] == nil ? " unmarked" : "")")
        }
    }

    @Test("Each step is a line: refusals and failures are notices, all else is for debugging")
    func lines() async {
        let world = World(answer: .deny)
        let lines = Record<String>()
        let observer = LoggingObserver(Logger(label: "test") { _ in Keeper(lines: lines) })
        let good = ClosureOperation("Good") { _ in }.observed(by: observer)
        await world.queue.add(good).result.ignore()
        #expect(
            lines.all == [
                "debug: Good was added", "debug: Good evaluates its conditions", "debug: Good executes",
                "debug: Good succeeded",
            ])
        let refused = ClosureOperation("Bad") { _ in }
            .adding(AuthorizedFor(Capability.Microphone())).observed(by: observer)
        await world.queue.add(refused).result.ignore()
        #expect(lines.all.contains("debug: Bad waits for Authorize(microphone)"))
        #expect(lines.all.last?.hasPrefix("notice: Bad was refused: /usr/bin/recorder may not use") == true)
        let failing = ClosureOperation("Worse") { _ throws(CaptureError) in throw CaptureError(.stalled, "It stalled.")
        }
        await world.queue.add(failing.observed(by: observer)).result.ignore()
        #expect(lines.all.last == "notice: Worse failed: It stalled.")
        world.queue.suspend()
        world.queue.add(good).cancel()
        #expect(lines.all.suffix(2) == ["debug: Good is ending", "debug: Good was cancelled"])
        world.queue.resume()
    }
}
