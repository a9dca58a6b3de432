import ModelRecord
import ModelSync

/// One call of the public API, with what it is given.
enum StressOperation: Sendable {
    case write(ModelStep)
    /// Several models in one step, each any number of times.
    case transaction([ModelStep])
    /// The same, thrown away in the middle.
    case abandonedTransaction([ModelStep])
    /// Several models one after the other, each once.
    case batch([ModelStep])
    /// `update(_:_:_:)` with a closure that sets `a`.
    case update(id: Int, a: Int64)
    /// `publish`, `assign` or `replace` of a Swift type.
    case typed(Write, StressItem)
    /// `merge(changesFrom:to:)` of what is read first.
    case publishChanges(id: Int, a: Int64)
    case deleteTyped(id: Int)
    /// A constant field, which is refused where it has another value.
    case publishDeed(StressDeed)
    case read(ModelKey, Int)
    case readTyped(id: Int, Int)
    case snapshot(Int)
    /// A name that is none.
    case refused
}

/// Random operations, the same for the same seed.
struct OperationGenerator {
    static let types = ["Item", "Other"]
    static let idCount = 6
    static let deedCount = 3
    private static let fields = ["a", "b", "c", "d"]

    /// All models that there can be.
    static let keys: [ModelKey] =
        types.flatMap { type in (0..<idCount).map { ModelKey(type: type, id: "\($0)") } }
        + (0..<deedCount).map { ModelKey(type: StressDeed.modelType, id: "\($0)") }

    private let client: Int
    private var random: SeededGenerator
    private var count = 0

    init(seed: UInt64, client: Int) {
        self.client = client
        random = SeededGenerator(seed: Fingerprint.mix(seed &+ UInt64(client) &* 0x1_0000_0001))
    }

    mutating func next() -> StressOperation {
        switch below(100) {
        case 0..<24: return .write(step(key(), anyWrite()))
        case 24..<30: return .transaction((0..<(2 + below(5))).map { _ in step(key(), anyWrite()) })
        case 30..<31: return .abandonedTransaction((0..<3).map { _ in step(key(), .merge) })
        case 31..<37:
            // Of a delete in a batch nothing tells the place.
            let keys = OperationGenerator.keys.prefix(OperationGenerator.types.count * OperationGenerator.idCount)
            return .batch(
                keys.shuffled(using: &random).prefix(2 + below(6)).map { step($0, below(4) == 0 ? .assign : .merge) })
        case 37..<43: return .update(id: id(), a: unique())
        case 43..<49:
            let item = StressItem(id: id(), a: unique(), b: below(3) == 0 ? nil : unique())
            return .typed([.merge, .merge, .assign, .replace][below(4)], item)
        case 49..<53: return .publishChanges(id: id(), a: unique())
        case 53..<55: return .deleteTyped(id: id())
        case 55..<59: return .publishDeed(StressDeed(id: below(OperationGenerator.deedCount), number: unique()))
        case 59..<60:
            let key = ModelKey(type: StressDeed.modelType, id: "\(below(OperationGenerator.deedCount))")
            return .write(ModelStep(key: key, write: .delete, fields: [:]))
        case 60..<61: return .refused
        default: return read()
        }
    }

    /// An operation that changes nothing.
    mutating func read() -> StressOperation {
        switch below(10) {
        case 0..<6: .read(key(), below(6))
        case 6..<8: .readTyped(id: id(), below(4))
        default: .snapshot(below(3))
        }
    }

    /// A number below another.
    mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }

    private mutating func id() -> Int { below(OperationGenerator.idCount) }

    /// Not a deed: these are written as what they are.
    private mutating func key() -> ModelKey {
        OperationGenerator.keys[below(OperationGenerator.types.count * OperationGenerator.idCount)]
    }

    private mutating func anyWrite() -> Write {
        switch below(10) {
        case 0..<5: .merge
        case 5..<7: .replace
        case 7..<9: .assign
        default: .delete
        }
    }

    private mutating func unique() -> Int64 {
        count += 1
        return StressValues.unique(client: client, count: count)
    }

    /// A write with one value that no other write has, and perhaps others.
    private mutating func step(_ key: ModelKey, _ write: Write) -> ModelStep {
        guard write != .delete else { return ModelStep(key: key, write: write, fields: [:]) }
        var fields: Contents = [:]
        for _ in 0..<below(3) {
            let shared: [Value] = [.null, .undefined, .int(Int64(below(Int(StressValues.shared))))]
            fields[OperationGenerator.fields[below(4)]] = shared[below(3)]
        }
        fields[OperationGenerator.fields[below(4)]] = .int(unique())
        return ModelStep(key: key, write: write, fields: fields)
    }
}
