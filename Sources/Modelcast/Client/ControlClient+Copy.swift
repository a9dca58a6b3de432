@_spi(CacheWriting) public import ModelCache
import ModelRecord
import ModelWire

extension ControlClient {
    /// A copy of all models that the sender holds, as they are at one moment.
    ///
    /// Nothing keeps the copy up to date afterwards; a ``Subscriber`` does that.
    /// - Throws: ``ModelcastError`` when the sender does not answer or refuses; `CancellationError` when the task is
    ///   cancelled.
    public func copy() async throws -> ModelCache {
        let client = self
        return try await SocketThread.run(named: "modelcast-ask") { cancellation in
            var connection = try ControlConnection(client: client, cancellation)
            _ = try connection.hello()
            let cache = ModelCache()
            try connection.snapshot([Topic.dataPrefix]) { type, records in
                cache.commit { commit in
                    commit.join(records, type: type)
                }
            }
            return cache
        }
    }
}
