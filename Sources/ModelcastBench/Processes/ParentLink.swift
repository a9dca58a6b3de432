import Foundation
import Synchronization

/// The other end of a ``Child``: orders come in on stdin, reports go out on stdout.
///
/// When stdin ends, the parent is gone or wants this process to end. Then ``orders`` ends, and a process that still
/// exists two seconds later exits with code 1.
public final class ParentLink<Order: Decodable & Sendable, Report: Encodable & Sendable>: Sendable {
    /// The parent's orders, in the order in which it sent them; for one consumer.
    public let orders: AsyncStream<Order>
    private let output = Mutex(())

    /// Reads stdin from now on, ignores SIGINT, and lets SIGTERM end the process.
    public init() {
        // Ctrl-C goes to all processes of a terminal's group; the parent alone decides what it means.
        signal(SIGINT, SIG_IGN)
        signal(SIGTERM, SIG_DFL)
        let (stream, continuation) = AsyncStream.makeStream(of: Order.self)
        orders = stream
        let thread = Thread { ParentLink.read(into: continuation) }
        thread.name = "orders"
        thread.start()
    }

    private static func read(into continuation: AsyncStream<Order>.Continuation) {
        let decoder = JSONDecoder()
        while let line = readLine() {
            if let order = try? decoder.decode(Order.self, from: Data(line.utf8)) { continuation.yield(order) }
        }
        continuation.finish()
        Thread.sleep(forTimeInterval: 2)
        _exit(1)
    }

    /// Sends a report. May be called on any thread.
    public func tell(_ report: Report) {
        guard let data = try? JSONEncoder().encode(report) else { return }
        output.withLock { _ in try? FileHandle.standardOutput.write(contentsOf: data + [0x0A]) }
    }
}
