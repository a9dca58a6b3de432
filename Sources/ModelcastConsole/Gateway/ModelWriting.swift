import HTTPTypes
import ModelJSON
import ModelRecord
import Modelcast

/// A write of a model, as a request says it.
struct ModelWriting {
    let type: String
    let id: String
    let kind: Kind
    /// The members of the JSON object; empty for a delete.
    let members: [String: Value]
    let preconditions: RequestPreconditions
    /// Texts of integers beyond 2^53 are integers.
    let hasLargeIntegersAsText: Bool
    /// The place of the write in a batch, for what is wrong with it: `writes[1]: `. Empty for one that is alone.
    private var place = ""

    enum Kind: String, CaseIterable {
        /// Null is a value.
        case merge
        /// Null removes a field (RFC 7396).
        case patch
        case replace
        case delete

        /// The media types of merges. Either means what it says; plain JSON does not say what null means.
        static let patchTypes = [
            (type: "application/merge-patch+json", kind: Kind.patch),
            (type: "application/vnd.modelcast.merge+json", kind: Kind.merge),
        ]

        /// The merge of a media type.
        init(patch contentType: String?) throws(Problem) {
            let type = ModelWriting.mediaType(contentType)
            guard let found = Kind.patchTypes.first(where: { $0.type == type }) else {
                let types = Kind.patchTypes.map(\.type)
                throw Problem(
                    .unsupportedMediaType,
                    "send the header Content-Type: \(types[0]), where null removes a field, or \(types[1]), where it "
                        + "is a value", headers: [WriteRequests.acceptPatch: types.joined(separator: ", ")])
            }
            self = found.kind
        }
    }

    init(
        type: String, id: String, kind: Kind, members: [String: Value], preconditions: RequestPreconditions,
        hasLargeIntegersAsText: Bool = false
    ) {
        (self.type, self.id, self.kind) = (type, id, kind)
        (self.members, self.preconditions) = (members, preconditions)
        self.hasLargeIntegersAsText = hasLargeIntegersAsText
    }

    /// A write of a batch.
    /// - Parameter number: its place, the first being 0.
    init(_ item: Value, number: Int) throws(Problem) {
        func refuse(_ reason: String) -> Problem { Problem(.unprocessableContent, "writes[\(number)]: \(reason)") }
        guard case .map(let item) = item, case .text(let type)? = item["type"], case .text(let id)? = item["id"],
            case .text(let op)? = item["op"], let kind = Kind(rawValue: op)
        else {
            let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw refuse(#"a write has the texts "type", "id" and "op", which is one of "# + kinds)
        }
        let known = ["type", "id", "op", "model", "ifMatch", "ifNoneMatch"]
        if let other = item.keys.first(where: { !known.contains($0) }) {
            throw refuse("there is no \(Problem.quoted(other)): \(known.joined(separator: ", ")) are")
        }
        var members: [String: Value] = [:]
        switch (kind, item["model"]) {
        case (.delete, nil): break
        case (.delete, _): throw refuse("a delete has no model")
        case (_, .map(let model)?): members = model
        default: throw refuse(#"the "model" is missing, an object"#)
        }
        func tags(_ name: String) throws(Problem) -> [String] {
            switch item[name] {
            case nil: return []
            case .text(let tag)?: return [tag]
            default: throw refuse("\(name) is a text, an ETag or *")
            }
        }
        self.init(
            type: type, id: id, kind: kind, members: members,
            preconditions: try RequestPreconditions(match: try tags("ifMatch"), noneMatch: try tags("ifNoneMatch")))
        place = "writes[\(number)]: "
    }

    /// The fields that are written where the model is this.
    /// - Parameter token: names the last write of the model here, for an answer that says what the model is.
    /// - Throws: ``Problem`` where it is not as the request wants it to be.
    func fields(over record: CellRecord?, token: () -> String) throws(Problem) -> Fields {
        let present = record?.ifPresent
        guard preconditions.areMet(by: present) else {
            var headers: HTTPFields = [WriteRequests.token: token()]
            headers[.eTag] = present?.entityTag
            throw Problem(
                .preconditionFailed,
                "\(place)\(Problem.quoted(type)) \(Problem.quoted(id)) is not as the request takes it to be: read it "
                    + "again, and decide anew", headers: headers)
        }
        // A lease needs a publisher that others listen to, for as long as it lives.
        guard members[FieldName.lease.text] == nil else {
            throw Problem(.unprocessableContent, "\(place)a request leases nothing: give the model an end, $expires")
        }
        do throws(JSONError) {
            switch kind {
            case .merge: return try patch(null: .value).fields(over: present)
            case .patch: return try patch(null: .removal).fields(over: present)
            case .replace: return try patch(null: .value).wholeFields(over: present)
            case .delete: break
            }
        } catch {
            throw Problem(.unprocessableContent, "\(place)\(error)")
        }
        guard present != nil else { throw ModelRequests.unknown(type, id, place) }
        return [:]
    }

    private func patch(null: ModelPatch.Null) throws(JSONError) -> ModelPatch {
        try ModelPatch(members, null: null, hasLargeIntegersAsText: hasLargeIntegersAsText)
    }

    /// Adds the write to a transaction, which happens only if the model is still what the fields were made for.
    func add(_ fields: Fields, over record: CellRecord?, to writes: inout Writes) throws {
        let present = record?.ifPresent
        try writes.require(type, id, present.map { .isAt([$0.revision]) } ?? .isAbsent)
        switch kind {
        case .merge, .patch: try writes.merge(type, id, fields)
        case .replace: try writes.replace(type, id, fields)
        case .delete: try writes.delete(type, id)
        }
    }

    /// A media type without its parameters, in lower case.
    static func mediaType(_ header: String?) -> String? {
        header?.split(separator: ";", omittingEmptySubsequences: false).first?
            .trimmingPrefix { $0 == " " }.lowercased().replacing(" ", with: "")
    }
}
