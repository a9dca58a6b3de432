public import ModelCache
import ModelRecord
import ModelWire

extension ControlClient {
    /// A copy of all models that the sender holds, as they are at one moment.
    ///
    /// Nothing keeps it up to date afterwards: a ``Subscriber`` does that.
    public func copy() async throws -> ModelCache {
        let client = self
        return try await SocketThread.run(named: "modelcast-ask") {
            var connection = try ControlConnection(client: client)
            let types = try connection.hello().types
            let cache = ModelCache()
            let prefixes = types.map { Topic(bytes: Array("m/\($0)/".utf8)) }
            guard !prefixes.isEmpty else { return cache }
            let credit = 32
            var isComplete = false
            var request = ControlRequest.snapshot(rid: 2, prefixes: prefixes, credit: UInt64(credit))
            while !isComplete {
                var left = credit
                try connection.ask(request) { reply in
                    switch reply {
                    case .records(2, let type, let records):
                        cache.commit { commit in
                            for record in records { commit.join(record, type: type) }
                        }
                        left -= 1
                        return left == 0
                    case .complete(2, _):
                        isComplete = true
                        return true
                    default: return false
                    }
                }
                request = .credit(rid: 2, count: UInt64(credit))
            }
            return cache
        }
    }
}
