/// How a sum type stands in JSON: an argument of `@OneOf`.
///
/// ```swift
/// enum Contact { case phone(String), post(Address), card(number: String, month: Int), nobody }
/// ```
///
/// | case | ``keyed`` | ``tagged(by:texts:)``, by `kind` | ``bare`` |
/// |---|---|---|---|
/// | `.phone("+1")` | `{"phone": "+1"}` | `"+1"` | `"+1"` |
/// | `.post(…)` | `{"post": {"street": …}}` | `{"kind": "post", "street": …}` | `{"street": …}` |
/// | `.card(…)` | `{"card": {"number": …}}` | `{"kind": "card", "number": …}` | `{"number": …}` |
/// | `.nobody` | `"nobody"` | `{"kind": "nobody"}` | `"nobody"` |
///
/// The form on the wire is the same for all.
public struct OneOfForm: Hashable, Sendable {
    enum Kind: Hashable {
        case keyed
        case tagged(String, texts: [String])
        case bare
    }

    let kind: Kind

    /// An object with one key, the name of the case; a case without a payload is its name as a text. Each value has a
    /// JSON of its own.
    public static let keyed = OneOfForm(kind: .keyed)

    /// An object with the payload's fields, and a key with the name of the case. A payload that is no struct, and so
    /// has no fields, stands alone, as with ``bare``.
    /// - Parameters:
    ///   - key: the discriminator of a JSON Schema, such as `kind`.
    ///   - texts: cases without a payload that are texts and no objects.
    public static func tagged(by key: String, texts: [String] = []) -> OneOfForm {
        OneOfForm(kind: .tagged(key, texts: texts))
    }

    /// The payload alone; a case without a payload is its name as a text. JSON is read as the first case that it fits,
    /// cases without a payload before all others. A value that would be read back as another case is refused when it is
    /// encoded; finding that out costs encoding it twice.
    public static let bare = OneOfForm(kind: .bare)
}
