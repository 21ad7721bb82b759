import Gate
import GateTestKit
import Testing

/// Every refusal carries a reason and remedies that a person can act on, as data and as text.
@Suite("Failure notices")
struct FailureNoticeTests {
    typealias Microphone = Capability.Microphone

    /// A way to be refused, and the notice that it comes to.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: CaptureError.Kind
        let notice: String
        let prepare: @Sendable (World) -> Void

        init(
            _ name: String, _ kind: CaptureError.Kind, _ notice: String,
            _ prepare: @escaping @Sendable (World) -> Void
        ) {
            testDescription = name
            self.kind = kind
            self.notice = notice
            self.prepare = prepare
        }
    }

    static let thing = "/usr/bin/recorder may not use the microphone \"Desk Mic\" (usb-mic)"
    static let ways = """

          Allow one capture.
          Allow it permanently.
        """

    @Test("Each refusal has its kind, its reason and its remedies", arguments: rows, Pace.allCases)
    func refusals(_ row: Row, _ pace: Pace) async {
        let world = World(pace, answer: .dismissed)
        row.prepare(world)
        let capture = Capture(Microphone())
        let error = await world.queue.add(capture).result.error?.captureError
        #expect(error?.kind == row.kind)
        #expect(error?.notice == row.notice)
        #expect(error?.allRemedies.isEmpty == false)
        #expect(capture.executions.count == 0)
    }

    @Test("Whoever is not known is refused with what to do")
    func unknownSubject() async {
        for remedies in [[], [Remedy("Mount /proc.", command: "mount -t proc proc /proc")]] {
            let unknown = CaptureError(.unavailable, "There is no /proc.", remedies: remedies)
            let world = World(subject: .failure(unknown))
            let error = await world.queue.add(Capture(Microphone())).result.error?.captureError
            #expect(error?.kind == .notAuthorized)
            #expect(error?.message == "The program that asks can't be identified: There is no /proc.")
            #expect(remedies.isEmpty ? error?.remedies.count == 1 : error?.remedies == remedies)
        }
    }

    @Test("A notice says all remedies once, also those of the errors behind it")
    func notice() {
        let own = Remedy("Do this.", command: "this")
        let other = Remedy("Do that.")
        let cause = CaptureError(.store, "It is torn.", remedies: [own, other])
        let outer = CaptureError(
            .conditionFailed, "Two things.", remedies: [own],
            underlying: [cause, CaptureError(.busy, "…", underlying: [cause])])
        #expect(outer.notice == "Two things.\n  Do this: this\n  Do that.")
        #expect(outer.allRemedies == [own, other])
        #expect(CaptureError(.cancelled, "It was cancelled.").notice == "It was cancelled.")
    }

    @Test("A closed privacy shutter says so, and how to open it")
    func shutter() {
        let error = CaptureError.privacyShutter(closedOn: DeviceDescription(id: .cam, name: "HD Webcam"))
        #expect(error.kind == .unavailable)
        #expect(error.message == "The privacy shutter of HD Webcam (usb-cam) is closed.")
        #expect(error.remedies.first?.text.hasPrefix("Open it") == true)
    }

    @Test("What ended a capture has its kind and its remedy")
    func ends() {
        let mic = DeviceDescription(id: .mic, name: "Desk Mic")
        let rows: [(CaptureEndReason, CaptureError.Kind, String, Remedy.Action)] = [
            (.revoked, .revoked, "revoked", .grant(Remedy.Permission("microphone"))),
            (.expired, .expired, "has expired", .grant(Remedy.Permission("microphone"))),
            (.killed, .revoked, "switched off", .switchOn(capability: "microphone")),
        ]
        for (reason, kind, words, action) in rows {
            let error = reason.error(mic, as: .microphone)
            #expect(error.kind == kind)
            #expect(error.message.contains("Desk Mic (usb-mic)") && error.message.contains(words))
            #expect(error.remedies.map(\.action) == [action])
            #expect(reason.error(mic).remedies.map(\.action) == [.showStatus])
        }
    }

    @Test("A confirmation that was not given says what to do", arguments: Pace.allCases)
    func confirmations(_ pace: Pace) async {
        let world = World(pace)
        let condition = UserConfirmationCondition("Overwrite the clip?")
        let broken = CaptureError(.unavailable, "no terminal", remedies: [Remedy("Open one.")])
        for answer in [ConfirmationAnswer.no, .dismissed, .timedOut, .failed(broken)] {
            world.prompter.confirm(with: answer)
            let error = await world.refusal(by: condition)
            #expect(error?.message.contains("\"Overwrite the clip?\"") == true)
            #expect(error?.remedies.first?.text == "Try again, and agree.")
            #expect(error?.remedies.contains(Remedy("Open one.")) == (answer == .failed(broken)))
        }
        #expect(await world.refusal(by: SilentCondition(condition))?.remedies.isEmpty == false)
    }
}
