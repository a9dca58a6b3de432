import ModelCache
import ModelWire

/// The types of an origin and their topics, by index.
struct TopicTable {
    private var all: [TopicState] = []
    private var types: [String: OriginType] = [:]
    /// The type that was written last: the next write is mostly of the same type.
    private var last: OriginType?
    /// How many bytes the heads of all topics may take in one message.
    private var headsByteCount = 0
    /// The topics with an open batch, in the order in which they were opened.
    var open: [Int] = []
    /// The topics that a former incarnation has sent on, or may have. They are told with head 0 until this one sends on
    /// them.
    var former: Set<Int> = []
    /// Transactions over several topics have been sent, or may have been by an earlier start.
    var hasTransactions = false

    /// A type that was written before; nil for any other.
    func type(_ name: String) -> OriginType? { types[name] }

    /// A type that was written before, which counts as the last from now on; nil for any other.
    @inline(__always)
    mutating func use(_ name: String) -> OriginType? {
        if let last, last.name == name { return last }
        guard let type = types[name] else { return nil }
        last = type
        return type
    }

    /// Adds a type with its topics.
    /// - Parameters:
    ///   - table: the models of the type in the own copy of the origin.
    ///   - byteCountMax: how many bytes the heads of all topics may take.
    /// - Throws: code `limit` where they would take more.
    mutating func add(
        _ name: String, _ partitions: Partitions, table: ModelTable, byteCountMax: Int
    ) throws(WireError) -> OriginType {
        let first = Topic.data(type: name, partitions: partitions, bucket: 0)
        let byteCount = headsByteCount + partitions.rawValue * HeadsBudget.byteCount(first)
        guard byteCount <= byteCountMax else {
            throw WireError(
                .limit,
                "\(name) would be one type too many: the heads of \(count + partitions.rawValue) topics do not "
                    + "fit into one message; use fewer types or partitions, or raise frameByteCount on all sides")
        }
        headsByteCount = byteCount
        let type = OriginType(name: name, partitions: partitions, table: table, firstTopic: count)
        for partition in 0..<partitions.rawValue {
            let bucket = partition * (256 / partitions.rawValue)
            all.append(TopicState(topic: .data(type: name, partitions: partitions, bucket: bucket)))
        }
        types[name] = type
        return type
    }
}

extension TopicTable: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { all.count }

    subscript(index: Int) -> TopicState {
        @inline(__always) _read { yield all[index] }
        @inline(__always) _modify { yield &all[index] }
    }
}
