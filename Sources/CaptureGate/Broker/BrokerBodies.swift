import CaptureRealtime
import Gate

/// First request of a connection.
package struct BrokerHello: BrokerField, Hashable, Sendable {
    /// Part that a program plays: capture, or put questions to the person, or capture for another program, whose process comes
    /// with the hello.
    package enum Role: Hashable, Sendable {
        case client, agent, deputy
    }

    /// Oldest version that the program speaks.
    package var lowest = BrokerLimit.versions.lowerBound
    /// Newest version that the program speaks.
    package var highest = BrokerLimit.versions.upperBound
    package var role = Role.client

    package static var blank: BrokerHello { BrokerHello() }
    package init(_ role: Role = .client) { self.role = role }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.number(&lowest)
        try coder.number(&highest)
        guard lowest <= highest else { throw .value }
        try coder.choice(&role, among: [.client, .agent, .deputy])
    }
}

/// Answer to the first request.
package struct BrokerWelcome: BrokerField, Hashable, Sendable {
    /// The version that both speak from here on.
    package var version = BrokerLimit.versions.upperBound
    /// The program as the broker knows it, from the kernel: decisions are about this one.
    package var subject = Subject.blank

    package static var blank: BrokerWelcome { BrokerWelcome() }
    package init(subject: Subject = .blank) { self.subject = subject }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.number(&version)
        try coder.field(&subject)
    }
}

/// Range of decisions to read.
package struct DecisionQuery: BrokerField, Hashable, Sendable {
    /// False for those about the program that asks; true for all of its user's, which agents alone may read.
    package var isOfUser = false
    /// Number of entries that were read before.
    package var start: UInt32 = 0

    package static var blank: DecisionQuery { DecisionQuery() }
    package init(isOfUser: Bool = false, start: UInt32 = 0) {
        self.isOfUser = isOfUser
        self.start = start
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.field(&isOfUser)
        try coder.number(&start)
    }
}

/// A decision in the store, or a grant for once that was used up.
package struct StoredDecision: BrokerField, Hashable, Sendable {
    package var isConsumed = false
    package var decision = Decision.blank

    package static var blank: StoredDecision { StoredDecision() }
    package init() {}
    package init(_ decision: Decision, isConsumed: Bool) {
        self.isConsumed = isConsumed
        self.decision = decision
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.field(&isConsumed)
        try coder.field(&decision)
    }
}

/// As many decisions as one packet takes, of one reading of the store.
package struct DecisionPage: BrokerField, Hashable, Sendable {
    /// The store's version: pages of different versions do not belong together.
    package var version: Int64 = 0
    /// Latest wall time that the store has seen, ns since 1970.
    package var latest: Int64 = 0
    /// Capabilities that are switched off for this user.
    package var switchedOff: [CapabilityName] = []
    /// Set if more entries follow.
    package var hasMore = false
    package var entries: [StoredDecision] = []

    package static var blank: DecisionPage { DecisionPage() }
    package init() {}
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.number(&version)
        try coder.number(&latest)
        try coder.list(&switchedOff)
        try coder.field(&hasMore)
        try coder.list(&entries)
    }

    /// Page of a reading of the store.
    ///
    /// - Parameters:
    ///   - snapshot: the reading, with the decisions that the reader may see.
    ///   - start: number of entries to skip.
    /// - Throws: if a single decision is too large for a packet.
    package init(of snapshot: StoreSnapshot, from start: Int) throws(BrokerFault) {
        let all =
            snapshot.decisions.map { StoredDecision($0, isConsumed: false) }
            + (snapshot.consumed ?? []).map { StoredDecision($0, isConsumed: true) }
        version = snapshot.version ?? 0
        latest = snapshot.latestSinceEpoch.exactNanoseconds
        switchedOff = snapshot.killSwitches.sorted { $0.rawValue < $1.rawValue }
        var coder = FieldCoder()
        _ = try coder.passed(self)
        var room = BrokerLimit.packet - BrokerPacket.header - coder.bytes.count
        for entry in all.dropFirst(start).prefix(BrokerLimit.entries) {
            var coder = FieldCoder()
            _ = try coder.passed(entry)
            room -= coder.bytes.count
            guard room >= 0 else { break }
            entries.append(entry)
        }
        hasMore = start + entries.count < all.count
        if hasMore, entries.isEmpty { throw .size }
    }
}

/// Devices that a program asks the person for, in one question.
package struct DeviceList: BrokerField, Hashable, Sendable {
    package var requests: [DeviceRequest] = []

    package static var blank: DeviceList { DeviceList() }
    package init(_ requests: [DeviceRequest] = []) { self.requests = requests }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.list(&requests, most: BrokerLimit.items)
    }
}

/// End of a question that an agent was asked, and of its `ask`.
///
/// A yes or a no to devices is in the store by the time its program hears of it.
package enum QuestionEnd: BrokerField, Hashable, Sendable {
    case allow(Lifetime)
    case deny
    case dismissed
    case timedOut
    case failed(BrokerFailure)

    package static var blank: QuestionEnd { .dismissed }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (tag, lifetime, failure) = (UInt8(0), Lifetime.once, BrokerFailure.blank)
        switch self {
        case .allow(let own): (tag, lifetime) = (0, own)
        case .deny: tag = 1
        case .dismissed: tag = 2
        case .timedOut: tag = 3
        case .failed(let own): (tag, failure) = (4, own)
        }
        try coder.tag(&tag, upTo: 4)
        switch tag {
        case 0: self = .allow(try coder.passed(lifetime))
        case 1: self = .deny
        case 2: self = .dismissed
        case 3: self = .timedOut
        default: self = .failed(try coder.passed(failure))
        }
    }
}

/// A device by its id and its kind.
package struct DeviceChoice: BrokerField, Hashable, Sendable {
    package var device = DeviceID.blank
    package var capability = CapabilityName.blank

    package static var blank: DeviceChoice { DeviceChoice() }
    package init() {}
    package init(_ device: DeviceID, _ capability: CapabilityName) {
        self.device = device
        self.capability = capability
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.field(&device)
        try coder.field(&capability)
    }
}

/// Request to switch all devices of a capability off, or on again.
package struct SwitchOrder: BrokerField, Hashable, Sendable {
    package var capability = CapabilityName.blank
    package var isOff = true

    package static var blank: SwitchOrder { SwitchOrder() }
    package init() {}
    package init(_ capability: CapabilityName, isOff: Bool) {
        self.capability = capability
        self.isOff = isOff
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.field(&capability)
        try coder.field(&isOff)
    }
}

/// Decisions to be stored by command. Numbers, deciders and moments in them are the broker's to set.
package struct GrantOrder: BrokerField, Hashable, Sendable {
    package var decisions: [Decision] = []

    package static var blank: GrantOrder { GrantOrder() }
    package init(_ decisions: [Decision] = []) { self.decisions = decisions }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.list(&decisions, most: BrokerLimit.items)
    }
}

/// Numbers of decisions to be removed.
package struct RevokeOrder: BrokerField, Hashable, Sendable {
    package var ids: [Int64] = []

    package static var blank: RevokeOrder { RevokeOrder() }
    package init(_ ids: [Int64] = []) { self.ids = ids }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) { try coder.list(&ids) }
}

/// Decisions that were stored or removed, with their numbers.
package struct RecordedDecisions: BrokerField, Hashable, Sendable {
    /// Time at which the change was durable, CLOCK_MONOTONIC in ns.
    package var committed: Int64 = 0
    package var decisions: [Decision] = []

    package static var blank: RecordedDecisions { RecordedDecisions() }
    package init() {}
    package init(_ commit: StoreCommit) {
        committed = commit.committed.exactNanoseconds
        decisions = commit.decisions
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.number(&committed)
        try coder.list(&decisions)
    }
}

/// Question to an agent.
package struct AgentQuestion: BrokerField, Hashable, Sendable {
    /// Content of a question.
    package enum Content: BrokerField, Hashable, Sendable {
        case devices(Question)
        /// Yes or no: `allow` with any lifetime means yes.
        case confirmation(ConfirmationRequest)

        package static var blank: Content { .confirmation(.blank) }
        package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
            var (tag, question, confirmation) = (UInt8(0), Question.blank, ConfirmationRequest.blank)
            switch self {
            case .devices(let own): (tag, question) = (0, own)
            case .confirmation(let own): (tag, confirmation) = (1, own)
            }
            try coder.tag(&tag, upTo: 1)
            if tag == 0 {
                self = .devices(try coder.passed(question))
            } else {
                self = .confirmation(try coder.passed(confirmation))
            }
        }
    }

    /// The broker's number of it.
    package var number: UInt32 = 0
    package var content = Content.blank

    package static var blank: AgentQuestion { AgentQuestion() }
    package init() {}
    package init(_ number: UInt32, _ content: Content) {
        self.number = number
        self.content = content
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.number(&number)
        try coder.field(&content)
    }
}

/// An agent's answer.
package struct AgentAnswer: BrokerField, Hashable, Sendable {
    /// The question's number.
    package var number: UInt32 = 0
    package var end = QuestionEnd.blank
    /// Name of the prompter, for the audit log.
    package var prompter = ""

    package static var blank: AgentAnswer { AgentAnswer() }
    package init() {}
    package init(to number: UInt32, _ end: QuestionEnd, by prompter: String) {
        self.number = number
        self.end = end
        self.prompter = prompter
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.number(&number)
        try coder.field(&end)
        try coder.text(&prompter)
    }
}
