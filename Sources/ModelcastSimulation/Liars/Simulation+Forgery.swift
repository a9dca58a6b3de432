import ModelCache
import ModelRecord
import ModelSigning
import ModelSync
import ModelWire

/// Batches and records that a liar writes in the name of others. Only grants and signatures can tell them from true
/// ones.
extension Simulation {
    /// Sends a batch in the name of each other origin: as the next of its present start, or as the first of a later
    /// one.
    func forgeBatches(_ node: SimulatedNode) {
        for (origin, last) in others(than: node) {
            guard let topic = last.heads.keys.min(by: { $0.description < $1.description }) ?? last.heads.keys.first,
                let isLater = node.liar?.chance(300), let write = node.liar?.forgedWrite()
            else { continue }
            if settings.hasSignatures, node.liar?.chance(500) ?? false, let signed = lastSigned[origin] {
                changeSigned(signed, of: origin, node)
                continue
            }
            var writer = BatchWriter()
            let now = Stamp(moment(node).wallMilliseconds) << 16
            let stamp = max(last.stamp, now) + 1
            let operation: UpdateOperation =
                switch write.kind {
                case .merge: .merge
                case .replace, .assign: .replace
                case .delete: .delete
                }
            guard (try? writer.append(operation, stamp: stamp, id: write.id, fields: write.fields)) != nil else {
                continue
            }
            let isSealed = settings.hasSignatures && node.liar?.chance(500) ?? false
            var payload = writer.finish(
                origin: origin, incarnation: isLater ? stamp - 1 : last.incarnation,
                sequence: isLater ? 1 : (last.heads[topic] ?? 0) + 1, awaitsSeal: isSealed)
            // With its own key, which is not that of the other origin.
            if isSealed { payload = BatchSealer(key: signingKey(node)).sealed(payload, on: topic.bytes) }
            faults[.forgery] += 1
            tell(node, "forges a \(write.kind) of \(write.id) as \(origin)")
            publish(node, topic: topic.bytes, payload: payload)
        }
    }

    /// The records of a reply, and one that another origin seems to have written.
    func withForged(_ records: [CellRecord], type: String, _ node: SimulatedNode) -> [CellRecord] {
        guard let (origin, _) = others(than: node).first, let write = node.liar?.forgedWrite() else { return records }
        let cache = ModelCache()
        let configuration = OriginConfiguration(name: origin, streamEndpoint: "memory")
        guard
            var forger = try? Origin(configuration: configuration, cache: cache, now: moment(node), after: 0),
            let fields = try? EncodedFields(write.fields),
            (try? forger.write(write.kind, type: type, id: write.id, fields: fields, now: moment(node))) != nil,
            let record = cache.record(type: type, id: write.id, includingTombstones: true)
        else { return records }
        faults[.forgery] += 1
        return records + [record]
    }

    /// Sends a batch that an origin has signed, with something changed: its start, a byte of it, or its topic.
    private func changeSigned(_ batch: (topic: [UInt8], payload: [UInt8]), of origin: String, _ node: SimulatedNode) {
        var (topic, payload) = batch
        let way = node.liar?.wayToChange() ?? 0
        switch way {
        case 0: payload = FrameSurgery.withIncarnation((oracle.lastSent[origin]?.stamp ?? 0) + 1, payload)
        case 1: payload = FrameSurgery.withNextSequence(payload)
        default: topic = Topic.data(type: "Other").bytes
        }
        faults[.forgery] += 1
        tell(node, "changes a batch that \(origin) has signed, in way \(way)")
        publish(node, topic: topic, payload: payload)
    }

    private func others(than node: SimulatedNode) -> [(key: String, value: Oracle.LastSent)] {
        oracle.lastSent.sorted { $0.key < $1.key }.filter { $0.key != node.name }
    }
}

extension Liar {
    fileprivate mutating func wayToChange() -> Int { [0, 1, 2].pick(&generator) }

    /// A write to a model that honest origins write, or to one that nobody has.
    fileprivate mutating func forgedWrite() -> (kind: Write, id: String, fields: Fields) {
        let kind = [Write.merge, .merge, .replace, .delete].pick(&generator)
        let id = [0, 1, 2, 3, 4, 5, 6].pick(&generator)
        return (
            kind, chance(500) ? "\(id)" : "forged-\(id)", kind == .delete ? [:] : ["a": .int(-7)]
        )
    }
}
