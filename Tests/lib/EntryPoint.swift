import Testing

/// Runs all tests of a build, as the entry point that SwiftPM writes. SwiftPM's own also looks for XCTest cases, for which the
/// compiler must index all sources: a quarter of the time of a build. This package has no such cases.
@main
struct EntryPoint {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
