import Foundation
import HTTPTypes

/// The parameters of a request, each name with its values in their order.
struct RequestQuery {
    private let values: [String: [String]]

    /// - Parameters:
    ///   - text: what stands behind the question mark; a plus is a blank, as forms write it.
    ///   - names: the parameters that the request may have.
    /// - Throws: ``Problem`` for what is not percent-encoded UTF-8, and for a parameter of another name.
    init(_ text: String?, names: Set<String>) throws(Problem) {
        var values: [String: [String]] = [:]
        for part in (text ?? "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try RequestQuery.decode(pair[0])
            let value = try RequestQuery.decode(pair.dropFirst().first ?? "")
            guard names.contains(name) else {
                throw Problem(
                    .badRequest,
                    "there is no parameter \(Problem.quoted(name)) here"
                        + (names.isEmpty ? "" : ": \(names.sorted().joined(separator: ", ")) are"))
            }
            values[name, default: []].append(value)
        }
        self.values = values
    }

    /// The value of a parameter that may stand once.
    func value(_ name: String) throws(Problem) -> String? {
        guard let all = values[name] else { return nil }
        guard all.count == 1 else { throw Problem(.badRequest, "\(name) is given \(all.count) times: give it once") }
        return all[0]
    }

    /// The values of a parameter that may stand several times; nil where it is not given.
    func all(_ name: String) -> [String]? { values[name] }

    /// The texts that stand between commas in a parameter that may stand several times; nil where it is not given.
    func list(_ name: String) throws(Problem) -> [String]? {
        guard let all = values[name] else { return nil }
        let list = all.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        guard !list.contains(where: \.isEmpty) else {
            throw Problem(.badRequest, "\(name) has an empty name: give names with commas between them")
        }
        return list
    }

    /// One of several words; the first where the parameter is not given.
    func word(_ name: String, of words: [String]) throws(Problem) -> String {
        guard let value = try value(name) else { return words[0] }
        guard words.contains(value) else {
            throw Problem(.badRequest, "\(name) is \(words.joined(separator: " or ")), not \(Problem.quoted(value))")
        }
        return value
    }

    private static func decode(_ text: Substring) throws(Problem) -> String {
        guard let decoded = PercentEncoding.decode(text, plusIsBlank: true) else {
            throw Problem(.badRequest, "\(Problem.quoted(String(text))) is no percent-encoded UTF-8")
        }
        return decoded
    }
}
