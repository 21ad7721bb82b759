extension GateInstant {
    /// Whether either clock says that this moment has come.
    ///
    /// After a reboot the boot clock of the limit says nothing; but a boot that lasts longer than the whole grant has
    /// outlived it, even with the wall clock set back in between.
    func hasPassed(at now: GateInstant, since start: GateInstant) -> Bool {
        if now.wallNanoseconds >= wallNanoseconds { return true }
        if now.bootID == bootID { return now.bootNanoseconds >= bootNanoseconds }
        return now.bootNanoseconds >= max(0, saturating(wallNanoseconds, minus: start.wallNanoseconds))
    }

    /// Whether each clock that can tell says that this moment has come: the wall clock, and in the same boot the boot clock,
    /// which nobody sets.
    func hasPassedForCertain(at now: GateInstant) -> Bool {
        guard now.wallNanoseconds >= wallNanoseconds else { return false }
        return now.bootID != bootID || now.bootNanoseconds >= bootNanoseconds
    }

    /// Nanoseconds until this moment comes on the clock that gets there first; 0 if it has.
    func remaining(at now: GateInstant) -> Int64 {
        let wall = saturating(wallNanoseconds, minus: now.wallNanoseconds)
        guard now.bootID == bootID else { return max(0, wall) }
        return max(0, min(wall, saturating(bootNanoseconds, minus: now.bootNanoseconds)))
    }

    /// The same moment, with a wall time that does not go before `latest`.
    func notBefore(wall latest: Int64) -> GateInstant {
        GateInstant(
            wallNanoseconds: max(wallNanoseconds, latest), bootNanoseconds: bootNanoseconds, bootID: bootID)
    }

    /// This moment and `nanoseconds` later, on both clocks; the last moment there is where that is beyond all.
    package func advanced(by nanoseconds: Int64) -> GateInstant {
        GateInstant(
            wallNanoseconds: saturating(wallNanoseconds, plus: nanoseconds),
            bootNanoseconds: saturating(bootNanoseconds, plus: nanoseconds), bootID: bootID)
    }

    private func saturating(_ value: Int64, plus other: Int64) -> Int64 {
        let (sum, overflow) = value.addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    private func saturating(_ value: Int64, minus other: Int64) -> Int64 {
        let (difference, overflow) = value.subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
