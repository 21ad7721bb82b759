import Testing

@testable import GatePipeWire

@Suite("Who is linked to a program's node")
struct LinkWatchTests {
}
