import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

/// Every event in every state, without a device, a clock or a file.
@Suite("Recording state machine")
struct RecordingStateTests {
    typealias Action = RecordingState.Action
    typealias Event = RecordingState.Event
    typealias Phase = RecordingState.Phase

    private static let interrupt = RecordingOutcome(reason: .interrupt)
    private static let revoked = RecordingOutcome(
        reason: .revoked, error: CaptureError(.revoked, "The permission was taken back."))
    private static let unplugged = RecordingOutcome(
        reason: .deviceGone, error: CaptureError(.unavailable, "The camera was unplugged."))
    private static let diskFull = RecordingOutcome(thrown: CaptureError(.diskFull, "Full."), loss: nil)
    private static let tooLarge = RecordingOutcome(thrown: .sizeReached, loss: nil)
    private static let complete = RecordingOutcome(reason: .complete)
    private static let silence = RecordingOutcome(reason: .silence)

    private static let events: [Event] = [
        .held(true), .held(false), .discarded(true), .discarded(false), .running, .due(7), .notDue, .done,
        .wrote(some: true, isQuiet: false, isComplete: false), .wrote(some: false, isQuiet: false, isComplete: false),
        .wrote(some: true, isQuiet: true, isComplete: true), .wrote(some: true, isQuiet: false, isComplete: true),
        .wrote(some: false, isQuiet: false, isComplete: true),
        .stopped(interrupt, hasBegun: true), .stopped(interrupt, hasBegun: false),
        .stopped(unplugged, hasBegun: true), .stopped(revoked, hasBegun: true), .stopped(diskFull, hasBegun: true),
        .failed(diskFull), .failed(tooLarge),
    ]

    /// The states, each as it arises.
    private static func state(_ name: String) -> RecordingState {
        switch name {
        case "waiting": RecordingState(hasPreRoll: true, devices: 2, leadsWithVideo: true)
        case "stopping": after([.held(true), .stopped(interrupt, hasBegun: false)], state("waiting"))
        case "aligning": RecordingState(hasPreRoll: false, devices: 2, leadsWithVideo: true)
        case "aligning audio": RecordingState(hasPreRoll: false, devices: 2, leadsWithVideo: false)
        case "aligning a frame": after([.discarded(true), .running], state("aligning"))
        case "recording": RecordingState(hasPreRoll: false, devices: 1, leadsWithVideo: true)
        case "draining": after([.stopped(interrupt, hasBegun: true)], state("recording"))
        case "draining an unplugged device": after([.stopped(unplugged, hasBegun: true)], state("recording"))
        default: after([.failed(diskFull)], state("recording"))
        }
    }

    private static func after(_ events: [Event], _ state: RecordingState) -> RecordingState {
        var state = state
        for event in events { _ = state.handle(event) }
        return state
    }

    /// Expected action of the events that a state expects; every other event gives its usual action and changes nothing.
    private static let rows: [(state: String, usual: Action, expected: [(Event, Action)])] = [
        (
            "waiting", .hold,
            [
                (.held(true), .look), (.held(false), .look), (.running, .checkStart), (.due(7), .begin(at: 7)),
                (.stopped(interrupt, hasBegun: true), .checkStart), (.stopped(interrupt, hasBegun: false), .checkStart),
                (.stopped(unplugged, hasBegun: true), .checkStart), (.stopped(diskFull, hasBegun: true), .checkStart),
                (.stopped(revoked, hasBegun: true), .finish(revoked)),
                (.failed(diskFull), .finish(diskFull)), (.failed(tooLarge), .finish(tooLarge)),
            ]
        ),
        (
            "stopping", .hold,
            [
                (.held(true), .look), (.held(false), .look), (.running, .checkStart), (.due(7), .begin(at: 7)),
                (.notDue, .finish(interrupt)),
                (.stopped(interrupt, hasBegun: true), .checkStart), (.stopped(interrupt, hasBegun: false), .checkStart),
                (.stopped(unplugged, hasBegun: true), .checkStart), (.stopped(diskFull, hasBegun: true), .checkStart),
                (.stopped(revoked, hasBegun: true), .finish(revoked)),
                (.failed(diskFull), .finish(diskFull)), (.failed(tooLarge), .finish(tooLarge)),
            ]
        ),
        (
            "aligning", .discard,
            [
                (.discarded(true), .look), (.discarded(false), .look), (.running, .discardFrame),
                (.stopped(interrupt, hasBegun: true), .finish(interrupt)),
                (.stopped(interrupt, hasBegun: false), .finish(interrupt)),
                (.stopped(unplugged, hasBegun: true), .finish(unplugged)),
                (.stopped(revoked, hasBegun: true), .finish(revoked)),
                (.stopped(diskFull, hasBegun: true), .finish(diskFull)),
                (.failed(diskFull), .finish(diskFull)), (.failed(tooLarge), .finish(tooLarge)),
            ]
        ),
        (
            "aligning a frame", .discardFrame,
            [
                (.discarded(true), .write), (.discarded(false), .look), (.running, .wait(.leader)),
                (.stopped(interrupt, hasBegun: true), .finish(interrupt)),
                (.stopped(interrupt, hasBegun: false), .finish(interrupt)),
                (.stopped(unplugged, hasBegun: true), .finish(unplugged)),
                (.stopped(revoked, hasBegun: true), .finish(revoked)),
                (.stopped(diskFull, hasBegun: true), .finish(diskFull)),
                (.failed(diskFull), .finish(diskFull)), (.failed(tooLarge), .finish(tooLarge)),
            ]
        ),
        (
            "recording", .write,
            [
                (.wrote(some: true, isQuiet: false, isComplete: false), .look),
                (.wrote(some: false, isQuiet: false, isComplete: false), .look),
                (.wrote(some: true, isQuiet: true, isComplete: true), .finish(silence)),
                (.wrote(some: true, isQuiet: false, isComplete: true), .finish(complete)),
                (.wrote(some: false, isQuiet: false, isComplete: true), .finish(complete)),
                (.running, .write),
                (.stopped(interrupt, hasBegun: true), .stopDevices),
                (.stopped(interrupt, hasBegun: false), .finish(interrupt)),
                (.stopped(unplugged, hasBegun: true), .stopDevices),
                (.stopped(revoked, hasBegun: true), .finish(revoked)),
                (.stopped(diskFull, hasBegun: true), .finish(diskFull)),
                (.failed(diskFull), .finish(diskFull)), (.failed(tooLarge), .finish(tooLarge)),
            ]
        ),
        (
            "draining", .drain,
            [
                (.wrote(some: false, isQuiet: false, isComplete: false), .finish(interrupt)),
                (.wrote(some: false, isQuiet: false, isComplete: true), .finish(complete)),
                (.failed(diskFull), .finish(diskFull)), (.failed(tooLarge), .finish(tooLarge)),
            ]
        ),
        (
            "draining an unplugged device", .drain,
            [
                (.wrote(some: false, isQuiet: false, isComplete: false), .finish(unplugged)),
                (.wrote(some: false, isQuiet: false, isComplete: true), .finish(complete)),
                (.failed(diskFull), .finish(diskFull)), (.failed(tooLarge), .finish(unplugged)),
            ]
        ),
        ("finished", .finish(diskFull), []),
    ]

    @Test("answers every event in every state", arguments: rows.indices)
    func everyEvent(row: Int) {
        let (name, usual, expected) = Self.rows[row]
        #expect(Self.state(name).action == usual, "\(name)")
        for event in Self.events {
            var state = Self.state(name)
            let before = state.phase
            let action = state.handle(event)
            if let known = expected.first(where: { $0.0 == event }) {
                #expect(action == known.1, "\(name), \(event)")
            } else if name == "waiting", event == .notDue {
                #expect(action == .hold && state.phase == before)
            } else {
                #expect(action == usual && state.phase == before, "\(name), \(event)")
            }
            // A state that finishes stays so.
            if case .finish(let outcome) = action {
                #expect(state.phase == .finished(outcome))
                for late in Self.events { #expect(state.handle(late) == .finish(outcome)) }
            }
        }
    }

    @Test("waits for frames only where the last step found none")
    func idle() {
        var waiting = Self.after([.held(false), .running], Self.state("waiting"))
        #expect(waiting.handle(.notDue) == .wait(.start))
        #expect(waiting.handle(.done) == .hold)
        waiting = Self.after([.held(true), .running], Self.state("waiting"))
        #expect(waiting.handle(.notDue) == .hold)

        var aligning = Self.after([.discarded(false)], Self.state("aligning"))
        #expect(aligning.handle(.running) == .wait(.allDevices))
        #expect(aligning.handle(.done) == .discard)

        var recording = Self.after([.wrote(some: false, isQuiet: false, isComplete: false)], Self.state("recording"))
        #expect(recording.handle(.running) == .wait(.tracks))
        #expect(recording.handle(.done) == .write)
        recording = Self.after([.wrote(some: true, isQuiet: false, isComplete: false)], Self.state("recording"))
        #expect(recording.handle(.running) == .write)
    }

    @Test("aligns a single frame only where a camera leads")
    func alignment() {
        var state = Self.after([.discarded(true)], Self.state("aligning audio"))
        #expect(state.handle(.running) == .write && state.phase == .recording)
    }

    @Test("a clip that was asked for and stopped right after it begins, and is drained")
    func startBeforeStop() {
        var state = Self.state("stopping")
        #expect(state.handle(.due(7)) == .begin(at: 7) && state.phase == .recording)
        #expect(state.handle(.done) == .write)
        #expect(state.handle(.wrote(some: true, isQuiet: false, isComplete: false)) == .look)
        #expect(state.handle(.stopped(Self.interrupt, hasBegun: true)) == .stopDevices)
        #expect(state.handle(.done) == .drain)
        #expect(state.handle(.wrote(some: true, isQuiet: false, isComplete: false)) == .drain)
        #expect(state.handle(.wrote(some: false, isQuiet: false, isComplete: false)) == .finish(Self.interrupt))
    }

    @Test("each end of a session and each error has its reason")
    func outcomes() {
        let error = CaptureError(.unavailable, "Gone.")
        let ends: [(SessionEnd, EndReason)] = [
            (.stopped, .interrupt), (.refused(error), .revoked), (.deviceGone(error), .deviceGone),
            (.stalled(error), .stalled), (.signalChanged(error), .signal), (.failed(error), .failure),
        ]
        for (end, reason) in ends {
            #expect(RecordingOutcome(end) == RecordingOutcome(reason: reason, error: end.error))
            #expect(RecordingOutcome(.device(end)) == RecordingOutcome(end))
        }
        #expect(RecordingOutcome(.control(.interrupt)) == Self.interrupt)
        #expect(RecordingOutcome(.reader).reason == .failure)
        #expect(RecordingOutcome(thrown: error, loss: error).reason == .loss)
        #expect(RecordingOutcome(thrown: error, loss: nil).reason == .failure)
        #expect(Self.diskFull.reason == .diskFull && !Self.diskFull.isOfInput)
        #expect(Self.tooLarge.reason == .maxSize && Self.tooLarge.error == nil)
    }

    @Test("a clip without a frame has an error that says why")
    func fatal() {
        #expect(Self.unplugged.fatal(LossLedger()) == Self.unplugged.error)
        #expect(Self.interrupt.fatal(LossLedger()).kind == .dismissed)
        for outcome in [Self.tooLarge, Self.complete, Self.silence] {
            #expect(outcome.fatal(LossLedger()).kind == .usage)
        }
        var broken = TrackLedger(kind: .video, name: "Camera", device: "cam-1")
        broken.lost.short = 3
        #expect(Self.complete.fatal(LossLedger(tracks: [broken])).kind == .inputOutput)
    }
}
