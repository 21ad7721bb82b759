import CSystem
import CaptureBase
import Dispatch

/// Reports changes in a directory by inotify(7), even if the directory appears, vanishes or is replaced.
///
/// The directory and its nearest existing ancestor are watched. If the kernel has no inotify instance left, it reports once a
/// second instead: the handler must find out whether something changed.
///
/// *thread-safe*
package final class DirectoryWatch: Sendable {
    private let source: Locked<any DispatchSourceRead>?
    private let timer: Locked<any DispatchSourceTimer>?

    /// - Parameters:
    ///   - queue: serial queue on which `onChange` is called.
    ///   - table: the watches; `nil` to report once a second.
    ///   - onChange: called for each change, including irrelevant ones.
    package init(on queue: DispatchQueue, _ table: InotifyTable?, onChange: @escaping @Sendable () -> Void) {
        if let table {
            source = DirectoryWatch.reader(of: table, on: queue, onChange)
            timer = nil
        } else {
            source = nil
            timer = DirectoryWatch.everySecond(on: queue, onChange)
        }
    }

    /// - Parameters:
    ///   - path: absolute; need not exist.
    ///   - queue: serial queue on which `onChange` is called.
    ///   - onChange: called for each change, including irrelevant ones.
    package convenience init(_ path: String, on queue: DispatchQueue, onChange: @escaping @Sendable () -> Void) {
        self.init(on: queue, InotifyTable(for: path), onChange: onChange)
    }

    deinit {
        source?.withLock { $0.cancel() }
        timer?.withLock { $0.cancel() }
    }

    private static func reader(
        of table: InotifyTable, on queue: DispatchQueue, _ onChange: @escaping @Sendable () -> Void
    ) -> Locked<any DispatchSourceRead> {
        let source = Locked(DispatchSource.makeReadSource(fileDescriptor: table.descriptor, queue: queue))
        source.withLock {
            $0.setEventHandler {
                if table.drain() { onChange() }
            }
            // A descriptor may be closed only once its source is cancelled.
            $0.setCancelHandler { table.end() }
            $0.activate()
        }
        return source
    }

    private static func everySecond(
        on queue: DispatchQueue, _ onChange: @escaping @Sendable () -> Void
    ) -> Locked<any DispatchSourceTimer> {
        let timer = Locked(DispatchSource.makeTimerSource(queue: queue))
        timer.withLock {
            $0.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
            $0.setEventHandler(handler: onChange)
            $0.activate()
        }
        return timer
    }
}

/// Reports that files are opened and closed, by whichever process, device nodes as well.
///
/// Standard: inotify(7). *thread-safe*
package final class OpeningWatch: Sendable {
    private let source: Locked<any DispatchSourceRead>

    /// - Parameters:
    ///   - paths: absolute; those that can't be watched are ignored.
    ///   - queue: serial queue on which `onChange` is called.
    ///   - onChange: called soon after one or several openings and closings.
    /// - Returns: `nil` if the kernel has no inotify instance left for this user.
    package init?(of paths: [String], on queue: DispatchQueue, onChange: @escaping @Sendable () -> Void) {
        let opened = cs_inotify_open()
        guard opened >= 0 else { return nil }
        let mask = CS_WATCH_OPEN | CS_WATCH_CLOSE_WRITE | CS_WATCH_CLOSE_UNWRITTEN
        for path in paths { _ = cs_inotify_add(opened, path, UInt32(mask)) }
        source = Locked(DispatchSource.makeReadSource(fileDescriptor: opened, queue: queue))
        source.withLock {
            $0.setEventHandler {
                withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { bytes in
                    while cs_inotify_read(opened, bytes.baseAddress, bytes.count) > 0 {}
                }
                onChange()
            }
            // A descriptor may be closed only once its source is cancelled.
            $0.setCancelHandler { _ = cs_close(opened) }
            $0.activate()
        }
    }

    deinit { source.withLock { $0.cancel() } }
}

/// The inotify watches on a directory and on its nearest existing ancestor.
///
/// *thread-safe*
package final class InotifyTable: Sendable {
    /// Polls readable while events are pending.
    package let descriptor: Int32
    /// The directory first, then its parent, up to the root.
    private let directories: [String]
    /// The relevant name in the directory of each watch; `nil` for the directory itself, where every name is relevant.
    private let watches = Locked<[Int32: String?]>([:])

    private static let inside =
        CS_WATCH_MODIFY | CS_WATCH_ATTRIBUTES | CS_WATCH_CLOSE_WRITE | CS_WATCH_MOVED_FROM | CS_WATCH_MOVED_TO
        | CS_WATCH_CREATE | CS_WATCH_DELETE | CS_WATCH_DELETE_SELF | CS_WATCH_MOVE_SELF | CS_WATCH_DIRECTORY_ONLY
    private static let above =
        CS_WATCH_MOVED_FROM | CS_WATCH_MOVED_TO | CS_WATCH_CREATE | CS_WATCH_DELETE | CS_WATCH_DELETE_SELF
        | CS_WATCH_MOVE_SELF | CS_WATCH_DIRECTORY_ONLY

    /// Fails if the kernel has no inotify instance left for this user.
    ///
    /// - Parameter path: absolute; need not exist.
    package init?(for path: String) {
        let opened = cs_inotify_open()
        guard opened >= 0 else { return nil }
        descriptor = opened
        directories = InotifyTable.chain(of: path)
        arm()
    }

    /// Closes the descriptor; no call is allowed afterwards.
    package func end() { _ = cs_close(descriptor) }

    /// Consumes all events, and watches new directories.
    ///
    /// - Returns: true if one of them concerns the directory.
    package func drain() -> Bool {
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
        // After an overflow it is unknown which events were lost.
        guard Int(record.mask) & CS_WATCH_OVERFLOW == 0 else { return true }
        return watches.withLock { watches in
            if Int(record.mask) & CS_WATCH_IGNORED != 0 { watches[record.watch] = nil }
            guard let wanted = watches[record.watch] else { return false }
            let name = String(cString: record.name)
            return wanted == nil || name.isEmpty || name == wanted
        }
    }

    /// Watches the directory and its parent, or the nearest ancestor that exists.
    ///
    /// From the top down: a directory that appears below a watched one causes an event.
    private func arm() {
        let existing = directories.firstIndex { cs_access($0, X_OK) >= 0 } ?? directories.count - 1
        let lowest = min(existing + 1, directories.count - 1)
        for index in stride(from: lowest, through: 0, by: -1) {
            guard watch(index) else { return }
        }
    }

    private func watch(_ index: Int) -> Bool {
        let mask = index == 0 ? InotifyTable.inside : InotifyTable.above
        let watch = cs_inotify_add(descriptor, directories[index], UInt32(mask))
        guard watch >= 0 else { return false }
        let name: String? = index == 0 ? nil : InotifyTable.lastName(of: directories[index - 1])
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
