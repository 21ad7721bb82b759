import Gate

extension GateInstant {
    /// This moment and so much later, on both clocks.
    func later(seconds: Int64) -> GateInstant {
        GateInstant(
            wallNanoseconds: wallNanoseconds + seconds * 1_000_000_000,
            bootNanoseconds: bootNanoseconds + seconds * 1_000_000_000, bootID: bootID)
    }
}
