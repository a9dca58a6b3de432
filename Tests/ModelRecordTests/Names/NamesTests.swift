import ModelRecord
import Testing

struct NamesTests {
    @Test(arguments: ["A", "_", "z9", "User", "a.b-c_d", String(repeating: "x", count: 64)])
    func `a type name begins with a letter or _ and has at most 64 characters`(name: String) throws {
        try Names.check(type: name)
        let isType = Names.isType(name.utf8.span)
        #expect(isType)
    }

    @Test(arguments: ["", "9", ".a", "-a", "a b", "a/b", "é", "@", "[", "`", "{", String(repeating: "x", count: 65)])
    func `any other type name is refused, and the message tells what is right`(name: String) {
        let error = #expect(throws: NameError.self) { try Names.check(type: name) }
        #expect(error?.kind == "type")
        #expect(
            error?.description
                == "type \"\(name)\" must be 1 to 64 of A-Z a-z 0-9 _ . - and begin with a letter or _")
        let isType = Names.isType(name.utf8.span)
        #expect(!isType)
    }

    @Test(arguments: ["a", "0", ".", "-", "_", "Feed-1.x", String(repeating: "9", count: 64)])
    func `an origin has 1 to 64 letters, digits, dots, dashes and underscores`(name: String) throws {
        try Names.check(origin: name)
        let isOrigin = Names.isOrigin(name.utf8.span)
        #expect(isOrigin)
    }

    @Test(arguments: ["", "a b", "a/b", "ü", "a\0", ":", String(repeating: "9", count: 65)])
    func `any other origin is refused`(name: String) {
        let error = #expect(throws: NameError.self) { try Names.check(origin: name) }
        #expect(error?.kind == "origin")
        #expect(error?.reason == "\"\(name.shown())\" must be 1 to 64 of A-Z a-z 0-9 _ . -")
        let isOrigin = Names.isOrigin(name.utf8.span)
        #expect(!isOrigin)
    }

    @Test(arguments: ["x", "any text at all / 😀", String(repeating: "é", count: 127) + "x"])
    func `an id has 1 to 255 bytes and no NUL`(id: String) throws {
        try Names.check(id: id)
    }

    @Test(arguments: [
        ("", "is empty; it needs 1 to 255 bytes"), ("a\0b", "contains a NUL byte"),
        (String(repeating: "é", count: 128), "has 256 bytes; at most 255 are allowed"),
    ])
    func `any other id is refused`(id: String, reason: String) {
        let error = #expect(throws: NameError.self) { try Names.check(id: id) }
        #expect(error?.description == "id \(reason)")
    }

    @Test func `a field has 1 to 128 bytes`() throws {
        try Names.check(field: "a")
        try Names.check(field: String(repeating: "é", count: 64))
        let empty = #expect(throws: NameError.self) { try Names.check(field: "") }
        #expect(empty?.description == "field has the empty name, which is reserved")
        let name = String(repeating: "n", count: 129)
        let long = #expect(throws: NameError.self) { try Names.check(field: name) }
        #expect(long?.description == "field \"\(name.prefix(80))…\" has 129 bytes; at most 128 are allowed")
    }
}
