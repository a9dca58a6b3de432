import ModelcastMacros

/// Groups that may have no value in any of their parts.
@Nested
struct Wish {
    var text: String?
    var size: Int?
}

@Nested
struct Marked {
    var mark: Int = 1
    var wish: Wish?
}

@OneOf
enum Choice {
    case nothing
    case wish(Wish)
    case both(first: Wish, second: Wish)
    case marked(Marked)
    case standard(Wish = Wish(text: "any"))
}

@OneOf(.tagged(by: "kind"))
enum TaggedChoice {
    case nothing
    case wish(Wish)
}

@Nested
struct Basket {
    var choice: Choice?
    var note: String?
}

@Nested
struct Prefs {
    var theme: String = "light"
    var size: Int?
}

@Nested
struct Outer {
    var note: String?
    var inner: Links?
}

@Model
struct Wisher {
    @ID let id: String
    var wish: Wish
    var choice: Choice?
    var tagged: TaggedChoice?
    var basket: Basket?
    var prefs: Prefs?
    var outer: Outer?
}
