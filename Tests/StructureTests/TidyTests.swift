import Testing

@Suite struct `Tidiness` {
    private static func expectNone(_ complaints: [String], _ location: SourceLocation = #_sourceLocation) {
        guard !complaints.isEmpty else { return }
        Issue.record("\(complaints.joined(separator: "\n"))", sourceLocation: location)
    }

    private static func everything() throws -> [SourceFile] {
        try Repository.sources.get() + Repository.tests.get()
            + [SourceFile(path: "Package.swift", text: Repository.text(of: "Package.swift"))]
    }

    @Test func `files and lines keep within their limits`() throws {
        Self.expectNone(try Self.everything().flatMap(TidyRules.size(of:)))
    }

    @Test func `targets above twenty files have folders by topic`() throws {
        Self.expectNone(TidyRules.folders(of: try Repository.sources.get()))
        Self.expectNone(TidyRules.folders(of: try Repository.tests.get()))
    }

    @Test func `no file is named after nothing`() throws {
        Self.expectNone(try Self.everything().flatMap(TidyRules.name(of:)))
    }

    @Test func `every public type stands in the file of its name`() throws {
        Self.expectNone(try Repository.sources.get().flatMap(TidyRules.strangers(in:)))
    }

    @Test func `the sources are finished`() throws {
        Self.expectNone(try Repository.sources.get().flatMap(TidyRules.leftovers(in:)))
    }

    @Test func `every unchecked promise has its proof above it`() throws {
        Self.expectNone(try Self.everything().flatMap(TidyRules.unprovenPromises(in:)))
    }

    @Test func `unsafe stays where raw bytes are`() throws {
        Self.expectNone(try Repository.sources.get().flatMap(TidyRules.unsafeOutOfPlace(in:)))
    }

    @Test func `every file that may say unsafe does`() throws {
        let saying = try Repository.sources.get().filter { !TidyRules.unsafePlaces(in: $0).isEmpty }
        #expect(TidyRules.unsafeFiles.subtracting(saying.map(\.path)) == [], "no longer needed in unsafeFiles")
    }

    @Test func `the pure targets have no clock, no chance and no tasks`() throws {
        Self.expectNone(try Repository.sources.get().flatMap(TidyRules.impurity(in:)))
    }

    @Test func `a relay has no hand in the state of its replica`() throws {
        let sources = try Repository.sources.get()
        let replica = try #require(sources.first { $0.path == "Sources/ModelSync/Replica/Replica.swift" })
        let hand = SourceFile(path: "Sources/ModelSync/Relay/A.swift", text: "replica.sessions")
        #expect(TidyRules.handsInReplica(in: hand, of: replica).count == 1)
        Self.expectNone(sources.flatMap { TidyRules.handsInReplica(in: $0, of: replica) })
    }

    /// What waits, and is in none of the test files where each wait is cancelled, was forgotten there.
    @Test func `every public wait is cancelled in a test`() throws {
        let tests = try Repository.tests.get()
        let waits = try Repository.sources.get().flatMap(TidyRules.waits(in:))
        let some: Set = ["waitUntilLive", "verify", "boundEndpoints", "waitingForRoom", "settle", "boundPort", "next"]
        #expect(some.isSubset(of: waits))
        var calls: [Substring] = []
        for file in tests where file.path.hasSuffix("/EndlessWaitTests.swift") {
            calls += file.code.filter { $0.contains("await ") }
        }
        // Streams end with their tasks in tests of their own.
        let left = waits.filter { wait in wait != "next" && !calls.contains { $0.contains("\(wait)") } }
        Self.expectNone(left.map { "\($0) waits, and EndlessWaitTests does not cancel it" })
    }

    @Test func `libzmq's sockets stand behind the transport seam`() throws {
        Self.expectNone(try Repository.sources.get().flatMap(TidyRules.socketsOutOfPlace(in:)))
    }

    @Test func `the thread sanitizer understands every lock of what it watches`() throws {
        Self.expectNone(try Repository.sources.get().flatMap(TidyRules.bareLocks(in:)))
    }

    @Test func `no test sleeps`() throws {
        Self.expectNone(try Repository.tests.get().flatMap(TidyRules.sleeps(in:)))
    }

    @Test func `the top level holds what belongs there`() throws {
        let expected: Set = ["Package.swift", "Sources", "Tests", "Deploy", "Scripts", "README.md"]
        // Without git (an unpacked archive) there is no list of what belongs to the repository.
        guard let names = try Repository.topLevelNames() else { return }
        #expect(names.contains("Package.swift"))
        #expect(names.filter { !$0.hasPrefix(".") }.subtracting(expected) == [])
    }
}

/// Each rule is broken once: a rule that cannot fail checks nothing.
@Suite struct `Tidiness rules` {
    private func file(_ text: String, _ path: String = "Sources/ModelSync/Origin/Origin.swift") -> SourceFile {
        SourceFile(path: path, text: text)
    }

    @Test func `a long file and a long line are found`() {
        #expect(TidyRules.size(of: file(String(repeating: "a\n", count: 500))) == [])
        #expect(TidyRules.size(of: file(String(repeating: "a\n", count: 501))).count == 1)
        #expect(TidyRules.size(of: file(String(repeating: "a", count: 120) + "\n")) == [])
        #expect(TidyRules.size(of: file("b\n" + String(repeating: "a", count: 121))).first?.contains(":2:") == true)
    }

    @Test func `a heap of files without folders is found`() {
        let files = (1...21).map { file("", "Sources/ModelSync/File\($0).swift") }
        #expect(TidyRules.folders(of: files).count == 1)
        #expect(TidyRules.folders(of: files.dropLast()) == [])
        let inFolders = (1...21).map { file("", "Sources/ModelSync/Relay/File\($0).swift") }
        #expect(TidyRules.folders(of: inFolders + files.prefix(8)) == [])
    }

    @Test(arguments: ["Utils", "SocketManager", "TestHelpers+Time", "HelperThing"])
    func `a vague name is found`(name: String) {
        #expect(!TidyRules.name(of: file("", "Sources/ModelSync/\(name).swift")).isEmpty)
    }

    @Test(arguments: ["Record", "Managerial", "Utilization"])
    func `a name that only begins like a vague one is not`(name: String) {
        #expect(TidyRules.name(of: file("", "Sources/ModelSync/\(name).swift")) == [])
    }

    @Test(arguments: ["// TO" + "DO: later", "let a = try" + "! b()", "fatal" + "Error(\"no\")"])
    func `what is left over is found`(line: String) {
        #expect(TidyRules.leftovers(in: file(line)).count == 1)
    }

    @Test func `a public type in the file of another is found`() {
        #expect(TidyRules.strangers(in: file("public struct Origin {}\npublic enum Head {}\nstruct A {}\n")).count == 1)
        #expect(TidyRules.strangers(in: file("@frozen public final class Head {}\n")).count == 1)
        #expect(TidyRules.strangers(in: file("extension Head {\n    public struct Part {}\n}\n")) == [])
        #expect(TidyRules.strangers(in: file("public struct Origin {}\n", "Sources/A/Origin+Stop.swift")) == [])
    }

    @Test func `a lock that the thread sanitizer does not understand is found`() {
        let text = "let a = Mutex(0)\nlet b: Mutex<Int>\n"
        #expect(TidyRules.bareLocks(in: file(text, "Sources/Modelcast/A.swift")).count == 2)
        #expect(TidyRules.bareLocks(in: file(text, "Sources/ModelcastBench/A.swift")) == [])
        #expect(TidyRules.bareLocks(in: file("let a = Guarded(0)\n", "Sources/Modelcast/A.swift")) == [])
    }

    @Test func `a promise needs a comment above it`() {
        let promise = "final class A: @unchecked" + " Sendable {}"
        #expect(TidyRules.unprovenPromises(in: file("let b = 1\n\(promise)")).count == 1)
        #expect(TidyRules.unprovenPromises(in: file(promise)).count == 1)
        #expect(TidyRules.unprovenPromises(in: file("// One thread owns it.\n@safe\n\(promise)")) == [])
        #expect(TidyRules.unprovenPromises(in: file("// \(promise)")) == [])
    }

    @Test(arguments: ["unsafe a.load()", "    let b = unsafe (c)", "f(unsafe d)", "for unsafe x in y {"])
    func `unsafe in a safe target is found`(line: String) {
        #expect(TidyRules.unsafeOutOfPlace(in: file(line)).count == 1)
        #expect(TidyRules.unsafeOutOfPlace(in: file(line, "Sources/ZeroMQ/Socket/Socket.swift")) == [])
    }

    @Test(arguments: ["// unsafe a", "let t = \"unsafe a\"", "@unsafe func a()", "nonisolated(unsafe) var a"])
    func `other words that look like it are not`(line: String) {
        #expect(TidyRules.unsafeOutOfPlace(in: file(line)) == [])
    }

    @Test(arguments: ["ContinuousClock().now", "Bool.random(in: 0...1)", "ids.shuffled()", "func run() async {"])
    func `a clock or chance in a pure target is found`(line: String) {
        #expect(TidyRules.impurity(in: file(line)).count == 1)
        #expect(TidyRules.impurity(in: file(line, "Sources/Modelcast/Publisher/Publisher.swift")) == [])
    }

    @Test(arguments: ["replica.streams[key]", "let a = replica.sessions.count", "replica.naming.room = nil"])
    func `a hand in the state of a replica is found`(line: String) {
        let state = "class Replica {\n    var streams = 1\n    var sessions = 2\n    let naming = 3\n}\n"
        func hands(_ line: String, _ path: String) -> [String] {
            TidyRules.handsInReplica(in: file(line, path), of: file(state, "Sources/ModelSync/Replica/Replica.swift"))
        }
        #expect(hands(line, "Sources/ModelSync/Relay/Relay+Push.swift").count == 1)
        #expect(hands("replica.tick(now: t)", "Sources/ModelSync/Relay/Relay.swift") == [])
        #expect(hands(line, "Sources/ModelSync/Replica/Replica.swift") == [])
    }

    @Test(arguments: ["let a: Socket?", "try Socket(.router, in: b)", "Message(bytes)", "try Context()"])
    func `a socket outside of its transport is found`(line: String) {
        #expect(TidyRules.socketsOutOfPlace(in: file(line, "Sources/Modelcast/Loops/SenderLink.swift")).count == 1)
        #expect(TidyRules.socketsOutOfPlace(in: file(line, "Sources/Modelcast/Transport/ZeroMQ/A.swift")) == [])
        #expect(TidyRules.socketsOutOfPlace(in: file(line, "Sources/ZeroMQ/Socket/Socket.swift")) == [])
    }

    @Test(arguments: ["try await Task.", "Thread.", "_ = u", "_ = nano"])
    func `a sleep is found`(start: String) {
        let line = start + "sleep(" + "argument)"
        #expect(TidyRules.sleeps(in: file(line)).count == 1)
        #expect(TidyRules.sleeps(in: file("// " + line)) == [])
        #expect(TidyRules.sleeps(in: file(line, "Tests/TestSupport/Eventually.swift")) == [])
        #expect(TidyRules.sleeps(in: file(line, "Tests/ModelSyncTests/Eventually.swift")).count == 1)
    }

    @Test func `strings and comments are no code`() {
        let text = #"""
            let a = "x \" unsafe // b"  // c
            let d = """
                unsafe e " f
                """
            /* g /* h */ i */ let j = #"k " \"# + "l"
            """#
        #expect(file(text).code == [##"let a = ""  "##, ##"let d = ""##, "", "\"", ##" let j = "" + """##])
    }
}
