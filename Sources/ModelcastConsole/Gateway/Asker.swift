import HTTPTypes
import Hummingbird
import HummingbirdCore
import ModelGrants
import Modelcast

/// The maker of a request, with what he may do.
struct Asker: Sendable {
    /// The key of his token; nil where no token is asked for.
    private let key: String?
    private let rights: Rights
    /// The types that he may read.
    let readable: [NamePattern]

    /// - Parameter tokens: the grants of tokens; nil where everybody may do everything.
    /// - Throws: ``Problem`` for a request without a token that is known.
    init(_ request: Request, tokens: Access?) throws(Problem) {
        guard let tokens else {
            (key, rights, readable) = (nil, .all, [.all])
            return
        }
        let words = request.headers[.authorization]?.split(separator: " ", omittingEmptySubsequences: true) ?? []
        guard words.count == 2, words[0].lowercased() == "bearer" else {
            throw Problem(
                .unauthorized, "this needs a token: send the header Authorization: Bearer TOKEN",
                headers: [.wwwAuthenticate: "Bearer"])
        }
        let key = BearerToken(String(words[1])).key
        guard let grant = tokens.grants[key] else {
            throw Problem(
                .unauthorized, "this token is not known here: ask for a new one",
                headers: [.wwwAuthenticate: #"Bearer error="invalid_token""#])
        }
        (self.key, rights) = (key, grant.rights)
        readable = grant.rights.isOperator ? [.all] : grant.rights.readable
    }

    func mayRead(_ type: String) -> Bool { rights.mayRead(type) }

    /// He may write models of the type by this publisher.
    func mayWrite(_ type: String, as origin: String) -> Bool { rights.mayWrite(type, as: origin) }

    /// He may see what concerns the process and not its models.
    var mayOperate: Bool { key == nil || rights.isOperator }

    /// He may read all types of a token.
    func mayRead(_ token: WriteToken) -> Bool { token.types.allSatisfy(mayRead) }

    /// Refuses what he began to ask when he still might.
    func requireUnchanged(_ tokens: Access?) throws(Problem) {
        guard isStillAllowed(tokens) else {
            throw Problem(
                .unauthorized, "what this token may do has changed meanwhile: ask again",
                headers: [.wwwAuthenticate: "Bearer"])
        }
    }

    /// He may do the same as when he asked.
    func isStillAllowed(_ tokens: Access?) -> Bool {
        guard let key, let tokens else { return true }
        return tokens.grants[key]?.rights == rights
    }
}
