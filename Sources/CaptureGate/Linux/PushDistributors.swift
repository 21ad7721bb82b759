import Gate
import LinuxSystem

/// Registers this program for push messages with a distributor of the session bus.
///
/// Standard: UnifiedPush for D-Bus, 0.3.0 (`org.unifiedpush.Distributor2`), and where a distributor lacks that,
/// `org.unifiedpush.Distributor1`. The bus starts a distributor that it can start. Messages go to the program's own service on the
/// bus, which this library is not: it registers, and gets the endpoint.
///
/// *thread-safe*
public struct PushDistributors: PushRegistrar {
    /// Name of the program on the bus, such as `org.example.Memo`; distributors use it to start the program.
    public let application: String
    /// Secret that identifies the registration to the distributor.
    public let token: String
    /// Purpose of the messages, for a person. The distributor receives up to 100 bytes.
    public let purpose: String
    /// VAPID public key of the program's server, if the distributor requires one; otherwise `nil`.
    public let serverKey: String?
    /// Distributor to use, such as `org.unifiedpush.Distributor.kde`; `nil` for the only one.
    public let distributor: String?
    /// Time that bus and distributor may take together.
    public let deadline: Duration
    private let service: BusService

    /// - Parameters:
    ///   - application: name of the program on the bus.
    ///   - token: the one of the last time, which the program keeps: then the endpoint is the same. `newToken()` makes one.
    ///   - purpose: sentence shown in the distributor's list.
    ///   - serverKey: VAPID public key of the program's server.
    ///   - distributor: one of several.
    ///   - deadline: time that bus and distributor may take together.
    public init(
        for application: String, token: String = newToken(), purpose: String, serverKey: String? = nil,
        distributor: String? = nil, deadline: Duration = .seconds(10)
    ) {
        self.init(
            for: application, token: token, purpose: purpose, serverKey: serverKey, distributor: distributor,
            deadline: deadline, environment: ProcessEnvironment.current)
    }

    init(
        for application: String, token: String, purpose: String, serverKey: String?, distributor: String?,
        deadline: Duration, environment: [String: String]
    ) {
        self.application = application
        self.token = token
        self.purpose = purpose
        self.serverKey = serverKey
        self.distributor = distributor
        self.deadline = deadline
        service = BusService(
            bus: .session, environment: environment, complaint: "Push messages can't arrive",
            name: "the push distributor", advice: "Start a distributor of UnifiedPush in the session.")
    }

    /// Random token of 128 bits, from the kernel.
    public static func newToken() -> String {
        (0..<32).map { _ in String(UInt8.random(in: 0...15), radix: 16) }.joined()
    }

    /// - Returns: `nil` if there is a distributor to register with; otherwise the reason. Registers nothing.
    public func obstacle() async -> CaptureError? {
        let service = service
        let found = await service.run(within: deadline) { bus, end, cancel throws(CaptureError) in
            try choice(of: distributors(on: Wire(service: service, end: end, cancel: cancel), bus))
        }
        if case .failure(let error) = found { return error }
        return nil
    }

    public func register() async -> Result<PushEndpoint, CaptureError> {
        guard Self.isName(application), !token.isEmpty, token.utf8.count <= 100 else {
            return .failure(
                CaptureError(
                    .usage, "\"\(application.visible)\" is not a D-Bus name, or the token is empty or too long.",
                    remedies: [Remedy("Use the name of the program's D-Bus service, such as org.example.Memo.")]))
        }
        let service = service
        return await service.run(within: deadline) { bus, end, cancel throws(CaptureError) in
            try register(on: Wire(service: service, end: end, cancel: cancel), bus)
        }
    }

    /// A name that a program can own: D-Bus Specification, "Valid Names".
    private static func isName(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 255 && parts.count > 1
            && parts.allSatisfy { part in
                guard let first = part.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
                    return false
                }
                return part.utf8.allSatisfy { byte in
                    let scalar = Unicode.Scalar(byte)
                    return scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789_-".utf8.contains(byte))
                }
            }
    }
}

extension PushDistributors {
    /// One registration's way to the bus.
    private struct Wire {
        let service: BusService
        let end: Deadline
        let cancel: Int32

        func call(
            _ method: BusConnection.Method, _ arguments: [BusValue] = [], _ bus: borrowing BusConnection
        ) throws(CaptureError) -> BusMessage {
            try service.call(method, arguments, on: bus, until: end, cancel: cancel)
        }
    }

    private func register(on wire: Wire, _ bus: borrowing BusConnection) throws(CaptureError) -> PushEndpoint {
        let name = try choice(of: distributors(on: wire, bus))
        do throws(Errno) {
            // Before the registration: the endpoint may come at once.
            try bus.serve("/org/unifiedpush/Connector")
        } catch {
            throw service.error(.broken(error))
        }
        // 4: not to wait for it. 1 and 4: it is this connection's.
        let owned = try wire.call(.ofBus("RequestName"), [.text(application), .number(4)], bus)
        guard let reply = owned.values.first?.number, reply == 1 || reply == 4 else {
            throw service.error("another program has the name \(application) on the bus")
        }
        let sender = try registered(with: name, on: wire, bus)
        return PushEndpoint(url: try endpoint(from: sender, on: wire, bus), distributor: name)
    }

    /// Distributors that run, and those that the bus can start.
    private func distributors(on wire: Wire, _ bus: borrowing BusConnection) throws(CaptureError) -> [String] {
        var names: Set<String> = []
        for method in ["ListNames", "ListActivatableNames"] {
            let answer = try wire.call(.ofBus(method), [], bus)
            names.formUnion((answer.values.first?.list ?? []).compactMap(\.text))
        }
        return names.filter { $0.hasPrefix("org.unifiedpush.Distributor.") }.sorted()
    }

    /// The named distributor, or the only one: if there are several, the user's choice can't be guessed.
    private func choice(of names: [String]) throws(CaptureError) -> String {
        if let distributor {
            guard names.contains(distributor) else { throw service.error("\(distributor.visible) does not run") }
            return distributor
        }
        guard let first = names.first else { throw service.error("no push distributor runs in this session") }
        guard names.count == 1 else {
            throw CaptureError(
                .unavailable, "Several push distributors run: \(names.joined(separator: ", ")).",
                remedies: [Remedy("Choose one of them.")])
        }
        return first
    }

    /// - Returns: the connection that the distributor speaks by.
    private func registered(
        with name: String, on wire: Wire, _ bus: borrowing BusConnection
    ) throws(CaptureError) -> String {
        var options: [BusValue.Option] = [
            .init("service", .text(application)), .init("token", .text(token)),
            .init("description", .text(description)),
        ]
        if let serverKey { options.append(.init("vapid", .text(serverKey))) }
        let newer = bus.call(
            Self.method("2", of: name), [.options(options)], until: wire.end, cancel: wire.cancel)
        if case .refused(let error, _) = newer.outcome, BusService.unknown.contains(error) {
            let answer = try wire.call(
                Self.method("1", of: name), [.text(application), .text(token), .text(description)], bus)
            return try judged(answer, answer.values.first?.text, answer.values.last?.text)
        }
        guard let answer = newer.answer else { throw service.error(newer.outcome) }
        return try judged(answer, answer.values.first?["success"]?.text, answer.values.first?["reason"]?.text)
    }

    /// Any word except the one for success is a failure. Distributors of the first version used another word.
    private func judged(
        _ answer: BusMessage, _ success: String?, _ reason: String?
    ) throws(CaptureError) -> String {
        if success == "REGISTRATION_SUCCEEDED" || success == "NEW_ENDPOINT" { return answer.sender }
        let (why, advice) =
            switch reason {
            case "NETWORK": ("it has no network", "Connect the machine to a network.")
            case "ACTION_REQUIRED": ("it needs an action by its user", "Open the distributor, and log in.")
            case "VAPID_REQUIRED": ("it needs the key of the program's server", "Set the server's VAPID public key.")
            default: ("it says \(VisibleText.of(reason ?? success ?? "nothing", limit: 80))", "Try again later.")
            }
        throw CaptureError(
            .unavailable, "The push distributor did not register this program: \(why).",
            remedies: [Remedy(advice)])
    }

    /// Endpoint in a call from the distributor. Calls of others and invalid endpoints are ignored, as the standard requires.
    private func endpoint(
        from sender: String, on wire: Wire, _ bus: borrowing BusConnection
    ) throws(CaptureError) -> String {
        try service.first(from: sender, on: bus, until: wire.end, cancel: wire.cancel) { call in
            call.member == "NewEndpoint" ? url(in: call).flatMap { Self.isEndpoint($0) ? $0 : nil } : nil
        }
    }

    private func url(in call: BusMessage) -> String? {
        switch call.interface {
        case "org.unifiedpush.Connector2":
            call.values.first?["token"]?.text == token ? call.values.first?["endpoint"]?.text : nil
        case "org.unifiedpush.Connector1":
            call.values.count == 2 && call.values[0].text == token ? call.values[1].text : nil
        default: nil
        }
    }

    /// A URL of the web of at most 1000 bytes, in the characters of RFC 3986.
    static func isEndpoint(_ url: String) -> Bool {
        (url.hasPrefix("https://") || url.hasPrefix("http://")) && url.utf8.count <= 1000
            && url.split(separator: "/").count > 1
            && url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
    }

    /// At most 100 bytes, cut between letters.
    private var description: String {
        var text = purpose[...]
        while text.utf8.count > 100 { text = text.dropLast() }
        return String(text)
    }

    private static func method(_ version: String, of name: String) -> BusConnection.Method {
        BusConnection.Method(
            destination: name, path: "/org/unifiedpush/Distributor",
            interface: "org.unifiedpush.Distributor\(version)", member: "Register")
    }
}

extension RemoteNotificationCondition {
    /// Satisfied if a distributor of UnifiedPush has registered this program, by `PushDistributors`.
    ///
    /// - Parameters:
    ///   - application: name of the program on the bus, such as `org.example.Memo`.
    ///   - token: the one of the last time, which the program keeps.
    ///   - purpose: sentence shown in the distributor's list.
    ///   - received: gets the endpoint, before the operation executes.
    public init(
        for application: String, token: String, purpose: String,
        received: @escaping @Sendable (PushEndpoint) -> Void = { _ in }
    ) {
        self.init(by: PushDistributors(for: application, token: token, purpose: purpose), received: received)
    }
}
