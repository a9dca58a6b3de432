/// The rights of every key of a deployment: who may do what. Whatever is not granted is denied.
///
/// The text has one grant a line, of words that blanks separate. A line that begins with `#` is a comment, as is the
/// rest of a line from a word behind the name that begins with it.
///
/// ```text
/// grant rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8}h?7  billing   subscribe:User subscribe:Order.*
/// grant Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID  accounts  publish:User origin=accounts
/// grant JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6  relay-a   relay subscribe:*
/// grant D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs  ops       operate
/// ```
///
/// | word | allows |
/// |---|---|
/// | `subscribe:TYPE` | to read these types |
/// | `publish:TYPE` | to write these types, and to read them, as one of the origins of the line |
/// | `origin=NAME` | to be this origin, for each `publish:` of the same line |
/// | `sign=KEY` | nothing more: signatures of this key prove each `publish:` of the same line |
/// | `relay` | to hand on what other origins wrote |
/// | `operate` | to read everything, and to ask for the state of processes |
/// | `LIMIT=NUMBER` | no more than so much, where ``KeyLimit`` names the limits: `connections=4`, `bytes=64M` |
///
/// A `TYPE` or `NAME` may end in `*`, and then stands for all that begin so. Several lines with one key add up; of
/// two numbers for one limit the smaller holds.
///
/// A line of words `require-signature:TYPE` names types of which nothing counts that no signature proves, whoever hands
/// it on. Several such lines add up.
public struct Grants: Hashable, Sendable {
    /// The grants, each key once, in the order of the file.
    public private(set) var all: [Grant] = []
    /// Possible mistakes, which are none by their form: keys that stand twice, words that add nothing.
    public internal(set) var warnings: [GrantsProblem] = []
    /// The types that have to be signed, in the order of the file.
    public internal(set) var signedTypes: [NamePattern] = []
    private var indices: [String: Int] = [:]

    /// No grants: every key is refused.
    public init() {}

    /// The grant of a key; nil where the key is not known.
    public subscript(key: String) -> Grant? { indices[key].map { all[$0] } }

    /// The keys that have a grant.
    public var keys: Set<String> { Set(indices.keys) }

    /// The keys that have a grant here and had none, have another one, or have none any more; each in the order of its
    /// file. Another signing key is another grant; ``signedTypes`` belong to none.
    public func changes(since old: Grants) -> (new: [Grant], changed: [Grant], gone: [Grant]) {
        (
            all.filter { old[$0.key] == nil },
            all.filter { grant in
                old[grant.key].map { ($0.rights, $0.limits) != (grant.rights, grant.limits) } ?? false
            }, old.all.filter { self[$0.key] == nil }
        )
    }

    /// Adds a line, or its rights to those of an earlier line with the same key.
    /// - Returns: the grant of the earlier line, if there is one.
    @discardableResult
    mutating func add(_ grant: Grant) -> EarlierLine? {
        guard let index = indices[grant.key] else {
            indices[grant.key] = all.count
            all.append(grant)
            return nil
        }
        defer {
            all[index].rights.add(grant.rights)
            all[index].limits.add(grant.limits)
        }
        return EarlierLine(
            name: all[index].name, line: all[index].line, hasLimits: !all[index].limits.isEmpty)
    }

    /// The first line of a key, without its rights: a copy of these for each later line would cost the square.
    struct EarlierLine {
        let name: String
        let line: Int
        let hasLimits: Bool
    }
}
