// error: extra argument 'as' in call
// A gatekeeper that opens real devices is the library's to make: who asks, by which rules and by which store is no choice
// of the program's.
import CaptureGate

public func gate(
    _ subject: Subject, _ store: any GrantStore, _ prompter: any Prompter, _ directory: any DeviceDirectory,
    _ clock: any GateClock
) -> Gatekeeper {
    #if VIOLATION
        return Gatekeeper(
            as: .system, subject: .success(subject), store: store, prompter: prompter, directory: directory,
            clock: clock)
    #else
        return Gatekeeper(
            subject: .success(subject), store: store, prompter: prompter, directory: directory, clock: clock)
    #endif
}
