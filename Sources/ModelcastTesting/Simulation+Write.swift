public import ModelRecord
public import ModelSync
import ModelWire

extension Simulation {
    /// Writes at an origin; the batch goes out with the next tick, or when it is full.
    /// - Throws: `WireError` for a bad name or value.
    @discardableResult
    public mutating func write(
        origin: Int, _ write: Write, type: String, id: String, fields: Fields = [:]
    ) throws -> PublishOutcome {
        try self.write(
            origin: origin, TransactionEntry(write, type: type, id: id, fields: try EncodedFields(fields)))
    }

    /// Writes at an origin what a transaction could have held.
    @discardableResult
    public mutating func write(origin: Int, _ entry: TransactionEntry) throws -> PublishOutcome {
        try origins[origin].write(entry.write, type: entry.type, id: entry.id, fields: entry.fields, now: moment)
    }

    /// Writes several models at an origin as one transaction.
    @discardableResult
    public mutating func transaction(origin: Int, _ entries: [TransactionEntry]) throws -> PublishOutcome {
        let outcome = try origins[origin].transaction(entries, now: moment)
        carryOut(origin: origin)
        return outcome
    }
}
