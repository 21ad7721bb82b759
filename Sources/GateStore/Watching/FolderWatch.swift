import CSystem
import Dispatch
import Gate

/// Tells of changes in a folder by inotify(7), also when the folder comes, goes or is replaced.
///
/// The folder and its nearest existing ancestor are watched. Where the kernel has no inotify instance left, it looks
/// once a second instead: whoever is told finds out by himself whether something changed.
final class FolderWatch: Sendable {
    private let source: Locked<any DispatchSourceRead>?
    private let timer: Locked<any DispatchSourceTimer>?

    /// - Parameters:
    ///   - queue: where `onChange` is called; serial.
    ///   - table: the watches; `nil` to look once a second.
    init(on queue: DispatchQueue, _ table: InotifyTable?, onChange: @escaping @Sendable () -> Void) {
        if let table {
            source = FolderWatch.reader(of: table, on: queue, onChange)
            timer = nil
        } else {
            source = nil
            timer = FolderWatch.everySecond(on: queue, onChange)
        }
    }

    /// - Parameter path: absolute; need not exist.
    convenience init(_ path: String, on queue: DispatchQueue, onChange: @escaping @Sendable () -> Void) {
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
            // A descriptor may be closed only when its source is gone.
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
