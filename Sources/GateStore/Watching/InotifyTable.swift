import CSystem
import Gate

/// The inotify watches on a folder and on the nearest of its ancestors that exists.
final class InotifyTable: Sendable {
    let descriptor: Int32
    /// The folder first, its parent next, up to the root.
    private let folders: [String]
    /// By watch: the name that matters in that folder; `nil` for the folder itself, where every name does.
    private let watches = Locked<[Int32: String?]>([:])

    private static let inside =
        CS_WATCH_MODIFY | CS_WATCH_ATTRIBUTES | CS_WATCH_CLOSE_WRITE | CS_WATCH_MOVED_FROM | CS_WATCH_MOVED_TO
        | CS_WATCH_CREATE | CS_WATCH_DELETE | CS_WATCH_DELETE_SELF | CS_WATCH_MOVE_SELF | CS_WATCH_DIRECTORY_ONLY
    private static let above =
        CS_WATCH_MOVED_FROM | CS_WATCH_MOVED_TO | CS_WATCH_CREATE | CS_WATCH_DELETE | CS_WATCH_DELETE_SELF
        | CS_WATCH_MOVE_SELF | CS_WATCH_DIRECTORY_ONLY

    /// `nil` where the kernel has no inotify instance left for this user.
    init?(for path: String) {
        let opened = cs_inotify_open()
        guard opened >= 0 else { return nil }
        descriptor = opened
        folders = InotifyTable.chain(of: path)
        arm()
    }

    /// Closes the descriptor; nothing may be called after it.
    func end() { _ = cs_close(descriptor) }

    /// Takes all events and watches what came since; whether one of them concerns the folder.
    func drain() -> Bool {
        var concerned = false
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { bytes in
            while true {
                let count = cs_inotify_read(descriptor, bytes.baseAddress, bytes.count)
                guard count > 0 else { return }
                if concerns(UnsafeRawBufferPointer(rebasing: bytes[..<Int(count)])) { concerned = true }
            }
        }
        if concerned { arm() }
        return concerned
    }

    private func concerns(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var record = cs_inotify_record()
        var offset = cs_inotify_event(bytes.baseAddress, bytes.count, 0, &record)
        var concerned = false
        while offset > 0 {
            if concerns(record) { concerned = true }
            offset = cs_inotify_event(bytes.baseAddress, bytes.count, Int(offset), &record)
        }
        return concerned
    }

    private func concerns(_ record: cs_inotify_record) -> Bool {
        // After an overflow nobody knows what was lost.
        guard Int(record.mask) & CS_WATCH_OVERFLOW == 0 else { return true }
        return watches.withLock { watches in
            if Int(record.mask) & CS_WATCH_IGNORED != 0 { watches[record.watch] = nil }
            guard let wanted = watches[record.watch] else { return false }
            let name = withUnsafeBytes(of: record.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            return wanted == nil || name.isEmpty || name == wanted
        }
    }

    /// Watches the folder and its parent, or else the nearest ancestor that exists.
    ///
    /// From the top down on purpose: what appears below a folder after it is watched makes an event.
    private func arm() {
        let existing = folders.firstIndex { cs_access($0, X_OK) >= 0 } ?? folders.count - 1
        let lowest = min(existing + 1, folders.count - 1)
        for index in stride(from: lowest, through: 0, by: -1) {
            guard watch(index) else { return }
        }
    }

    private func watch(_ index: Int) -> Bool {
        let mask = index == 0 ? InotifyTable.inside : InotifyTable.above
        let watch = cs_inotify_add(descriptor, folders[index], UInt32(mask))
        guard watch >= 0 else { return false }
        let name: String? = index == 0 ? nil : InotifyTable.lastName(of: folders[index - 1])
        watches.withLock { $0[watch] = .some(name) }
        return true
    }

    private static func chain(of path: String) -> [String] {
        let names = path.split(separator: "/")
        return stride(from: names.count, through: 0, by: -1).map { "/" + names.prefix($0).joined(separator: "/") }
    }

    private static func lastName(of path: String) -> String {
        String(path.split(separator: "/").last ?? "")
    }
}
