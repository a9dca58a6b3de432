import Foundation
import Testing

/// A promise in an article stands with the test that shows it; here the tests are looked for.
@Suite struct `Articles` {
    @Test func `every test that an article names exists`() throws {
        let quotes = ArticleQuotes(tests: try Repository.tests.get())
        let folder = Repository.root.appending(path: "Sources/Modelcast/Modelcast.docc")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        var complaints: [String] = []
        var count = 0
        for name in names.sorted() {
            let text = try Repository.text(of: "Sources/Modelcast/Modelcast.docc/\(name)")
            complaints += quotes.complaints(about: text, named: name)
            count += quotes.count(in: text)
        }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
        #expect(count > 50)
    }

    @Test func `every file and folder that an article names exists`() throws {
        let folder = Repository.root.appending(path: "Sources/Modelcast/Modelcast.docc")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        var missing: [String] = []
        var count = 0
        // The tutorial's files are the reader's own.
        for name in names.sorted() where name != "Tutorial.md" {
            let text = try Repository.text(of: "Sources/Modelcast/Modelcast.docc/\(name)")
            for match in text.matches(of: /`((?:Sources|Tests|Scripts|Deploy)\/[\w+.\/-]+)`/) {
                count += 1
                let path = Repository.root.appending(path: String(match.output.1)).path
                if !FileManager.default.fileExists(atPath: path) { missing.append("\(name): \(match.output.1)") }
            }
        }
        #expect(missing.isEmpty, "\(missing.joined(separator: "\n"))")
        #expect(count > 50)
    }

    @Test func `what each counter counts stands in the article about repair`() throws {
        let source = try Repository.text(of: "Sources/ModelSync/Counters.swift")
        let article = try Repository.text(of: "Sources/Modelcast/Modelcast.docc/Repair.md")
        let names = source.matches(of: /(?m)^        case (\w+)$/).map { match in
            match.output.1.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : "\($1)" }
        }
        #expect(names.count > 70 && names.contains("models_evicted"))
        let missing = names.filter { !article.contains("`\($0)`") }
        #expect(missing.isEmpty, "\(missing.joined(separator: ", "))")
    }

    @Test func `a test that does not exist is found`() {
        let tests = SourceFile(
            path: "Tests/ModelSyncTests/Replica/ReplicaTests.swift",
            text: "@Suite struct ReplicaTests {\n    @Test func `a batch arrives`() {}\n}\n")
        let quotes = ArticleQuotes(tests: [tests])
        func complaints(_ text: String) -> [String] { quotes.complaints(about: text, named: "A.md") }
        #expect(complaints("`ReplicaTests`: “a batch\n  arrives”, and `ModelSyncTests`") == [])
        #expect(complaints("`ReplicaTests`: “a batch leaves”") == ["A.md: ReplicaTests has no test “a batch leaves”"])
        #expect(complaints("`RelayTests`") == ["A.md: there is no suite RelayTests"])
        #expect(complaints("“a batch arrives”").count == 1)
        #expect(complaints("``Relay``. `ReplicaTests`: “a batch arrives”") == [])
        #expect(complaints("```text\n“a batch leaves”\n```") == [])
    }
}
