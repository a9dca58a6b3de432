import Foundation
import ModelCBOR
@_spi(RecordWriting) import ModelRecord
import ModelWire
import TestSupport

/// A frame as plain data, made of the model and not of its bytes: what another implementation must see in it.
///
/// ``text`` writes it in a form that the Python side writes too, so that two lines can be compared.
indirect enum Tree {
    case unsigned(UInt64)
    case value(Value)
    case text(String)
    case bytes([UInt8])
    case array([Tree])
    case map([(key: Tree, value: Tree)])

    var text: String {
        switch self {
        case .unsigned(let value): "i\(value)"
        case .value(let value): value.treeText
        case .text(let text): "t" + Array(text.utf8).hex
        case .bytes(let bytes): "b" + bytes.hex
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .map(let pairs):
            "{" + pairs.map { $0.key.text + ":" + $0.value.text }.sorted().joined(separator: ",") + "}"
        }
    }
}

extension Value {
    fileprivate var treeText: String {
        switch self {
        case .null: "n"
        case .undefined: "u"
        case .bool(let value): value ? "T" : "F"
        case .int(let value): "i\(value)"
        case .double(let value): value.treeText
        case .text(let text): Tree.text(text).text
        case .bytes(let bytes): Tree.bytes(bytes).text
        case .array(let elements): Tree.array(elements.map(Tree.value)).text
        case .map(let map): Tree.map(map.map { (.text($0.key), .value($0.value)) }).text
        case .uri(let text): "g32(" + Tree.text(text).text + ")"
        case .uuid(let uuid): "U" + uuid.uuidString.lowercased().filter { $0 != "-" }
        case .timestamp(let seconds): "s" + seconds.treeText
        case .tagged(let tag, let encoded):
            "g\(tag)(" + ((try? Value(encoded: encoded))?.treeText ?? "?") + ")"
        }
    }

    fileprivate init(encoded: [UInt8]) throws(CBORError) {
        var reader = CBORReader(encoded.span)
        try self.init(reading: &reader)
    }
}

extension Double {
    fileprivate var treeText: String {
        if isNaN { return "dnan" }
        return "d" + (0..<8).reversed().map { UInt8(truncatingIfNeeded: bitPattern >> (8 * $0)) }.hex
    }
}

extension Heads {
    var tree: Tree {
        let pairs = heads.map { head -> (key: Tree, value: Tree) in
            (.bytes(head.topic.bytes), .array([.unsigned(head.sequence)] + (head.digest.map { [.unsigned($0)] } ?? [])))
        }
        let known: [Tree] = [
            .unsigned(1), .text(origin), .unsigned(incarnation), .unsigned(stamp), .map(pairs),
            .unsigned(
                (isRelayed ? 1 : 0) + (hasTransactions ? 2 : 0) + (isPushed ? 4 : 0) + (leavesNamesOut ? 8 : 0)
                    + (mayHaveFormer ? 16 : 0)),
        ]
        let later = [ageMilliseconds, leasesSince, quietMilliseconds, leaseDistance]
        let count = (later.lastIndex { $0 != nil } ?? -1) + 1
        return .array(known + later.prefix(count).map { $0.map(Tree.unsigned) ?? .value(.null) })
    }
}

extension SignedHeads {
    var tree: Tree {
        let pairs = heads.map { (key: Tree.bytes($0.topic.bytes), value: Tree.unsigned($0.sequence)) }
        return .array([
            .unsigned(3), .text(origin), .unsigned(incarnation), .unsigned(stamp), .text(type), .unsigned(since),
            .map(pairs), .unsigned(UInt64(firstBucket)), .bytes(hashes), .bytes([1, 2]),
        ])
    }
}

extension CellRecord {
    /// From what its readers say, not from its bytes.
    var tree: Tree {
        let pairs = cells.map { cell -> (key: Tree, value: Tree) in
            (
                .text(cell.field),
                .array([.value(cell.value), .unsigned(cell.version.stamp), .text(cell.version.origin)])
            )
        }
        return .array([.text(id), CellRecord.tree(floor), CellRecord.tree(touched), .map(pairs)])
    }

    private static func tree(_ version: Version?) -> Tree {
        version.map { .array([.unsigned($0.stamp), .text($0.origin)]) } ?? .value(.null)
    }
}

extension BatchSample {
    /// - Parameter fields: of each update.
    func tree(fields: [Fields]) -> Tree {
        let updates = zip(self.updates, fields).map { update, fields -> Tree in
            .array([
                .unsigned(update.operation.rawValue), .unsigned(update.stamp - stamp), .text(update.id),
                .map(fields.pairs.map { (.text($0.field), .value($0.value)) }),
            ])
        }
        let known: [Tree] = [
            .unsigned(0), .text(origin), .unsigned(incarnation), .unsigned(sequence), .unsigned(stamp), .array(updates),
        ]
        return .array(known + (group.isEmpty ? [] : [.array(group.map { .bytes($0.bytes) })]))
    }
}

extension ControlRequest {
    var tree: Tree {
        let arguments: [Tree]
        switch self {
        case .hello(_, let version, let name, let prefixes):
            arguments = [.unsigned(version), .text(name), .array(prefixes.map { .bytes($0.bytes) })]
        case .snapshot(_, let prefixes, let credit):
            arguments = [.array(prefixes.map { .bytes($0.bytes) }), .unsigned(credit)]
        case .heads(_, let prefixes, let credit):
            arguments = [.array(prefixes.map { .bytes($0.bytes) }), .unsigned(credit), .text("heads")]
        case .ids(_, let prefixes, let credit):
            arguments = [.array(prefixes.map { .bytes($0.bytes) }), .unsigned(credit), .text("ids")]
        case .credit(_, let count): arguments = [.unsigned(count)]
        case .replay(_, let origin, let incarnation, let topic, let first, let last):
            arguments = [.text(origin), .unsigned(incarnation), .bytes(topic.bytes), .unsigned(first), .unsigned(last)]
        case .fetch(_, let type, let ids): arguments = [.text(type), .array(ids.map(Tree.text))]
        case .fetchBack(_, let type, let ids, let milliseconds):
            arguments = [.text(type), .array(ids.map(Tree.text)), .unsigned(milliseconds)]
        case .digest(_, let type, let bits): arguments = [.text(type), .unsigned(bits)]
        case .push(_, let topic, let batch): arguments = [.bytes(topic.bytes), .bytes(batch)]
        case .report(_, let report): arguments = [report.tree]
        case .cancel, .unknown: arguments = []
        }
        return .array([.text(method), .unsigned(rid)] + arguments)
    }
}

extension ReplicaReport {
    fileprivate var tree: Tree {
        var pairs: [(key: Tree, value: Tree)] = [
            (.text("state"), .text(state)), (.text("applied"), .array(applied.map(\.tree))),
        ]
        if let lagMilliseconds { pairs.append((.text("lag_ms"), .unsigned(lagMilliseconds))) }
        if !streams.isEmpty {
            let list = streams.map { stream in
                Tree.array([
                    .text(stream.origin), .bytes(stream.topic.bytes), .text(stream.state),
                    .unsigned(stream.milliseconds), .text(stream.reason),
                ])
            }
            pairs.append((.text("streams"), .array(list)))
        }
        for (name, count) in counters { pairs.append((.text(name), .unsigned(count))) }
        return .map(pairs)
    }
}

extension ControlReply {
    var tree: Tree {
        let arguments: [Tree]
        switch self {
        case .welcome(_, let version, let name, let endpoint, let heartbeat, let frameLimit, let heads, let types):
            arguments =
                [
                    .unsigned(version), .text(name), .text(endpoint), .unsigned(heartbeat), .unsigned(frameLimit),
                    .array(heads.map(\.tree)),
                ]
                + (types.isEmpty ? [] : [.array(types.map(Tree.text))])
        case .records(_, let type, let records): arguments = [.text(type), .array(records.map(\.tree))]
        case .part(_, let type, let record): arguments = [.text(type), .array([record.tree]), .value(.bool(true))]
        case .complete(_, let heads): arguments = [.array(heads.map(\.tree))]
        case .frame(_, let topic, let batch): arguments = [.bytes(topic.bytes), .bytes(batch)]
        case .evicted(_, let type, let ids): arguments = [.text(type), .array(ids.map(Tree.text))]
        case .gone(_, let oldest): arguments = [.unsigned(oldest)]
        case .digests(_, let heads, let digests):
            arguments = [.array(heads.map(\.tree)), .array(digests.map(Tree.unsigned))]
        case .error(_, let code, let message): arguments = [.text(code.rawValue), .text(message)]
        case .accepted, .unknown: arguments = []
        }
        return .array([.text(method), .unsigned(rid)] + arguments)
    }
}

extension FrameSample {
    /// - Parameter fields: those of the updates, if it is a batch.
    func tree(fields: [Fields]) -> Tree {
        switch self {
        case .heads(let heads): heads.tree
        case .bye(let bye): .array([.unsigned(2), .text(bye.origin), .unsigned(bye.incarnation), .unsigned(bye.stamp)])
        case .batch(let batch): batch.tree(fields: fields)
        case .request(let request): request.tree
        case .reply(let reply): reply.tree
        case .signedHeads(let heads): heads.tree
        }
    }
}
