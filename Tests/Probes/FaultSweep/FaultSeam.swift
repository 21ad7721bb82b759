import CMedia

/// The seam of the shims, which a release build does not have.
enum FaultSeam {
    static func plan(_ fault: PlannedFault) {
        #if DEBUG
            cm_faults_plan(fault.call, fault.nth, fault.error, fault.span)
        #endif
    }

    /// How many calls failed since the plan was made.
    static var made: Int64 {
        #if DEBUG
            cm_faults_made()
        #else
            0
        #endif
    }

    /// Whether it knows the names of all calls since the plan was made.
    static var keptAll: Bool {
        #if DEBUG
            cm_faults_seen() == 0 || cm_faults_call(cm_faults_seen()) != nil
        #else
            true
        #endif
    }

    /// The names of the calls since the plan was made.
    static var calls: [String] {
        #if DEBUG
            (1...max(1, cm_faults_seen())).compactMap { cm_faults_call($0).map { String(cString: $0) } }
        #else
            []
        #endif
    }
}
