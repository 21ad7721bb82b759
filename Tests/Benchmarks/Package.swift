// swift-tools-version: 6.2
import PackageDescription

// A separate package: nobody who builds the library builds its benchmarks.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "capturegate", path: "../..")],
    targets: [
        .executableTarget(
            name: "Benchmarks", dependencies: [.product(name: "CaptureGate", package: "capturegate")]),
        // CaptureRealtime and CMedia are no products; they are reached through the one that has them inside.
        .executableTarget(
            name: "RealtimeBenchmarks",
            dependencies: ["Peers", .product(name: "CaptureGate", package: "capturegate")],
            cSettings: [.define("CAPTUREGATE_SHIMS")]),
        .target(name: "Peers", cSettings: [.unsafeFlags(["-O3"])], cxxSettings: [.unsafeFlags(["-O3"])]),
    ],
    cxxLanguageStandard: .cxx17)
