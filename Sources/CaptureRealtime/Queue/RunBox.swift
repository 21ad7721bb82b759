/// Carries a run, which can't be copied, into a block, which can't consume what it captured.
final class RunTransfer<Run: CaptureRun & ~Copyable>: @unchecked Sendable {
    // Sendable by hand: it is filled before the block is enqueued and emptied by the block, which runs once.
    private var run: Run?

    init(_ run: consuming Run) {
        self.run = consume run
    }

    func take() -> Run? {
        run.take()
    }
}
