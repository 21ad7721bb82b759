import ArgumentParser

/// What is measured.
enum BenchPart: String, ExpressibleByArgument, CaseIterable {
    case encoders, rings, capture
}
