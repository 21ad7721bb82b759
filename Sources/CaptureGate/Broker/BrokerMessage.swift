import CaptureRealtime
import Gate

/// A message between a program and the broker: a request, its reply, or an event.
///
/// *thread-safe*
package enum BrokerMessage: Hashable, Sendable {
    case request(BrokerRequest)
    case reply(BrokerReply)
    case event(BrokerEvent)

    /// Number of its kind in the header.
    var kind: UInt16 {
        switch self {
        case .request(let request): request.kind
        case .reply(let reply): reply.kind
        case .event(let event): event.kind
        }
    }

    /// A message of that kind, to be overwritten by reading; `nil` for a kind that there is not.
    init?(blankOf kind: UInt16) {
        guard let blank = Self.blanks.first(where: { $0.kind == kind }) else { return nil }
        self = blank
    }

    /// One message of each kind.
    package static let blanks =
        BrokerRequest.blanks.map(BrokerMessage.request) + BrokerReply.blanks.map(BrokerMessage.reply)
        + BrokerEvent.blanks.map(BrokerMessage.event)

    /// Set for messages that answer nothing and want no answer: the number of their request is 0.
    var isEvent: Bool { if case .event = self { true } else { false } }

    /// Number of descriptors that come with it.
    package var descriptors: Int {
        switch self {
        // The process that is spoken for.
        case .request(.hello(let hello)) where hello.role == .deputy: 1
        // The ring, and what wakes its reader.
        case .reply(.opened): 2
        default: 0
        }
    }

    mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        switch self {
        case .request(var request):
            try request.code(&coder)
            self = .request(request)
        case .reply(var reply):
            try reply.code(&coder)
            self = .reply(reply)
        case .event(var event):
            try event.code(&coder)
            self = .event(event)
        }
    }
}

/// A request of a program or an agent; the broker replies to each, under its number.
///
/// *thread-safe*
package enum BrokerRequest: Hashable, Sendable {
    /// The first of a connection. A deputy's comes with a descriptor: its program's process, by pidfd_open(2). Reply: `welcome`.
    case hello(BrokerHello)
    /// Reads decisions, a part at a time. Reply: `decisions`.
    case decisions(DecisionQuery)
    /// Has an agent ask the person. Reply: `asked`.
    case ask(DeviceList)
    /// Takes a question of this connection back, by the number of its request. Reply: `done`; that of the question comes
    /// anyway.
    case withdraw(UInt32)
    /// Opens a device. Reply: `opened`.
    case open(StreamOrder)
    /// Opens the device of a stream again, which was unplugged, under the permission that it has. Reply: `opened`.
    case reopen(StreamReturn)
    /// Starts a stream. Reply: `done`.
    case start(UInt32)
    /// Stops a stream; it can be started again. Reply: `done`.
    case stop(UInt32)
    /// Closes a stream. Reply: `done`.
    case close(StreamReport)
    /// Asks an idle device for its formats. Reply: `formats`.
    case formats(DeviceChoice)
    /// Reads a device's controls. Reply: `controls`.
    case controls(DeviceChoice)
    /// Sets a control and reads it back. Reply: `controls`, with this one alone.
    case set(ControlOrder)
    /// Switches all devices of a capability off, or on again. Reply: `recorded`.
    case killSwitch(SwitchOrder)
    /// Stores decisions by command; the person confirms through an agent. Reply: `recorded`.
    case grant(GrantOrder)
    /// Removes decisions by their numbers; the person confirms through an agent. Reply: `recorded`.
    case revoke(RevokeOrder)
    /// Uses up grants for once that a built-in test device was opened by: no broker opens those. Reply: `recorded`.
    case spend(RevokeOrder)
    /// An agent's answer to a question. Reply: `done`.
    case answer(AgentAnswer)
    /// Switches all devices of a capability off for everybody, or on again; polkit says who may. Reply: `recorded`.
    case machineSwitch(SwitchOrder)

    /// True for what a deputy may ask for: it captures for a program, and changes nothing in its name.
    package var isOfDeputies: Bool {
        switch self {
        case .set, .killSwitch, .grant, .revoke, .answer, .machineSwitch: false
        case .hello, .decisions, .ask, .withdraw, .open, .reopen, .start, .stop, .close, .formats, .controls, .spend:
            true
        }
    }

    package static let blanks: [BrokerRequest] = [
        .hello(.blank), .decisions(.blank), .ask(.blank), .withdraw(0), .open(.blank), .reopen(.blank), .start(0),
        .stop(0), .close(.blank), .formats(.blank), .controls(.blank), .set(.blank), .killSwitch(.blank),
        .grant(.blank), .revoke(.blank), .spend(.blank), .answer(.blank),
        .machineSwitch(.blank),
    ]

    var kind: UInt16 {
        switch self {
        case .hello: 0x0001
        case .decisions: 0x0002
        case .ask: 0x0003
        case .withdraw: 0x0004
        case .open: 0x0005
        case .reopen: 0x0006
        case .start: 0x0007
        case .stop: 0x0008
        case .close: 0x0009
        case .formats: 0x000A
        case .controls: 0x000B
        case .set: 0x000C
        case .killSwitch: 0x000D
        case .grant: 0x000E
        case .revoke: 0x000F
        case .spend: 0x0010
        case .answer: 0x0011
        case .machineSwitch: 0x0012
        }
    }

    mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        switch self {
        case .hello(let body): self = .hello(try coder.passed(body))
        case .decisions(let body): self = .decisions(try coder.passed(body))
        case .ask(let body): self = .ask(try coder.passed(body))
        case .withdraw(let body): self = .withdraw(try coder.passed(body))
        case .open(let body): self = .open(try coder.passed(body))
        case .reopen(let body): self = .reopen(try coder.passed(body))
        case .start(let body): self = .start(try coder.passed(body))
        case .stop(let body): self = .stop(try coder.passed(body))
        case .close(let body): self = .close(try coder.passed(body))
        case .formats(let body): self = .formats(try coder.passed(body))
        case .controls(let body): self = .controls(try coder.passed(body))
        case .set(let body): self = .set(try coder.passed(body))
        case .killSwitch(let body): self = .killSwitch(try coder.passed(body))
        case .grant(let body): self = .grant(try coder.passed(body))
        case .revoke(let body): self = .revoke(try coder.passed(body))
        case .spend(let body): self = .spend(try coder.passed(body))
        case .answer(let body): self = .answer(try coder.passed(body))
        case .machineSwitch(let body): self = .machineSwitch(try coder.passed(body))
        }
    }
}

/// A reply of the broker's, under the number of its request.
///
/// *thread-safe*
package enum BrokerReply: Hashable, Sendable {
    case welcome(BrokerWelcome)
    case decisions(DecisionPage)
    case asked(QuestionEnd)
    /// Comes with two descriptors: the ring's memory and the reader's wake-up, in this order.
    case opened(LentDevice)
    case formats(LentFormats)
    case controls(LentControls)
    /// Decisions as they are stored or removed now.
    case recorded(RecordedDecisions)
    case done
    /// The request had no effect.
    case failed(BrokerFailure)

    package static let blanks: [BrokerReply] = [
        .welcome(.blank), .decisions(.blank), .asked(.blank), .opened(.blank), .formats(.blank), .controls(.blank),
        .recorded(.blank), .done, .failed(.blank),
    ]

    var kind: UInt16 {
        switch self {
        case .welcome: 0x4001
        case .decisions: 0x4002
        case .asked: 0x4003
        case .opened: 0x4004
        case .formats: 0x4005
        case .controls: 0x4006
        case .recorded: 0x4007
        case .done: 0x4008
        case .failed: 0x4009
        }
    }

    mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        switch self {
        case .welcome(let body): self = .welcome(try coder.passed(body))
        case .decisions(let body): self = .decisions(try coder.passed(body))
        case .asked(let body): self = .asked(try coder.passed(body))
        case .opened(let body): self = .opened(try coder.passed(body))
        case .formats(let body): self = .formats(try coder.passed(body))
        case .controls(let body): self = .controls(try coder.passed(body))
        case .recorded(let body): self = .recorded(try coder.passed(body))
        case .done: break
        case .failed(let body): self = .failed(try coder.passed(body))
        }
    }
}

/// Something that the broker tells unasked.
///
/// *thread-safe*
package enum BrokerEvent: Hashable, Sendable {
    /// The gate has ended a stream's capture: nothing comes any more, and its ring is wiped.
    case ended(StreamEnd)
    /// Decisions or rules may have changed.
    case changed
    /// A stream's device was unplugged or failed.
    case gone(StreamLoss)
    /// To an agent: a question for the person.
    case question(AgentQuestion)
    /// To an agent: nobody waits for the answer any more.
    case withdrawn(UInt32)

    package static let blanks: [BrokerEvent] = [
        .ended(.blank), .changed, .gone(.blank), .question(.blank), .withdrawn(0),
    ]

    var kind: UInt16 {
        switch self {
        case .ended: 0x8001
        case .changed: 0x8002
        case .gone: 0x8003
        case .question: 0x8004
        case .withdrawn: 0x8005
        }
    }

    mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        switch self {
        case .ended(let body): self = .ended(try coder.passed(body))
        case .changed: break
        case .gone(let body): self = .gone(try coder.passed(body))
        case .question(let body): self = .question(try coder.passed(body))
        case .withdrawn(let body): self = .withdrawn(try coder.passed(body))
        }
    }
}
