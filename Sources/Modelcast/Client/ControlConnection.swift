import ModelRecord
import ModelSync
import ModelWire

/// One connection of a ``ControlClient``, on a thread of its own.
struct ControlConnection: ~Copyable {
    private let client: ControlClient
    private let cancellation: ThreadCancellation
    private let thread: any TransportThread
    private let connection: any RequestConnection
    private var nextRID: UInt64 = 2

    /// The longest name of a type.
    private static let typeByteCountMax = 64
    /// How many bytes of replies may wait.
    private static let queueByteCount = 256 << 20

    init(client: ControlClient, _ cancellation: ThreadCancellation) throws {
        let thread = try client.transport.implementation.openThread()
        let connection = try thread.connect(
            to: client.endpoint,
            ConnectionSettings(
                frameByteCount: WireLimits.ceiling.frameByteCount, queueByteCount: ControlConnection.queueByteCount,
                greetings: .waking, security: client.security))
        cancellation.wake(thread.waker)
        self.client = client
        self.cancellation = cancellation
        self.thread = thread
        self.connection = connection
    }

    mutating func hello() throws -> ControlClient.Welcome {
        var asked = ProtocolVersions.current.newest
        while true {
            do {
                return try hello(version: asked)
            } catch let error as ModelcastError where error.code == .version {
                guard let older = ProtocolVersions.current.next(after: asked) else { throw error }
                asked = older
            }
        }
    }

    /// Says hello once more, for the heads of now. Waits for a busy sender.
    mutating func helloAgain() throws -> ControlClient.Welcome { try whileBusy { try $0.hello() } }

    private mutating func hello(version asked: UInt64) throws -> ControlClient.Welcome {
        var welcome: ControlClient.Welcome?
        var version = asked
        let control = client.endpoint
        try ask(.hello(rid: 1, version: asked, name: "modelcast-ask", prefixes: [])) { reply in
            guard case .welcome(_, let spoken, let name, let endpoint, _, let frameLimit, let heads, let types) = reply
            else { return false }
            version = spoken
            // Types have a sixteenth of a frame (protocol article, section 5). The list is not cut where any other
            // type would have fitted.
            let byteCount = types.reduce(0) { $0 + $1.utf8.count + 2 } + ControlConnection.typeByteCountMax + 2
            welcome = ControlClient.Welcome(
                name: name,
                streamEndpoint: SenderEndpoints.resolve(stream: endpoint, control: control), heads: heads,
                heldTypes: types, namesAllTypes: byteCount < Int(clamping: frameLimit / 16))
            return true
        }
        guard ProtocolVersions.current.takes(version, asked: asked) else {
            throw ModelcastError(
                .version,
                "\(control) speaks protocol version \(version), this program speaks \(ProtocolVersions.current.text); "
                    + "update the older side")
        }
        guard let welcome else { throw ModelcastError(.timeout, "no welcome from \(control)") }
        return welcome
    }

    /// Repeats a request while the sender is busy, up to the time-out of one answer. A repetition is safe, as a sender
    /// refuses a request before its first reply and not in the middle of an answer.
    private mutating func whileBusy<R>(_ ask: (inout ControlConnection) throws -> R) throws -> R {
        let deadline = Clocks.now().uptimeMicroseconds + client.timeout.wholeMicroseconds
        while true {
            do {
                return try ask(&self)
            } catch let error as ModelcastError where error.code == .busy {
                guard Clocks.now().uptimeMicroseconds < deadline else { throw error }
                try pause(ControlConnection.busyPause)
            }
        }
    }

    /// The digests of a type, for each range of the top `bits` of its ids' mixed hashes. `bits` is 0 to 16. Waits for a
    /// busy sender.
    mutating func digests(of type: String, bits: Int) throws -> ControlClient.Digests {
        try whileBusy { try $0.digestsOnce(of: type, bits: bits) }
    }

    private mutating func digestsOnce(of type: String, bits: Int) throws -> ControlClient.Digests {
        var result: ControlClient.Digests?
        let rid = takeRID()
        try ask(.digest(rid: rid, type: type, bits: UInt64(bits))) { reply in
            guard case .digests(rid, let heads, let digests) = reply else { return false }
            result = ControlClient.Digests(heads: heads, digests: digests)
            return true
        }
        guard let result, result.digests.count == 1 << bits else {
            throw ModelcastError(.messaging, "\(client.endpoint) sent another number of digests than it was asked for")
        }
        return result
    }

    /// Calls `body` with every record whose topic begins with one of `prefixes`, tombstones included, as of one moment.
    /// Waits for a busy sender.
    mutating func snapshot(_ prefixes: [Topic], _ body: (_ type: String, [CellRecord]) -> Void) throws {
        guard !prefixes.isEmpty else { return }
        try whileBusy { try $0.snapshotOnce(prefixes, body) }
    }

    private mutating func snapshotOnce(_ prefixes: [Topic], _ body: (_ type: String, [CellRecord]) -> Void) throws {
        let rid = takeRID()
        var isComplete = false
        var parted = PartedRecords()
        var request = ControlRequest.snapshot(rid: rid, prefixes: prefixes, credit: ControlConnection.credit)
        while !isComplete {
            var left = ControlConnection.credit
            try ask(request) { reply in
                switch reply {
                case .records(rid, let type, let records):
                    for chunk in parted.take(rid, type: type, records, goesOn: false) {
                        body(chunk.type, chunk.records)
                    }
                    left -= 1
                    return left == 0
                case .part(rid, let type, let record):
                    for chunk in parted.take(rid, type: type, [record], goesOn: true) {
                        body(chunk.type, chunk.records)
                    }
                    left -= 1
                    return left == 0
                case .complete(rid, _):
                    for chunk in parted.finish(rid) { body(chunk.type, chunk.records) }
                    isComplete = true
                    return true
                default: return false
                }
            }
            request = .credit(rid: rid, count: ControlConnection.credit)
        }
    }

    /// Every record whose topic begins with one of `prefixes`, by its id. The prefixes are of one type.
    mutating func records(_ prefixes: [Topic]) throws -> [ExactText: CellRecord] {
        var result: [ExactText: CellRecord] = [:]
        try snapshot(prefixes) { _, records in
            for record in records { result[ExactText(record.id)] = record }
        }
        return result
    }

    /// How many chunks of a snapshot may be on their way.
    private static let credit: UInt64 = 32

    /// Fetches single records, in as many requests as their number and size need.
    /// - Parameter bringsBack: a subscriber with limits is to bring back what has left its copy.
    mutating func lookUp(
        _ type: String, _ ids: [String], bringsBack: Bool = false
    ) throws -> ControlClient.LookUp {
        var result = ControlClient.LookUp()
        var parts: [ArraySlice<String>] = []
        for start in stride(from: 0, to: ids.count, by: ControlConnection.fetchIDCount).reversed() {
            parts.append(ids[start..<min(start + ControlConnection.fetchIDCount, ids.count)])
        }
        while let part = parts.popLast() {
            do {
                let more = try whileBusy { try $0.fetchPart(type, Array(part), bringsBack) }
                result.records += more.records
                result.evicted += more.evicted
            } catch let error as ModelcastError where error.code == .limit && part.count > 1 {
                // The records of these ids are too large for one answer.
                let middle = part.startIndex + part.count / 2
                parts += [part[middle...], part[..<middle]]
            }
        }
        return result
    }

    private mutating func fetchPart(
        _ type: String, _ ids: [String], _ bringsBack: Bool
    ) throws -> ControlClient.LookUp {
        var result = ControlClient.LookUp()
        var parted = PartedRecords()
        let rid = takeRID()
        // The answer is to come before this side gives up.
        let milliseconds = max(client.timeout.wholeMicroseconds / 1000 * 9 / 10, 1)
        let request =
            bringsBack
            ? ControlRequest.fetchBack(rid: rid, type: type, ids: ids, milliseconds: milliseconds)
            : .fetch(rid: rid, type: type, ids: ids)
        try ask(request) { reply in
            switch reply {
            case .records(rid, let type, let chunk):
                result.records += parted.take(rid, type: type, chunk, goesOn: false).flatMap(\.records)
                return false
            case .part(rid, let type, let part):
                result.records += parted.take(rid, type: type, [part], goesOn: true).flatMap(\.records)
                return false
            case .evicted(rid, _, let ids):
                result.evicted += ids
                return false
            case .complete(rid, _):
                result.records += parted.finish(rid).flatMap(\.records)
                return true
            default: return false
            }
        }
        return result
    }

    /// The number of ids in one request, which every sender accepts.
    private static let fetchIDCount = 1024
    private static let busyPause = Duration.milliseconds(50)

    private mutating func takeRID() -> UInt64 {
        defer { nextRID += 1 }
        return nextRID
    }

    /// Waits for `duration`, or until something arrives.
    mutating func pause(_ duration: Duration) throws {
        try thread.wait(timeout: duration)
        try cancellation.check()
    }

    /// Sends a request and calls `body` with each reply until it returns true.
    mutating func ask(_ request: ControlRequest, _ body: (ControlReply) -> Bool) throws {
        try connection.send(request.encode())
        let deadline = Clocks.now().uptimeMicroseconds + client.timeout.wholeMicroseconds
        while true {
            while let reply = try receive() {
                if body(reply) { return }
            }
            if case .failed(let reason) = try connection.look() {
                throw ModelcastError(.security, "\(client.endpoint): \(reason)")
            }
            let now = Clocks.now().uptimeMicroseconds
            guard now < deadline else {
                throw ModelcastError(
                    .timeout,
                    "no answer from \(client.endpoint) within \(client.timeout); is a publisher running there, and is "
                        + "this its control endpoint (not the stream)?")
            }
            try pause(.microseconds(deadline - now))
        }
    }

    /// The next reply; nil when none has come.
    /// - Throws: ``ModelcastError`` for a refusal, and for a message that is no reply.
    private func receive() throws -> ControlReply? {
        var decoded: ControlReply?
        var problem = "a reply of several frames"
        let receipt = try connection.receive { frame in
            do throws(WireError) {
                decoded = try ControlReply(decoding: frame, limits: .ceiling)
            } catch {
                problem = "\(error)"
            }
        }
        if receipt == .nothing { return nil }
        guard let reply = decoded else {
            throw ModelcastError(
                .messaging, "\(client.endpoint) does not speak the Modelcast protocol: \(problem)")
        }
        guard case .error(_, let code, let text) = reply else { return reply }
        let kind: ModelcastError.Code =
            switch code {
            case .version: .version
            case .busy: .busy
            case .limit: .limit
            default: .messaging
            }
        throw ModelcastError(kind, "\(client.endpoint) refused: \(text)")
    }
}
