import Gate

// The gate's own types as fields of messages. Most of them can't be changed after they are made: their parts are passed one by
// one, and a new value is made from them.

extension DeviceID: BrokerField {
    package static var blank: DeviceID { DeviceID(rawValue: "") }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        self = DeviceID(rawValue: try coder.passed(rawValue))
    }
}

extension CapabilityName: BrokerField {
    package static var blank: CapabilityName { CapabilityName(rawValue: "") }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        self = CapabilityName(rawValue: try coder.passed(rawValue))
    }
}

extension AccessLevel: BrokerField {
    package static var blank: AccessLevel { AccessLevel(name: "", rank: 1) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (name, rank) = (name, rank)
        try coder.text(&name)
        try coder.size(&rank, in: 1...255)
        self = AccessLevel(name: name, rank: rank)
    }
}

extension DeviceSelector: BrokerField {
    package static var blank: DeviceSelector { .any }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var id: DeviceID? = if case .id(let id) = self { id } else { nil }
        try coder.optional(&id)
        self = id.map { .id($0) } ?? .any
    }
}

extension DeviceDescription: BrokerField {
    package static var blank: DeviceDescription { DeviceDescription(id: .blank, name: "") }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        self = DeviceDescription(id: try coder.passed(id), name: try coder.passed(name))
    }
}

extension DeviceRequest: BrokerField {
    package static var blank: DeviceRequest {
        DeviceRequest(capability: .blank, level: .blank, device: .any, purpose: "")
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        self = DeviceRequest(
            capability: try coder.passed(capability), level: try coder.passed(level),
            device: try coder.passed(device), purpose: try coder.passed(purpose),
            isShared: try coder.passed(isShared))
    }
}

extension GateInstant: BrokerField {
    package static var blank: GateInstant { GateInstant(wallNanoseconds: 0, bootNanoseconds: 0, bootID: "") }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        self = GateInstant(
            wallNanoseconds: try coder.passed(wallNanoseconds), bootNanoseconds: try coder.passed(bootNanoseconds),
            bootID: try coder.passed(bootID))
    }
}

extension LoginSession: BrokerField {
    package static var blank: LoginSession { LoginSession(leader: 0, startTicks: 0, bootID: "") }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var leader = leader
        try coder.number(&leader)
        self = LoginSession(
            leader: leader, startTicks: try coder.passed(startTicks), bootID: try coder.passed(bootID))
    }
}

extension ApplicationID: BrokerField {
    package static var blank: ApplicationID { ApplicationID(kind: .unit, name: "") }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var kind = kind
        try coder.choice(&kind, among: [.flatpak, .snap, .unit])
        self = ApplicationID(kind: kind, name: try coder.passed(name))
    }
}

extension Executable: BrokerField {
    package static var blank: Executable { Executable(path: "", inode: 0, sha256: "") }
    /// Without the stamp, which means something to those alone who see the same file system.
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        self = Executable(
            path: try coder.passed(path), inode: try coder.passed(inode), sha256: try coder.passed(sha256))
    }
}

extension Subject: BrokerField {
    package static var blank: Subject {
        Subject(userID: 0, groupIDs: [], executable: .blank, application: nil, session: .blank)
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (groups, application) = (groupIDs, application)
        let user = try coder.passed(userID)
        try coder.list(&groups)
        let executable = try coder.passed(executable)
        try coder.optional(&application)
        self = Subject(
            userID: user, groupIDs: groups, executable: executable, application: application,
            session: try coder.passed(session))
    }
}

extension Lifetime: BrokerField {
    package static var blank: Lifetime { .once }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (tag, session, limit) = (UInt8(0), LoginSession.blank, GateInstant.blank)
        switch self {
        case .once: tag = 0
        case .session(let own): (tag, session) = (1, own)
        case .until(let own): (tag, limit) = (2, own)
        case .always: tag = 3
        }
        try coder.tag(&tag, upTo: 3)
        switch tag {
        case 0: self = .once
        case 1: self = .session(try coder.passed(session))
        case 2: self = .until(try coder.passed(limit))
        default: self = .always
        }
    }
}

extension Decider: BrokerField {
    package static var blank: Decider { .system }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (tag, prompter, file, number) = (UInt8(0), "", "", 1)
        switch self {
        case .person(let name): (tag, prompter) = (0, name)
        case .command: tag = 1
        case .policy(let origin): (tag, file, number) = (2, origin.file, origin.line)
        case .system: tag = 3
        }
        try coder.tag(&tag, upTo: 3)
        switch tag {
        case 0: self = .person(prompter: try coder.passed(prompter))
        case 1: self = .command
        case 2:
            try coder.text(&file)
            try coder.size(&number, in: 1...Int(Int32.max))
            self = .policy(PolicyOrigin(file: file, line: number))
        default: self = .system
        }
    }
}

extension Decision: BrokerField {
    package static var blank: Decision {
        Decision(
            verdict: .deny, subject: .blank, capability: .blank, level: .blank, device: .any, lifetime: .always,
            decidedBy: .system, decidedAt: .blank)
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (id, verdict) = (id, verdict)
        try coder.optional(&id)
        try coder.choice(&verdict, among: [.allow, .deny])
        self = Decision(
            id: id, verdict: verdict, subject: try coder.passed(subject), capability: try coder.passed(capability),
            level: try coder.passed(level), device: try coder.passed(device), lifetime: try coder.passed(lifetime),
            decidedBy: try coder.passed(decidedBy), decidedAt: try coder.passed(decidedAt))
    }
}

extension Question.Item: BrokerField {
    package static var blank: Question.Item { Question.Item(request: .blank, device: .blank) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        self = Question.Item(request: try coder.passed(request), device: try coder.passed(device))
    }
}

extension Question: BrokerField {
    package static var blank: Question { Question(subject: .blank, items: [], lifetimes: []) }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (items, lifetimes, previous) = (items, lifetimes, previous?.decision)
        let subject = try coder.passed(subject)
        try coder.list(&items, most: BrokerLimit.items)
        try coder.list(&lifetimes, most: BrokerLimit.items)
        try coder.optional(&previous)
        // Only a permission is valid there.
        let grant = previous.flatMap { Grant($0) }
        guard (previous == nil) == (grant == nil) else { throw .value }
        self = Question(subject: subject, items: items, lifetimes: lifetimes, previous: grant)
    }
}

extension ConfirmationRequest: BrokerField {
    package static var blank: ConfirmationRequest { ConfirmationRequest("") }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        let title = try coder.passed(title)
        let message = try coder.passed(message)
        self = ConfirmationRequest(title, message: message, agreement: try coder.passed(agreement))
    }
}
