import Gate

/// An error as it travels: its kind, its words, and its remedies, those of its causes among them.
package struct BrokerFailure: BrokerField, Hashable, Sendable {
    package var kind = CaptureError.Kind.unavailable
    package var errno: Int32 = 0
    package var message = ""
    package var remedies: [Remedy] = []

    package static var blank: BrokerFailure { BrokerFailure() }
    package init() {}

    /// Takes an error's words, cut to what a packet takes.
    package init(_ error: CaptureError) {
        kind = error.kind
        errno = error.errno
        message = String(decoding: error.message.utf8.prefix(BrokerLimit.text / 4), as: UTF8.self)
        remedies = Array(error.allRemedies.prefix(BrokerLimit.items))
    }

    /// The error for the program's own code.
    package var error: CaptureError { CaptureError(kind, message, errno: errno, remedies: remedies) }

    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.choice(&kind, among: Self.kinds)
        try coder.number(&errno)
        try coder.text(&message)
        try coder.list(&remedies, most: BrokerLimit.items)
    }

    /// All kinds, by their numbers in packets.
    package static let kinds: [CaptureError.Kind] = [
        .usage, .badInput, .noDevice, .unavailable, .deviceGone, .stalled, .busy, .fileExists, .inputOutput, .diskFull,
        .notAuthorized, .dismissed, .revoked, .expired, .notAsAsked, .configuration, .store, .cancelled, .timedOut,
        .conditionFailed, .deadlock,
    ]
}

extension Remedy: BrokerField {
    package static var blank: Remedy { Remedy("") }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var action = action
        let text = try coder.passed(text)
        try coder.optional(&action)
        self = Remedy(text, action)
    }
}

extension Remedy.Action: BrokerField {
    package static var blank: Remedy.Action { .showStatus }

    /// Steps without a detail, by their numbers in packets.
    private static let plain: [Remedy.Action] = [
        .listDevices, .showStatus, .showHiddenHolders, .showSwitches, .forgetLaterClock, .verifyLog, .checkPolicy,
        .recordThroughServer,
    ]

    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (tag, texts, grant, mode) = parts
        try coder.tag(&tag, upTo: 16)
        if Int(tag) < Self.plain.count {
            self = Self.plain[Int(tag)]
        } else if tag == 14 {
            self = .grant(try coder.passed(grant))
        } else if tag == 15 {
            self = .record(try coder.passed(mode))
        } else {
            let count = tag == 10 ? 4 : tag == 16 ? 3 : 1
            texts += [String](repeating: "", count: count - texts.count)
            for index in texts.indices { try coder.text(&texts[index]) }
            self = Self.made(tag, texts)
        }
    }

    /// Number, and details to be passed on.
    private var parts: (tag: UInt8, texts: [String], Remedy.Permission, Remedy.Mode) {
        let (grant, mode) = (Remedy.Permission.blank, Remedy.Mode.blank)
        switch self {
        case .listFormats(let device): return (8, [device], grant, mode)
        case .showControls(let device): return (9, [device], grant, mode)
        case .takeOver(let control, let device, let automatic, let manual):
            return (10, [control, device, automatic, manual], grant, mode)
        case .switchOn(let capability): return (11, [capability], grant, mode)
        case .recover(let path): return (12, [path], grant, mode)
        case .run(let command): return (13, [command], grant, mode)
        case .transcode(let path, let sound, let picture):
            return (16, [path, sound ? "sound" : "", picture ? "picture" : ""], grant, mode)
        case .grant(let own): return (14, [], own, mode)
        case .record(let own): return (15, [], grant, own)
        case .listDevices, .showStatus, .showHiddenHolders, .showSwitches, .forgetLaterClock, .verifyLog, .checkPolicy,
            .recordThroughServer:
            return (UInt8(Self.plain.firstIndex(of: self) ?? 0), [], grant, mode)
        }
    }

    /// A step of texts.
    private static func made(_ tag: UInt8, _ texts: [String]) -> Remedy.Action {
        switch tag {
        case 8: .listFormats(device: texts[0])
        case 9: .showControls(device: texts[0])
        case 10: .takeOver(control: texts[0], device: texts[1], automatic: texts[2], manual: texts[3])
        case 11: .switchOn(capability: texts[0])
        case 12: .recover(path: texts[0])
        case 16: .transcode(path: texts[0], sound: !texts[1].isEmpty, picture: !texts[2].isEmpty)
        default: .run(command: texts[0])
        }
    }
}

extension Remedy.Permission: BrokerField {
    package static var blank: Remedy.Permission { Remedy.Permission("") }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (program, device, level) = (program, device, level)
        let capability = try coder.passed(capability)
        try coder.optional(&program)
        try coder.optional(&device)
        try coder.optional(&level)
        self = Remedy.Permission(
            capability, to: program, device: device, level: level, isOnce: try coder.passed(isOnce))
    }
}

extension Remedy.Mode: BrokerField {
    package static var blank: Remedy.Mode {
        Remedy.Mode(device: "", width: 0, height: 0, frameRate: .blank, pixelFormat: .blank)
    }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        var (width, height) = (width, height)
        let device = try coder.passed(device)
        try coder.size(&width, in: 0...65_535)
        try coder.size(&height, in: 0...65_535)
        self = Remedy.Mode(
            device: device, width: width, height: height, frameRate: try coder.passed(frameRate),
            pixelFormat: try coder.passed(pixelFormat))
    }
}
