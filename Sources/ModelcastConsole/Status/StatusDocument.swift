import Foundation
import ModelJSON
import ModelSync
import ModelWire
import Modelcast

/// The state of a process as JSON: what is wrong first, then each service with what it listens to, whom it serves, its
/// store and its copy.
///
/// Streams are told by origin, as a type may have 256 of them.
enum StatusDocument {
    /// How many types, origins and peers of a service are told; of more, how many there are.
    static let rowCountMax = 1_000

    /// - Parameters:
    ///   - checks: what has to hold, in any order.
    ///   - looks: the services, each with its queues.
    /// - Returns: the document, with a line break at the end.
    static func text(_ checks: [HealthCheck], _ looks: [(ConsoleLook, [QueueFill])]) -> [UInt8] {
        var writer = JSONWriter()
        let isReady = checks.allSatisfy { $0.problem == nil }
        writer.append("{\"ready\":\(isReady),\"checks\":")
        let sorted = checks.filter { $0.problem != nil } + checks.filter { $0.problem == nil }
        writer.write(sorted) { writer, check in
            writer.append(#"{"check":"#)
            writer.write(check.name)
            writer.member("problem", check.problem)
            writer.append("}")
        }
        writer.append(#","process":"#)
        writer.writeProcess()
        writer.append(#","services":"#)
        writer.write(looks) { writer, look in writer.write(look.0, look.1) }
        writer.append("}\n")
        return writer.bytes
    }
}

/// The streams of one origin together.
private struct OriginRow {
    let origin: String
    private(set) var streams = 0
    private(set) var state = ReplicaState.live
    private(set) var missing: UInt64 = 0
    private(set) var openHoles = 0
    private(set) var holesFound: UInt64 = 0
    private(set) var lastRepair: Duration?
    /// Why the stream in the worst state is in it, and for how long a stream of that kind, live or not, has been so.
    private(set) var reason: String?
    private(set) var lasted: Duration?
    /// How many batches are known to be sent, and how many have been applied with all before them.
    private(set) var head: UInt64 = 0
    private(set) var applied: UInt64 = 0
    private(set) var longestStale = Duration.zero

    init(origin: String) { self.origin = origin }

    mutating func add(_ stream: StreamStatus, lasted duration: Duration) {
        streams += 1
        if OriginRow.badness(stream.state) > OriginRow.badness(state) {
            (state, reason, lasted) = (stream.state, stream.reason, nil)
        }
        if stream.state == state { lasted = [lasted, duration].compactMap(\.self).max() }
        head &+= stream.head
        applied &+= stream.applied
        longestStale = max(longestStale, stream.longestStale)
        missing &+= stream.shownMissing
        openHoles += stream.hasOpenHole ? 1 : 0
        holesFound += stream.holesFound
        lastRepair = [lastRepair, stream.lastRepair].compactMap(\.self).max()
    }

    static func badness(_ state: ReplicaState) -> Int {
        switch state {
        case .live: 0
        case .syncing: 1
        case .repairing: 2
        case .connecting: 3
        case .stale: 4
        }
    }

    /// The origins of the streams, the worst first, and else by name.
    static func rows(of streams: [StreamStatus], _ look: ConsoleLook) -> [OriginRow] {
        var rows: [String: OriginRow] = [:]
        for stream in streams {
            let lasted = look.watch.lasted(stream, now: look.now)
            rows[stream.origin, default: OriginRow(origin: stream.origin)].add(stream, lasted: lasted)
        }
        return rows.values.sorted {
            (-OriginRow.badness($0.state), $0.origin) < (-OriginRow.badness($1.state), $1.origin)
        }
    }
}

extension JSONWriter {
    /// Writes a member of an object behind another one.
    fileprivate mutating func member(_ name: String, _ text: String?) {
        append(",\"\(name)\":")
        if let text { write(text) } else { append("null") }
    }

    fileprivate mutating func member(_ name: String, _ number: some BinaryInteger) { append(",\"\(name)\":\(number)") }

    fileprivate mutating func member(_ name: String, _ number: Int?) {
        append(",\"\(name)\":\(number.map { "\($0)" } ?? "null")")
    }

    fileprivate mutating func member(_ name: String, _ number: UInt64?) {
        append(",\"\(name)\":\(number.map { "\($0)" } ?? "null")")
    }

    fileprivate mutating func member(_ name: String, _ flag: Bool) { append(",\"\(name)\":\(flag)") }

    fileprivate mutating func member(_ name: String, _ duration: Duration?) {
        // Whole milliseconds: what is told in more digits changes at each look.
        let milliseconds = duration.map { max(0, Int64($0 / .milliseconds(1))) }
        let seconds = milliseconds.map { "\($0 / 1000).\(String($0 % 1000 + 1000).dropFirst())" }
        append(",\"\(name)\":\(seconds ?? "null")")
    }

    /// Writes the first of the rows of a table, and how many there are in all.
    fileprivate mutating func table<Row>(_ name: String, _ rows: [Row], _ body: (inout JSONWriter, Row) -> Void) {
        append(",\"\(name)\":")
        write(Array(rows.prefix(StatusDocument.rowCountMax)), body)
        member("\(name)Count", rows.count)
    }

    fileprivate mutating func write(_ look: ConsoleLook, _ queues: [QueueFill]) {
        append(#"{"service":"#)
        write(look.subject.kind)
        member("name", look.subject.name)
        let cache = look.subject.cache
        member("commits", cache.deliveredCommitNumber)
        member("lagSeconds", look.lag)
        let snapshot = cache.snapshot()
        table("types", snapshot.types.sorted()) { writer, type in
            writer.append(#"{"type":"#)
            writer.write(type)
            writer.member("models", snapshot.count(of: type))
            writer.member("bytes", snapshot.estimatedByteCount(of: type))
            writer.append("}")
        }
        table("queues", queues) { writer, queue in writer.write(queue) }
        if let listening = look.state.listening {
            table("senders", listening.senders) { writer, sender in writer.write(sender, look) }
            table("origins", OriginRow.rows(of: listening.streams, look)) { writer, row in writer.write(row) }
        }
        if let peers = look.state.peers { table("peers", peers) { writer, peer in writer.write(peer, now: look.now) } }
        if let store = look.state.store { write(store) }
        if case .publisher(let publisher) = look.subject, let progress = publisher.pushProgress {
            table("pushes", Array(zip(publisher.configuration.relays, progress.relays))) { writer, push in
                writer.write(push.1, to: push.0)
            }
        }
        if let publisher = look.state.publisher {
            member("replayBytes", publisher.replayByteCount)
            member("clockLeadSeconds", publisher.clockLead)
        }
        append("}")
    }

    fileprivate mutating func writeProcess() {
        append("{\"pid\":\(ProcessInfo.processInfo.processIdentifier)")
        if let figures = ProcessFigures.now {
            append(",\"processorSeconds\":\(figures.processorSeconds)")
            member("memoryBytes", Int(figures.memoryByteCount))
            let uptime = figures.startTime.map { Duration.seconds(Date().timeIntervalSince1970 - $0) }
            member("uptimeSeconds", uptime)
        }
        append("}")
    }

    private mutating func write(_ sender: SenderStatus, _ look: ConsoleLook) {
        // The number that the figures have as label: one that was never met has no name.
        append("{\"sender\":\(sender.sender.index + 1)")
        member("name", sender.name)
        member("state", sender.state.rawValue)
        let outage = look.watch.outage(of: sender, now: look.now)
        // The times of a sender that is away begin anew whenever it is asked again.
        let isAway = sender.state == .connecting || sender.state == .stale
        member("sinceSeconds", sender.state == .live ? sender.lasted : outage)
        member("outageSeconds", outage)
        member("silentSeconds", isAway ? max(sender.silent, outage) : sender.silent)
        member("wasLive", sender.wasLive)
        member("error", sender.lastError)
        append("}")
    }

    private mutating func write(_ queue: QueueFill) {
        append(#"{"queue":"#)
        write(queue.name)
        member("count", queue.count)
        member("bytes", queue.byteCount)
        member("limit", queue.limit)
        member("unit", queue.unit)
        append("}")
    }

    private mutating func write(_ row: OriginRow) {
        append(#"{"origin":"#)
        write(row.origin)
        member("state", row.state.rawValue)
        member("reason", row.reason)
        member("sinceSeconds", row.lasted)
        member("streams", row.streams)
        member("head", row.head)
        member("applied", row.applied)
        member("missingBatches", row.missing)
        member("openHoles", row.openHoles)
        member("holesFound", row.holesFound)
        member("lastRepairSeconds", row.lastRepair)
        member("longestStaleSeconds", row.longestStale)
        append("}")
    }

    private mutating func write(_ peer: Peer, now: Duration) {
        append(#"{"name":"#)
        write(peer.name)
        member("key", peer.keyName.isEmpty ? nil : peer.keyName)
        member("address", peer.address.isEmpty ? nil : peer.address)
        member("state", peer.report?.state)
        member("silentSeconds", max(.zero, now - .microseconds(Int64(clamping: peer.lastHeard))))
        member("lagSeconds", peer.report?.lagMilliseconds.map { Duration.milliseconds(Int64(clamping: $0)) })
        member("applied", peer.report?.appliedCount)
        member("requests", peer.tally.requestCount)
        member("refused", peer.tally.refusedCount)
        append("}")
    }

    private mutating func write(_ push: PushStatus, to relay: String) {
        append(#"{"relay":"#)
        write(relay)
        let state =
            switch push.state {
            case .connecting: "connecting"
            case .pushing: "pushing"
            case .pausing: "pausing"
            case .failed: "failed"
            }
        member("state", state)
        member("unacknowledged", push.unacknowledged)
        member("acknowledged", push.acknowledged)
        member("error", push.lastError)
        append("}")
    }

    private mutating func write(_ store: WriteBehindStatus) {
        append(",\"store\":{\"writes\":\(store.problem == nil)")
        member("error", store.problem)
        member("pendingModels", store.pendingModels)
        member("rowsWritten", store.rowsWritten)
        member("failures", store.failures)
        append("}")
    }
}

extension ReplicaReport {
    /// How many batches the peer has applied, of all streams.
    fileprivate var appliedCount: UInt64 {
        applied.reduce(0) { $1.heads.reduce($0) { $0 &+ $1.sequence } }
    }
}
