@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire
import Modelcast

/// Batches of the canonical load whose models are made from numbers, so that ten million ids need no memory.
///
/// A model has some of the ten fields, of ten letters each; an update sets two of them. No two texts are equal, so that
/// each update changes something.
struct NumberedModels {
    /// The names of the fields, in the order of an encoded map.
    let fieldNames: [String]
    private let encodedNames: [[UInt8]]
    private var writer = BatchWriter()
    private var numbers: SeededNumbers
    private var stamp: Stamp = 1 << 40
    private var serial: UInt64 = 0
    private var id = [UInt8](repeating: 0, count: NumberedModels.idByteCount)
    private var fields: [UInt8] = []
    /// The updates of the last batch as Swift values, where they were asked for.
    private(set) var plain: [PlainUpdate] = []
    /// The models of the last batch, in its order.
    private(set) var touched: [Int] = []

    static let batchCount = 64
    private static let idByteCount = 36
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    private static let digits = Array("0123456789abcdef".utf8)

    /// - Parameter fieldCount: how many fields a model has, 2 to 10.
    init(fieldCount: Int = 10, seed: UInt64) {
        fieldNames = Workload.fieldNames.prefix(fieldCount).sorted(by: Fields.precedes)
        // A text of fewer than 24 bytes has a head of one byte.
        encodedNames = fieldNames.map { [0x60 + UInt8($0.utf8.count)] + Array($0.utf8) }
        numbers = SeededNumbers(seed: seed)
    }

    /// The id of model number `number`.
    static func id(_ number: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: idByteCount)
        write(number, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A batch of whole models, with all fields of each.
    mutating func whole(_ models: Range<Int>) throws -> [UInt8] {
        begin()
        for model in models {
            fields.removeAll(keepingCapacity: true)
            for name in encodedNames { appendPair(name) }
            append(model, fieldCount: encodedNames.count)
        }
        return finish()
    }

    /// A batch of updates of two fields each, to random models.
    /// - Parameter isPlain: also keeps the updates in ``plain``.
    mutating func updates(_ count: Int, of models: Int, isPlain: Bool = false) throws -> [UInt8] {
        begin()
        for _ in 0..<count {
            let model = numbers.below(models)
            let first = numbers.below(encodedNames.count - 1)
            let second = first + 1 + numbers.below(encodedNames.count - 1 - first)
            fields.removeAll(keepingCapacity: true)
            let texts = (appendPair(encodedNames[first]), appendPair(encodedNames[second]))
            append(model, fieldCount: 2)
            guard isPlain else { continue }
            plain.append(
                PlainUpdate(
                    id: String(decoding: id, as: UTF8.self),
                    first: (fieldNames[first], NumberedModels.text(texts.0)),
                    second: (fieldNames[second], NumberedModels.text(texts.1))))
        }
        return finish()
    }

    /// A model's texts by field, as a program without Modelcast keeps them.
    static func texts(of record: CellRecord) -> [String: String] { record.values.compactMapValues(\.textValue) }

    private mutating func begin() {
        plain.removeAll(keepingCapacity: true)
        touched.removeAll(keepingCapacity: true)
    }

    private mutating func append(_ model: Int, fieldCount: Int) {
        touched.append(model)
        stamp += 1
        NumberedModels.write(model, to: &id)
        // The arrays are copied as references, because a span of a stored array would borrow all of this value.
        let (id, fields) = (id, fields)
        writer.append(.merge, stamp: stamp, id: id.span, fields: fields.span, fieldCount: fieldCount)
    }

    private mutating func finish() -> [UInt8] {
        writer.finish(origin: "bench", incarnation: 1, sequence: 1)
    }

    /// Appends a field with a new text to `fields`.
    /// - Returns: the number that the text was made from.
    @discardableResult
    private mutating func appendPair(_ name: [UInt8]) -> UInt64 {
        serial += 1
        fields.append(contentsOf: name)
        fields.append(0x6A)
        for place in 0..<10 { fields.append(NumberedModels.letter(serial, place)) }
        return serial
    }

    private static func letter(_ serial: UInt64, _ place: Int) -> UInt8 {
        letters[Int(((serial &* 0x9E37_79B9_7F4A_7C15) &>> UInt64(5 * place)) & 31)]
    }

    private static func text(_ serial: UInt64) -> String {
        String(decoding: (0..<10).map { letter(serial, $0) }, as: UTF8.self)
    }

    private static func write(_ number: Int, to bytes: inout [UInt8]) {
        var bits = Fingerprint.mix(UInt64(number) &+ 1)
        for place in 0..<idByteCount {
            switch place {
            case 8, 13, 18, 23: bytes[place] = 0x2D
            default:
                // From here on the digits come from another word.
                if place == 17 { bits = Fingerprint.mix(UInt64(number) | 1 << 63) }
                bytes[place] = digits[Int(bits & 15)]
                bits &>>= 4
            }
        }
    }
}

/// An update as Swift values, as a program without Modelcast has it.
struct PlainUpdate {
    let id: String
    let first: (name: String, text: String)
    let second: (name: String, text: String)

    func apply(to texts: inout [String: String]) {
        texts[first.name] = first.text
        texts[second.name] = second.text
    }
}

/// A cache that decodes and commits batches, as a subscriber does.
struct FedCache: ~Copyable {
    let cache: ModelCache
    private let table: ModelTable
    private var decoder = BatchDecoder()

    /// - Parameter limits: limits, which are enforced after each batch; nil for none.
    init(limits: CacheLimits? = nil) {
        cache = ModelCache(limits: limits)
        table = cache.table(Workload.type)
    }

    /// Checks, decodes and commits a batch, as a replica does.
    @discardableResult
    mutating func take(_ frame: [UInt8]) throws -> BatchSummary {
        try decoder.decode(frame.span)
        let summary = cache.commit(decoder.batch(in: frame.span), in: table)
        if cache.isLimited { cache.enforceLimits(now: MonotonicClock.nanoseconds / 1_000) }
        return summary
    }

    /// Adds the models of these numbers.
    mutating func fill(_ models: Range<Int>, from source: inout NumberedModels) throws {
        for start in stride(from: models.lowerBound, to: models.upperBound, by: NumberedModels.batchCount) {
            try take(source.whole(start..<min(start + NumberedModels.batchCount, models.upperBound)))
        }
    }
}
