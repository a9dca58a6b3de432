import HummingbirdCore
import ModelCache
import ModelJSON
import Modelcast
import NIOCore

/// One event stream: the state, then every change, or what comes behind the last event that its reader has had.
struct ChangeFeed: Sendable {
    let gateway: GatewayState
    let query: ModelQuery
    /// Stands in the ids of its events.
    let epoch: String
    /// The id of the last event that the reader has had.
    let lastEventID: String?
    /// The state is told first; else only what changes from now on.
    let tellsState: Bool
    let admission: FeedTable.Admission
    /// The connection still stands.
    let isConnected: @Sendable () -> Bool

    /// The pause between two writes of changes: what comes meanwhile leaves together.
    private static let writePause: Duration = .milliseconds(10)
    /// How many bytes are gathered before they are written.
    private static let writeByteCount = 64 << 10

    /// Writes the stream until it is to end, or its reader has gone.
    func run(_ writer: inout any ResponseBodyWriter) async throws {
        var events = EventText(epoch: epoch)
        events.writeRetry()
        let (queue, missed, position) = begin(&events)
        defer { queue.cancel() }
        for set in missed ?? [] {
            try await add(set, behind: position?.commitNumber == set.commitNumber ? position : nil, &events, &writer)
        }
        // All up to this commit has been told.
        var told = missed == nil ? nil : queue.commitNumber
        var wasReady = gateway.isReady
        if let told { events.writeLive(told, isReady: wasReady, isResumed: true) }
        admission.ring()
        var lastWrite = ContinuousClock.now
        for await _ in admission.bells {
            guard isConnected() else { return }
            let isQuiet = lastWrite.duration(to: .now) >= gateway.configuration.heartbeatPause
            // Read before the queue is emptied: then everything up to it has been told.
            let current = isQuiet ? gateway.cache.deliveredCommitNumber : 0
            var hasChanges = false
            while let set = queue.next() {
                if !set.isInitial, told == nil { told = goLive(queue, &events, &wasReady) }
                try await add(set, behind: nil, &events, &writer)
                guard !set.isInitial else { continue }
                (hasChanges, told) = (true, set.commitNumber)
            }
            let position = told ?? goLive(queue, &events, &wasReady)
            told = max(position, current)
            let isReady = gateway.isReady
            if isReady != wasReady || (isQuiet && events.isEmpty) {
                events.writeHeartbeat(max(position, current), isReady: isReady)
                wasReady = isReady
            }
            guard !events.isEmpty else { continue }
            try await writer.write(events.take())
            lastWrite = .now
            if hasChanges { try await Task.sleep(for: ChangeFeed.writePause) }
        }
        try await writer.finish(nil)
    }

    /// Tells that the state is complete.
    /// - Returns: the commit up to which all has been told.
    private func goLive(_ queue: ChangeQueue, _ events: inout EventText, _ wasReady: inout Bool) -> UInt64 {
        wasReady = gateway.isReady
        events.writeLive(queue.commitNumber, isReady: wasReady, isResumed: false)
        return queue.commitNumber
    }

    /// Begins to take changes: behind the last event of the reader where everything behind it is known, else with the
    /// state, or from now on where that is not asked for.
    /// - Returns: the changes that are to come; those that the reader has missed, and the position behind which they
    ///   are, or nil where it has missed none that are known.
    private func begin(_ events: inout EventText) -> (ChangeQueue, [ChangeSet]?, ChangePosition?) {
        if let lastEventID {
            if let position = ChangePosition(lastEventID, epoch: epoch), let history = gateway.keptHistory {
                let queue = queue(includingState: false)
                if let missed = history.changes(behind: position, through: queue.commitNumber) {
                    return (queue, missed, position)
                }
                queue.cancel()
            }
            events.writeReset()
        }
        return (queue(includingState: tellsState), nil, nil)
    }

    /// The changes to come. What leaves a copy with limits is among them: of what happens to it afterwards the reader
    /// would hear nothing.
    private func queue(includingState: Bool) -> ChangeQueue {
        gateway.cache.changeQueue(
            query.interest, evictions: true, includingState: includingState, bell: admission.ring)
    }

    /// Adds the events of a set, and writes what there is whenever it is enough.
    /// - Parameter position: the last change of the set that the reader has had.
    private func add(
        _ set: ChangeSet, behind position: ChangePosition?, _ events: inout EventText,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        if set.isInitial {
            for change in set where query.selects(type: change.type) && query.selects(id: change.id) {
                guard let record = change.new, query.selects(record) else { continue }
                events.writeState(change.type, record, change.version, query.form)
                if events.byteCount >= ChangeFeed.writeByteCount { try await writer.write(events.take()) }
            }
            return
        }
        // Each of its changes is all that a commit has for it.
        let isOfOneModel = if case .model = query.interest { true } else { false }
        var isBehind = position?.last == nil
        for (section, positions) in set.sections {
            var start = positions.lowerBound
            if !isBehind, let last = position?.last {
                guard section.type == last.type else { continue }
                (isBehind, start) = (true, min(last.position, section.count - 1) + 1)
            }
            guard query.selects(type: section.type) else { continue }
            guard !isOfOneModel, !set.isFolded else {
                // A part at a time: what was folded may be all models that there are.
                while start < positions.upperBound {
                    let end = min(start + SharedChanges.partCountMax, positions.upperBound)
                    let marks = isOfOneModel ? EncodedChanges.Marks.commit(set.commitNumber) : .none
                    events.add(EncodedChanges(section, start..<end, query, epoch: epoch, marks).bytes[...])
                    if events.byteCount >= ChangeFeed.writeByteCount { try await writer.write(events.take()) }
                    start = end
                }
                continue
            }
            let entry = gateway.shared.entry(section, query, epoch: epoch)
            for (index, part) in entry.parts.enumerated() where part.upperBound > start {
                let changes = gateway.shared.changes(entry, part: index, commitNumber: set.commitNumber)
                events.add(changes.bytes[changes.start(behind: max(0, start - part.lowerBound))...])
                if events.byteCount >= ChangeFeed.writeByteCount { try await writer.write(events.take()) }
            }
        }
        events.closeCommit()
        // Behind each of these events nothing can go on, but behind all of them.
        if set.isFolded, !isOfOneModel { events.writeHeartbeat(set.commitNumber, isReady: gateway.isReady) }
        if events.byteCount >= ChangeFeed.writeByteCount { try await writer.write(events.take()) }
    }
}
