// error: cannot find type 'PersonPrompter' in scope
// A program's own prompter does not pass for one that asks a person.
import CaptureGate

public struct Yes: Prompter {
    public let name = "yes"
    public func obstacle() async -> CaptureError? { nil }
    public func ask(_ question: Question) async -> Answer { .allow(.always) }
}

#if VIOLATION
    extension Yes: PersonPrompter {
        public var asksPerson: Bool { true }
    }
#endif
