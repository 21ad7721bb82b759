import CSystem
import Foundation
import Gate

@testable import GateStore

/// The files of a store as they lay at one moment, to be written elsewhere, harmed, as often as is wanted.
struct StoreImage {
    /// A bit of one of the files.
    struct Bit: Hashable {
        let file: String
        let offset: Int
        let bit: UInt8
    }

    /// By name, without the shared memory, which every opening creates again.
    private(set) var files: [String: [UInt8]]

    init(of store: SQLiteGrantStore) throws {
        files = [:]
        for name in ["grants.sqlite", "grants.sqlite-wal", "audit.head"] {
            let bytes = try? Data(contentsOf: URL(fileURLWithPath: store.directory + "/" + name))
            files[name] = bytes.map { Array($0) }
        }
    }

    subscript(name: String) -> [UInt8]? {
        get { files[name] }
        set { files[name] = newValue }
    }

    func flipped(_ bit: Bit) -> StoreImage {
        var image = self
        image.files[bit.file]?[bit.offset] ^= 1 << bit.bit
        return image
    }

    /// Every byte there is, one bit of each, which the generator chooses.
    func bits(using generator: inout SplitMix) -> [Bit] {
        files.keys.sorted().flatMap { name in
            (files[name] ?? []).indices.map { Bit(file: name, offset: $0, bit: UInt8(generator.next() % 8)) }
        }
    }

    func random(using generator: inout SplitMix) -> Bit {
        let names = files.keys.sorted()
        var offset = Int(generator.next() % UInt64(files.values.map(\.count).reduce(0, +)))
        for name in names {
            let count = files[name]?.count ?? 0
            if offset < count { return Bit(file: name, offset: offset, bit: UInt8(generator.next() % 8)) }
            offset -= count
        }
        return Bit(file: names[0], offset: 0, bit: 0)
    }

    /// Puts only the files into a directory.
    func write(to folder: String) throws {
        for ending in ["", "-wal", "-shm", "-journal"] { _ = cs_unlink(folder + "/grants.sqlite" + ending) }
        _ = cs_unlink(folder + "/audit.head")
        for (name, bytes) in files {
            let file = cs_open(folder + "/" + name, O_WRONLY | O_CREAT | O_EXCL, 0o600)
            guard file >= 0, cs_write(file, bytes, bytes.count) == bytes.count else {
                throw CocoaError(.fileWriteUnknown)
            }
            _ = cs_close(file)
        }
    }
}

/// Decisions of a store: everything that must not change.
struct Decided: Hashable {
    let decisions: [Decision]
    let consumed: [Decision]
    let killSwitches: Set<CapabilityName>
    let latest: Int64

    init(_ store: SQLiteGrantStore) throws {
        let snapshot = try store.snapshot()
        decisions = snapshot.decisions
        consumed = snapshot.consumed ?? []
        killSwitches = snapshot.killSwitches
        latest = snapshot.latestSinceEpoch.exactNanoseconds
    }

    /// As a new opening sees it.
    init(in folder: String) throws { try self.init(SQLiteGrantStore(directory: folder)) }
}

/// The same numbers for the same seed.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
