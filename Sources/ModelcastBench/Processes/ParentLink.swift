import Foundation
import Synchronization

/// The other end of a ``Child``: orders come in on stdin, reports go out on stdout.
///
/// When stdin ends, the parent is gone or wants this process to end: ``orders`` ends, and should the process still
/// be there two seconds later, it is ended by force.
public final class ParentLink<Order: Decodable & Sendable, Report: Encodable & Sendable>: Sendable {
    /// What the parent asks for, in order; for one consumer.
    public let orders: AsyncStream<Order>
    private let output = Mutex(())

    public init() {
        // Ctrl-C goes to the whole group of a terminal; only the parent decides what it means.
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

    /// Sends a report.
    public func tell(_ report: Report) {
        guard let data = try? JSONEncoder().encode(report) else { return }
        output.withLock { _ in try? FileHandle.standardOutput.write(contentsOf: data + [0x0A]) }
    }
}
