// swift-tools-version: 6.2
import PackageDescription

// A package of its own: nobody who builds the library builds its benchmarks.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "capturegate", path: "../..")],
    targets: [
        .executableTarget(
            name: "Benchmarks", dependencies: [.product(name: "CaptureGate", package: "capturegate")])
    ])
