/// Makes a struct a ``FieldGroup``: each of its properties is a field of the model that has it.
///
/// ```swift
/// @Nested
/// struct Address {
///     var street: String
///     @Field("town", validate: .length(1...80)) var city: String
///     var country: String = "GB"
///     var note: String?
/// }
///
/// @Model
/// struct User {
///     @ID let id: UUID
///     var address: Address?
/// }
/// ```
/// The fields are `address.street`, `address.town` and so on, each merged for itself. In the model's JSON the group is
/// an object: `{"id": …, "address": {"street": "Main Street", "town": "Ely", "country": "GB", "note": null}}`.
/// - ``Field(_:default:convert:validate:)`` means the same for a property of a group as for one of a model.
/// - A property may be a group itself, with longer names: `address.place.latitude`.
/// - An optional property is nil where its field is unknown or null; its nil is published as null. The two are not told
///   apart within a group.
/// - An optional group is nil where all of its fields are null or unknown. A group with only optional properties is
///   therefore nil when all of them are. Where such a group is not optional it needs a default,
///   `var links: Links = Links()`.
/// - A group some of whose fields are missing is a problem of the model, not nil.
///
/// The struct gets a memberwise initialiser, if it has none with the same labels. The macro takes no generic structs,
/// and no properties within `#if`.
@attached(member, names: named(init), named(FieldNames), named(fieldNames), named(write))
@attached(extension, conformances: FieldGroup)
public macro Nested() = #externalMacro(module: "ModelcastMacrosPlugin", type: "NestedMacro")

/// Makes an enum a ``FieldGroup``: one field says which case it is, others hold the payloads.
///
/// ```swift
/// @OneOf
/// enum Contact {
///     case phone(String)
///     @Field("mail") case post(Address)
///     case card(number: String, month: Int = 1)
///     case nobody
/// }
/// ```
/// As the property `contact` of a model this is:
///
/// | field | holds |
/// |---|---|
/// | `contact` | `phone`, `mail`, `card` or `nobody` |
/// | `contact.phone` | the text |
/// | `contact.mail.street` and so on | the parts of the address |
/// | `contact.card.number`, `contact.card.month` | the payloads with a label |
///
/// - The fields of other cases do not matter. Publishing a model leaves them as they are; publishing changes makes the
///   fields of the former case unknown.
/// - In JSON, `{"contact": {"phone": "+1"}}`, unless `form` says otherwise.
/// - A name without a case is a problem of the model: an unknown case is never taken for another one.
/// - A payload is a ``FieldValue`` or a ``FieldGroup``, and not optional. Where a case has several payloads, each has a
///   label. A default value stands for a field that is unknown or null.
///
/// The macro takes no generic enums, and no cases within `#if`. An enum with raw values is a ``FieldValue`` instead.
/// - Parameter form: how the enum stands in JSON: ``OneOfForm/keyed``, ``OneOfForm/tagged(by:texts:)`` or
///   ``OneOfForm/bare``.
@attached(member, names: named(init), named(fieldNames), named(caseNames), named(jsonForm), named(write))
@attached(extension, conformances: FieldGroup)
public macro OneOf(_ form: OneOfForm = .keyed) = #externalMacro(module: "ModelcastMacrosPlugin", type: "OneOfMacro")
