import Dispatch
import Foundation
import Synchronization

/// A handler of SIGINT and SIGTERM: the first signal asks the process to end early, the second ends it at once.
public final class Interruption: Sendable {
    private let count = Atomic<Int>(0)
    private let sources: Mutex<[any DispatchSourceSignal]>

    /// Handles the signals from now on, and ignores SIGPIPE.
    /// - Parameters:
    ///   - onFirst: is called when the first signal comes, on a queue of its own.
    ///   - onSecond: is called when the second comes, to put things in order; then the process ends with exit code 130.
    public init(onFirst: @escaping @Sendable () -> Void = {}, onSecond: @escaping @Sendable () -> Void) {
        sources = Mutex([])
        let queue = DispatchQueue(label: "signals")
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            sources.withLock { sources in
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { [self] in
                    guard count.add(1, ordering: .relaxed).newValue > 1 else { return onFirst() }
                    onSecond()
                    _exit(130)
                }
                source.resume()
                sources.append(source)
            }
        }
        // Writing to a child that has just ended must not end this process.
        signal(SIGPIPE, SIG_IGN)
    }

    /// True once a signal has come. May be asked on any thread.
    public var isRequested: Bool { count.load(ordering: .relaxed) > 0 }
}
