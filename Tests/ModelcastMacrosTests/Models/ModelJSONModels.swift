import Foundation
import ModelcastMacros

/// Sum types in each of the forms that JSON may have.
@OneOf(.tagged(by: "kind", texts: ["hidden"]))
enum Shape {
    case circle(Circle)
    case box(width: Int, height: Int = 1)
    case point
    case hidden
    case named(String)

    @Nested
    struct Circle { var radius: Double, note: String? }
}

@OneOf(.bare)
enum Answer {
    case nothing
    case number(Int)
    case words([String])
    case text(String)
    case place(Place)
    case shape(Shape)
    case span(from: Int, to: Int)
}

/// A model whose id stands in an object in JSON, beside a field.
@Model
struct Waybill {
    @ID("meta.key.id") let id: Int
    @Field("meta.kind") var kind: String?
    var weight: Double?
}

/// A model whose id has a name of its own in JSON.
@Model
struct Drawing {
    @ID("drawing_id") let number: Int
    var shape: Shape?
    var answer: Answer?
    @Field("meta.title") var title: String?
    @Field("meta.place") var place: Place?
    var links: Links?
    var logo: Data?
}
