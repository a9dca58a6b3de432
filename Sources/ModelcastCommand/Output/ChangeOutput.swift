import Dispatch
import ModelJSON
import ModelRecord
import Modelcast
import Synchronization

/// Standard output as the observer of a cache: writes on one queue, and flushes when there is nothing more to write.
final class ChangeOutput: @unchecked Sendable {
    // Unchecked because of the stored variables below `queue`: only that serial queue touches them.

    /// The serial queue on which everything is written.
    let queue = DispatchQueue(label: "modelcast.output")
    private var writer = JSONWriter()
    private var output = StandardOutput()
    private var isFlushDue = false
    private var toldCount = 0
    private var lastCommit: UInt64 = 0
    /// True once nothing can be written any more.
    private var hasEnded = false

    /// The part of the state that other threads read and set.
    private let state = Mutex(State())

    private struct State {
        var isEnding = false
        var isClosed = false
        var failure: CommandFailure?
    }

    /// How many bytes are gathered before they are written.
    private static let bufferByteCount = 1 << 16

    /// True when the reader has gone, or writing has failed. May be asked on any thread.
    var isClosed: Bool {
        if state.withLock({ $0.isClosed }) { return true }
        return StandardOutput.isReaderGone
    }

    /// Why writing failed; nil also when the reader has gone, which is no failure.
    var failure: CommandFailure? { state.withLock { $0.failure } }

    /// Tells the output that the command ends: from now on it does not wait for a reader that takes nothing for half a
    /// second.
    func beginEnd() { state.withLock { $0.isEnding = true } }

    /// Writes the changes of models with one of these ids, or all where `ids` is nil. Runs on the queue.
    func write(_ changes: ChangeSet, ids: Set<ExactText>?) {
        for change in changes where !hasEnded && ids?.contains(ExactText(change.id)) ?? true {
            writer.writeLine(change)
            flushIfFull()
        }
        toldCount += 1
        lastCommit = max(lastCommit, changes.commitNumber)
        guard !isFlushDue else { return }
        isFlushDue = true
        // The flush waits behind the blocks on the queue, so that many change sets in a row leave in few writes.
        queue.async { self.flush() }
    }

    /// Writes models of one type. Runs on the queue.
    func write(_ records: [CellRecord], of type: String) {
        for record in records where !hasEnded {
            writer.writeLine(type: type, model: record)
            flushIfFull()
        }
    }

    /// Writes one line of text. Runs on the queue.
    func write(line: String) {
        writer.append(line)
        writer.append("\n")
    }

    private func flushIfFull() {
        if writer.bytes.count >= ChangeOutput.bufferByteCount { flush() }
    }

    /// Writes what has been gathered. Runs on the queue.
    func flush() {
        isFlushDue = false
        defer { writer.bytes.removeAll(keepingCapacity: true) }
        guard !writer.bytes.isEmpty, !hasEnded else { return }
        let result = output.write(writer.bytes) { self.state.withLock { $0.isEnding } }
        guard result != .written else { return }
        hasEnded = true
        if result == .stuck { StandardError.write(line: "the reader of the output has stopped; the rest is dropped") }
        state.withLock { state in
            state.isClosed = true
            state.failure = result.failure
        }
    }

    /// Runs `body` on the queue and waits for it.
    func onQueue<R: Sendable>(_ body: @escaping @Sendable (ChangeOutput) -> R) async -> R {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body(self)) }
        }
    }

    /// Returns when all changes up to a commit were told, or when the output is closed.
    ///
    /// A commit that changes no value is never told, so its number may not come. It is enough that nothing was told
    /// between two looks, because the cache puts its next turn on the queue before it ends one.
    func settle(through commit: UInt64) async {
        var previous = -1
        while true {
            let (count, last) = await onQueue { ($0.toldCount, $0.lastCommit) }
            if last >= commit || count == previous || state.withLock({ $0.isClosed }) { return }
            previous = count
        }
    }
}
