import Testing

/// How the gate behaves, sentence by sentence. A test's name begins with the number of its sentence; each runs with
/// parts that answer at once and with parts that answer later. The limit gives a hang a name; nothing comes near it.
@Suite("Acceptance", .timeLimit(.minutes(10)))
enum Acceptance {}
