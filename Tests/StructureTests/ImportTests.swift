import Testing

@Suite struct `Imports` {
    @Test func `every import of the sources is in the table`() throws {
        let files = try Repository.sources.get()
        #expect(!files.isEmpty)
        let complaints = files.flatMap(ModuleTable.complaints(about:))
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test func `the table's arrows point up`() {
        for (index, row) in ModuleTable.rows.enumerated() {
            let above = Set(ModuleTable.targets.prefix(index))
            #expect(row.ours.isSubset(of: above), "\(row.target) names \(row.ours.subtracting(above)) further down")
        }
    }

    @Test func `the manifest lists the targets in the table's order, each with the arrows of the table`() throws {
        let declarations = try declarations()
        #expect(declarations.map(\.target) == ModuleTable.targets)
        for (row, declaration) in zip(ModuleTable.rows, declarations) {
            // The compiler loads the plugin of a macro, and SwiftPM runs the tool of a plugin; no file imports them.
            let names = declaration.names.subtracting(["ModelcastMacrosPlugin", "ModelcastGenerateTool"])
            #expect(row.ours == names.intersection(ModuleTable.targets), "\(row.target)")
        }
    }

    /// The targets of the manifest, each with the names that its declaration has in quotes.
    private func declarations() throws -> [(target: String, names: Set<String>)] {
        let manifest = SourceFile(path: "Package.swift", text: try Repository.text(of: "Package.swift"))
        // Names are strings, so the lines are read as they are; a declaration may span several of them.
        let list = try #require(
            manifest.lines.joined(separator: "\n").rest(after: "\nlet base: [Target] = ["), "no list of targets")
        // Products come last, and have names of their own.
        let targets = list.firstRange(of: "Products: [Product] = [").map { list[..<$0.lowerBound] } ?? list
        let begin = /(?:library\(|\.(?:target|executableTarget|macro|plugin)\(\s*name:|tests\(|\.testTarget\()/
        let ranges = targets.ranges(of: begin)
        let declared = zip(ranges, ranges.dropFirst().map(\.lowerBound) + [targets.endIndex]).map { range, end in
            (text: targets[range], names: targets[range.upperBound..<end].matches(of: /"(\w+)"/).map { String($0.1) })
        }
        return declared.compactMap { text, names in
            guard !text.contains("ests("), !text.contains("testTarget"), let target = names.first,
                target != "TestSupport"
            else { return nil }
            return (target, Set(names.dropFirst()))
        }
    }

    @Test(arguments: [
        "import Glibc", "public import ZeroMQ", "  @preconcurrency import Dispatch", "import struct Foundation.Date",
        "import ModelCBOR; import Foundation", "@_exported public import Modelcast",
    ])
    func `a forbidden arrow is found`(line: String) {
        let file = SourceFile(path: "Sources/ModelSync/Moment.swift", text: "// import nothing\n\(line)\nstruct A {}\n")
        #expect(ModuleTable.complaints(about: file).count == 1)
        #expect(ModuleTable.complaints(about: file).first?.hasPrefix("Sources/ModelSync/Moment.swift:2: ") == true)
    }

    @Test(arguments: [
        "import Synchronization", "public import ModelWire", "// import Glibc", "let text = \"import Glibc\"",
        "/* import Glibc */ import ModelRecord", "#if canImport(Glibc)", "let important = Glibc",
    ])
    func `what is allowed or no import is left alone`(line: String) {
        let file = SourceFile(path: "Sources/ModelSync/Moment.swift", text: line + "\n")
        #expect(ModuleTable.complaints(about: file) == [])
    }

    @Test func `a folder without a row is told`() {
        let file = SourceFile(path: "Sources/ModelUnheardOf/File.swift", text: "struct A {}\n")
        #expect(ModuleTable.complaints(about: file).count == 1)
    }
}

extension String {
    /// What follows the first occurrence of a text, or nil without one.
    fileprivate func rest(after text: String) -> Substring? {
        firstRange(of: text).map { self[$0.upperBound...] }
    }
}
