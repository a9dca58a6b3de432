import ModelCache
public import ModelRecord
public import ModelSync
import ModelWire

extension Simulation {
    /// Writes at a publisher; the batch goes out with its next tick, or when it is full. A publisher that is down,
    /// or that is taking its models back, writes nothing.
    /// - Throws: `WireError` for a bad name or value.
    @discardableResult
    public func write(
        at node: NodeID, _ write: Write, type: String, id: String, fields: Fields = [:]
    ) throws -> PublishOutcome {
        let node = nodes[node.index]
        guard node.recovery == nil else { return .unchanged }
        let outcome = try node.origin?.write(
            write, type: type, id: id, fields: try EncodedFields(fields), now: moment(node))
        if case .delete = write, node.cache?[type, id] != nil {
            // The delete is older than the model: the clock is behind stamps that were stored or taken back.
            fail(node, "has deleted \(type) \(id), which is still there")
        }
        return outcome ?? .unchanged
    }

    /// Writes several models at a publisher as one transaction. A publisher that is down, or that is taking its models
    /// back, writes nothing.
    /// - Throws: `WireError` for a bad name, or fields that do not fit into a frame; nothing has changed then.
    @discardableResult
    public func transaction(at node: NodeID, _ writes: WriteBatch) throws -> PublishOutcome {
        let node = nodes[node.index]
        guard node.recovery == nil else { return .unchanged }
        let outcome = try node.origin?.transaction(writes, now: moment(node))
        settle(node)
        return outcome ?? .unchanged
    }

    /// Sends what a publisher has not sent yet.
    public func flush(_ node: NodeID) {
        let node = nodes[node.index]
        node.origin?.flush()
        settle(node)
    }
}
