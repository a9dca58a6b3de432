import Foundation
import Modelcast

/// The fields of ``BenchUser``, decoded by code as a careful author would write it: the baseline for decoding.
struct BenchUserByHand {
    let id: String
    let name: String
    let mailAddress: String
    let age: Int
    let balance: Double
    let isActive: Bool
    let city: String?
    let language: String
    let score: Int32
    let createdAt: Date
    let tags: [String]

    private static let name: FieldName = "name"
    private static let mailAddress: FieldName = "mail_address"
    private static let age: FieldName = "age"
    private static let balance: FieldName = "balance"
    private static let isActive: FieldName = "isActive"
    private static let city: FieldName = "city"
    private static let language: FieldName = "language"
    private static let score: FieldName = "score"
    private static let createdAt: FieldName = "created_at"
    private static let tags: FieldName = "tags"

    /// Reads a record; nil where a field is missing or does not fit.
    init?(id: String, record: CellRecord) {
        typealias Names = BenchUserByHand
        var cursor = FieldCursor(record)
        guard cursor.find(Names.age), let age = cursor.int else { return nil }
        let city = cursor.find(Names.city) ? cursor.text : nil
        guard cursor.find(Names.name), let name = cursor.text,
            cursor.find(Names.tags), case .array(let tags)? = cursor.value,
            cursor.find(Names.score), let score = cursor.int.flatMap(Int32.init(exactly:)),
            cursor.find(Names.balance), let balance = cursor.double
        else { return nil }
        let language = cursor.find(Names.language) ? cursor.text : nil
        guard cursor.find(Names.isActive), let isActive = cursor.bool,
            cursor.find(Names.createdAt), let createdAt = cursor.int,
            cursor.find(Names.mailAddress), let mailAddress = cursor.text
        else { return nil }
        self.id = id
        self.name = name
        self.mailAddress = mailAddress
        self.age = Int(age)
        self.balance = balance
        self.isActive = isActive
        self.city = city
        self.language = language ?? "en"
        self.score = score
        self.createdAt = Date(timeIntervalSince1970: Double(createdAt) / 1000)
        self.tags = tags.compactMap(\.textValue)
    }
}

/// The same fields for `JSONDecoder`, with the decoding that the compiler synthesises.
struct BenchUserJSON: Codable {
    let id: String
    let name: String
    let mailAddress: String
    let age: Int
    let balance: Double
    let isActive: Bool
    let city: String?
    let language: String
    let score: Int32
    let createdAt: Int64
    let tags: [String]

    private enum CodingKeys: String, CodingKey {
        case id, name, age, balance, isActive, city, language, score, tags
        case mailAddress = "mail_address"
        case createdAt = "created_at"
    }
}
