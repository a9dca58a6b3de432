import ModelJSON
import ModelRecord
import Modelcast

/// The differences of a copy and one of its senders, as JSON.
enum ComparisonDocument {
    /// How many differences of a type are told; of more, how many there are.
    private static let differenceCountMax = 200

    /// - Parameters:
    ///   - sender: the name of the sender.
    ///   - duration: how long the comparison took.
    /// - Returns: the document, with a line break at the end.
    static func text(
        _ sender: String, _ verifications: [Verification], _ form: JSONForm, took duration: Duration
    ) -> [UInt8] {
        var writer = JSONWriter(form)
        writer.append(#"{"with":"#)
        writer.write(sender)
        writer.append(",\"seconds\":\(MetricsText.number((duration.seconds * 1000).rounded() / 1000)),\"types\":")
        writer.write(verifications) { writer, verification in writer.write(verification) }
        writer.append("}\n")
        return writer.bytes
    }

    fileprivate static func told(_ differences: [Verification.Difference]) -> [Verification.Difference] {
        Array(differences.prefix(differenceCountMax))
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ verification: Verification) {
        append(#"{"type":"#)
        write(verification.type)
        append(#","verdict":"#)
        switch verification.verdict {
        case .equal(let digest):
            write("equal")
            append(#","digest":"#)
            let digits = String(digest, radix: 16)
            write(String(repeating: "0", count: 16 - digits.count) + digits)
        case .equalWhereHeld(let models, let evicted):
            write("equal-where-held")
            append(",\"models\":\(models),\"evicted\":\(evicted)")
        case .apart(let left, let right):
            write("apart")
            append(#","here":"#)
            write(left)
            append(#","there":"#)
            write(right)
        case .uncompared: write("uncompared")
        case .different(let differences):
            write("different")
            append(#","differences":"#)
            write(ComparisonDocument.told(differences)) { writer, difference in writer.write(difference) }
            append(",\"differencesCount\":\(differences.count)")
        }
        append("}")
    }

    private mutating func write(_ difference: Verification.Difference) {
        append(#"{"id":"#)
        write(difference.id)
        append(#","part":"#)
        switch difference.subject {
        case .model: write("model")
        case .touched: write("touched")
        case .floor: write("floor")
        case .field(let name):
            write("field")
            append(#","field":"#)
            write(name)
        }
        append(#","here":"#)
        write(difference.left)
        append(#","there":"#)
        write(difference.right)
        append("}")
    }

    private mutating func write(_ holding: Verification.Holding) {
        let version: Version?
        switch holding {
        case .nothing: return append("null")
        case .model(let touched): version = touched
        case .version(let known): version = known
        case .cell(let cell): version = cell.version
        }
        append("{\"written\":")
        if let version { write(version) as Void } else { append("null") }
        if let value = holding.value {
            append(#","value":"#)
            write(value)
        }
        append("}")
    }
}
