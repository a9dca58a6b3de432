import Dispatch
import Foundation
import Synchronization

/// SIGINT and SIGTERM as a question: the first asks to come to an end early, the second ends at once.
public final class Interruption: Sendable {
    private let count = Atomic<Int>(0)
    private let sources: Mutex<[any DispatchSourceSignal]>

    /// - Parameters:
    ///   - onFirst: what is to be done at once when the first comes.
    ///   - onSecond: the last chance to put things in order; then the process ends with exit code 130.
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
        // A child that has just ended must not take this process with it.
        signal(SIGPIPE, SIG_IGN)
    }

    /// A signal has come.
    public var isRequested: Bool { count.load(ordering: .relaxed) > 0 }
}
