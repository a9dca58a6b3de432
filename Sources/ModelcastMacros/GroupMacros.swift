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
/// The fields are `address.street`, `address.town` and so on, each merged for itself. These are also the keys of the
/// model's JSON.
/// - ``Field(_:default:convert:validate:)`` says of a property what it says of one of a model.
/// - A property may be a group itself, with longer names: `address.place.latitude`.
/// - An optional property is nil where its field is unknown or null; its nil is published as null. The two are not told
///   apart within a group.
/// - An optional group is nil where all of its fields are null or unknown. So one whose parts are all optional is nil
///   when they are; where it is not optional it needs a default, `var links: Links = Links()`.
/// - A group some of whose fields are missing is a problem of the model, not nil.
///
/// The struct gets a memberwise initialiser, if it has none with the same labels. Not for generic structs, nor for
/// properties within `#if`.
@attached(member, names: named(init), named(Names), named(fieldNames), named(write))
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
/// - What the fields of other cases hold does not matter: publishing a model leaves them as they are, publishing
///   changes makes those of the case before unknown.
/// - A name without a case is a problem of the model: what is not known is never taken for something else.
/// - A payload is a ``FieldValue`` or a ``FieldGroup``, and not optional. Several have labels. A default value stands
///   for a field that is unknown or null.
///
/// Not for generic enums, nor for cases within `#if`. An enum with raw values is a ``FieldValue`` instead.
@attached(member, names: named(init), named(fieldNames), named(write))
@attached(extension, conformances: FieldGroup)
public macro OneOf() = #externalMacro(module: "ModelcastMacrosPlugin", type: "OneOfMacro")
