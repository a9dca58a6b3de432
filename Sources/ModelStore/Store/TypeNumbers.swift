import GRDB

/// The numbers of types: the rows of records have a number in the place of the type's name.
struct TypeNumbers {
    private var numbers: [String: Int64] = [:]
    private var names: [Int64: String] = [:]
    /// Rows whose checksum is wrong. Records with such a type number have no type.
    private(set) var damaged: [DamagedRow] = []

    init() {}

    init(_ database: Database) throws {
        for row in try Row.fetchAll(database, sql: "SELECT name, number, sum FROM type") {
            guard let name = try? row.text(0), let bits = try? row.number(1),
                Int64.fromDatabaseValue(row[2]) == RowSum.type(Int64(bitPattern: bits), name)
            else {
                damaged.append(DamagedRow(.type, row))
                continue
            }
            numbers[name] = Int64(bitPattern: bits)
            names[Int64(bitPattern: bits)] = name
        }
    }

    subscript(name: String) -> Int64? { numbers[name] }

    subscript(number: Int64) -> String? { names[number] }

    /// The number of `name`. A new name gets one, in the open transaction; the store keeps this copy once that has
    /// committed.
    mutating func number(of name: String, _ database: Database) throws -> Int64 {
        if let number = numbers[name] { return number }
        let number = (try Int64.fetchOne(database, sql: "SELECT max(number) FROM type") ?? 0) + 1
        try database.execute(
            sql: "INSERT OR REPLACE INTO type(number, name, sum) VALUES (?, ?, ?)",
            arguments: [number, name, RowSum.type(number, name)])
        numbers[name] = number
        names[number] = name
        return number
    }
}
