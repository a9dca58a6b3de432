import HTTPTypes
import ModelRecord

/// The conditions on a model, without which a request is not done (RFC 9110, section 13).
struct RequestPreconditions {
    /// The tags of which the model has one; empty for whatever it has.
    private let match: [String]
    /// The model does not exist.
    private let isAbsent: Bool

    init(_ headers: HTTPFields) throws(Problem) {
        try self.init(match: headers[values: .ifMatch], noneMatch: headers[values: .ifNoneMatch])
    }

    /// - Throws: ``Problem`` for what a write cannot be bound to.
    init(match: [String], noneMatch: [String]) throws(Problem) {
        self.match = match
        let tags = match.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        guard tags.allSatisfy({ $0.contains("\"") || $0.trimmingPrefix { $0 == " " } == "*" }) else {
            throw Problem(.badRequest, "If-Match is * or what an answer has as ETag, with its quotes")
        }
        guard noneMatch.allSatisfy({ $0 == "*" }) else {
            throw Problem(.badRequest, "of a write If-None-Match can only be *: the model must not exist yet")
        }
        isAbsent = !noneMatch.isEmpty
    }

    func areMet(by record: CellRecord?) -> Bool {
        if isAbsent, record != nil { return false }
        guard !match.isEmpty else { return true }
        guard let record else { return false }
        return ModelRequests.matches(match, record.entityTag)
    }
}
