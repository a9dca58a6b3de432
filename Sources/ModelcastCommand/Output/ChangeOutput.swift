import Dispatch
import Modelcast
import Synchronization

/// Standard output as the observer of a cache: writes on one queue, and flushes when there is nothing more to write.
final class ChangeOutput: @unchecked Sendable {
    // Unchecked because of the stored variables below `queue`: they are touched only on that serial queue.

    /// Where everything is written.
    let queue = DispatchQueue(label: "modelcast.output")
    private var writer = JSONWriter()
    private var output = StandardOutput()
    private var isFlushDue = false
    private var toldCount = 0
    private var lastCommit: UInt64 = 0
    /// Nothing can be written any more.
    private var hasEnded = false

    /// What has become of the output, for everybody.
    private let state = Mutex(State())

    private struct State {
        var isEnding = false
        var isClosed = false
        var failure: CommandFailure?
    }

    /// As much is gathered before it is written.
    private static let bufferByteCount = 1 << 16

    /// Nobody reads any more, or writing has failed.
    var isClosed: Bool {
        if state.withLock({ $0.isClosed }) { return true }
        return StandardOutput.isReaderGone
    }

    /// Why writing failed; nil also when the reader has gone, which is no failure.
    var failure: CommandFailure? { state.withLock { $0.failure } }

    /// From now on a reader that takes nothing for half a second is not waited for.
    func beginEnd() { state.withLock { $0.isEnding = true } }

    /// Writes the changes of models with one of these ids. On the queue.
    func write(_ changes: ChangeSet, ids: Set<String>?) {
        for change in changes where !hasEnded && ids?.contains(change.id) ?? true {
            writer.writeLine(change)
            flushIfFull()
        }
        pass(changes)
        guard !isFlushDue else { return }
        isFlushDue = true
        // Behind what waits on the queue already: many sets in a row leave in few writes.
        queue.async { self.flush() }
    }

    /// Takes note of changes that are not printed. On the queue.
    func pass(_ changes: ChangeSet) {
        toldCount += 1
        lastCommit = max(lastCommit, changes.commitNumber)
    }

    /// Writes models of one type. On the queue.
    func write(_ records: [CellRecord], of type: String) {
        for record in records where !hasEnded {
            writer.writeLine(type: type, model: record)
            flushIfFull()
        }
    }

    /// Writes one line of text. On the queue.
    func write(line: String) {
        writer.write(plain: line)
        writer.append("\n")
    }

    private func flushIfFull() {
        if writer.bytes.count >= ChangeOutput.bufferByteCount { flush() }
    }

    /// Writes what has been gathered. On the queue.
    func flush() {
        isFlushDue = false
        defer { writer.bytes.removeAll(keepingCapacity: true) }
        guard !writer.bytes.isEmpty, !hasEnded else { return }
        let outcome = output.write(writer.bytes) { self.state.withLock { $0.isEnding } }
        guard outcome != .written else { return }
        hasEnded = true
        if outcome == .stuck { StandardError.write(line: "the reader of the output has stopped; the rest is dropped") }
        state.withLock { state in
            state.isClosed = true
            state.failure = outcome.failure
        }
    }

    /// Runs `body` on the queue and waits for it.
    func onQueue<R: Sendable>(_ body: @escaping @Sendable (ChangeOutput) -> R) async -> R {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body(self)) }
        }
    }

    /// Returns when everything up to a commit was told.
    ///
    /// A commit that changes no value is told to nobody; so it is enough that nothing was told between two looks: the
    /// cache puts its next turn on the queue before it ends one.
    func settle(through commit: UInt64) async {
        var previous = -1
        while true {
            let (count, last) = await onQueue { ($0.toldCount, $0.lastCommit) }
            if last >= commit || count == previous || state.withLock({ $0.isClosed }) { return }
            previous = count
        }
    }
}
