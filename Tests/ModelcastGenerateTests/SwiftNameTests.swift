import Testing

@testable import ModelcastGenerate

@Suite struct `Names in Swift` {
    @Test(arguments: [
        ("name", "name", "Name"), ("nick_name", "nickName", "NickName"), ("nickName", "nickName", "NickName"),
        ("NickName", "nickName", "NickName"), ("IN_PROGRESS", "inProgress", "InProgress"), ("URL", "url", "URL"),
        ("URLPreview", "urlPreview", "URLPreview"), ("iOS", "iOS", "IOS"), ("aB", "aB", "AB"), ("a_b", "aB", "AB"),
        ("image URL", "imageURL", "ImageURL"), ("x-2", "x2", "X2"), ("_id", "id", "Id"), ("A1", "a1", "A1"),
        ("größe", "größe", "Größe"), ("日本_語", "日本語", "日本語"),
    ])
    func `are made of words`(text: String, lower: String, upper: String) {
        #expect(SwiftName.lowerCamel(text) == lower)
        #expect(SwiftName.upperCamel(text) == upper)
    }

    @Test(arguments: ["", "_", "1st", "--", "½", "😀"])
    func `are not made of anything`(text: String) {
        #expect(SwiftName.lowerCamel(text) == nil)
        #expect(SwiftName.upperCamel(text) == nil)
    }

    @Test func `a pointer escapes what it is made of`() throws {
        let pointer = try #require(JSONPointer("/a~1b/c~01//0"))
        #expect(pointer.tokens == ["a/b", "c~1", "", "0"])
        #expect("\(pointer)" == "/a~1b/c~01//0")
        #expect(JSONPointer("a") == nil)
        #expect("\(JSONPointer())" == "")
    }
}
