import Modelcast

/// The models of the measurement: ids like UUIDs, ten fields of ten letters. The same in every process.
struct Workload: Sendable {
    static let type = "Bench"
    /// The type of a model that is written after everything else: a subscriber that sees it has applied everything.
    static let endType = "BenchEnd"
    static let endID = "end"
    /// The id of another model of that type, which is written now and then during a run.
    static let progressID = "progress"

    static let fieldNames = [
        "display_name", "home_country", "mail_address", "phone_number", "street_line1", "street_line2", "account_kind",
        "account_note", "preferred_by", "last_contact",
    ]

    let ids: [String]

    init(models: Int) {
        var numbers = SeededNumbers(seed: 7)
        ids = (0..<models).map { _ in Workload.id(&numbers) }
    }

    private static func id(_ numbers: inout SeededNumbers) -> String {
        let digits = Array((Digests.text(numbers.next()) + Digests.text(numbers.next())).utf8)
        let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }

    /// Random texts for all ten fields.
    static func whole(_ numbers: inout SeededNumbers) -> Fields {
        var fields = Fields()
        for name in fieldNames { fields[name] = .text(numbers.text(10)) }
        return fields
    }

    /// Updates of two different fields. They are made before a measurement, so that making them is not measured.
    static func updates(_ count: Int, textBytes: Int = 10) -> [Fields] {
        var numbers = SeededNumbers(seed: 11)
        return (0..<count).map { _ in
            let first = numbers.below(10)
            let second = (first + 1 + numbers.below(9)) % 10
            return [
                fieldNames[first]: .text(numbers.text(textBytes)), fieldNames[second]: .text(numbers.text(textBytes)),
            ]
        }
    }
}
