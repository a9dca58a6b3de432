import Foundation
public import Testing

/// Gives small programs to the compiler, for promises that the types make: what is misuse must not compile.
public struct CompilerRun: Sendable {
    /// The folder of the built modules.
    private let modules: URL

    /// - Parameter module: the module that the programs import.
    /// - Returns: nil where it is not beside the test program, as in some layouts of a build; that is printed, and an
    ///   issue in a build of the scripts.
    public init?(of module: String) {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        modules = program.deletingLastPathComponent().appending(path: "Modules")
        guard FileManager.default.fileExists(atPath: modules.appending(path: "\(module).swiftmodule").path) else {
            print("skipped: the built module \(module) is not beside the test program")
            if ProcessInfo.processInfo.environment["MODELCAST_PARTS"] != nil {
                Issue.record("the built module \(module) is not at \(modules.path)")
            }
            return nil
        }
    }

    /// The errors of a program, each without its place.
    /// - Parameter other: another file of the program, which the compiler only looks into, as where one file of many is
    ///   compiled again.
    /// - Parameter flags: more arguments for the compiler.
    public func errors(_ text: String, beside other: String? = nil, flags: [String] = []) throws -> [String] {
        try compile(text, beside: other, flags).output.split(separator: "\n").compactMap { line in
            // The compiler shows each error again below the line of the program.
            guard !line.hasPrefix(" "), let error = line.range(of: ": error: ") else { return nil }
            return String(line[error.upperBound...])
        }
    }

    /// Expects that a program does not compile, and why.
    /// - Parameter complaint: a part of the compiler's complaint; nil where the program must compile.
    public func expect(
        _ text: String, complaint: String?, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let (status, output) = try compile(text)
        if let complaint {
            #expect(status != 0, "compiles: \(text)", sourceLocation: location)
            #expect(output.contains(complaint), "\(text): \(output)", sourceLocation: location)
        } else {
            #expect(status == 0, "does not compile: \(text): \(output)", sourceLocation: location)
        }
    }

    /// The modules of C that the built ones refer to.
    private var moduleMaps: [String] {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        // The folder of the build, which holds `TRIPLE/CONFIGURATION/Modules`.
        let build = modules.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let targets = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
        return targets.sorted().map { sources.appending(path: "\($0)/include/module.modulemap").path }
            + [build.appending(path: "checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap").path]
    }

    /// The arguments for the macros, in the builds that have them.
    private var plugins: [String] {
        let name = "ModelcastMacrosPlugin"
        let program = modules.deletingLastPathComponent().appending(path: "\(name)-tool").path
        guard FileManager.default.fileExists(atPath: program) else { return [] }
        return ["-load-plugin-executable", "\(program)#\(name)"]
    }

    private func compile(
        _ text: String, beside other: String? = nil, _ flags: [String] = []
    ) throws -> (status: Int32, output: String) {
        let folder = try TemporaryDirectory()
        let file = folder.path("program.swift")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        var files = [file]
        if let other {
            files = ["-primary-file", file, folder.path("other.swift")]
            try other.write(toFile: files[2], atomically: true, encoding: .utf8)
        }
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // Ownership is checked on SIL, which type-checking alone does not make.
        compiler.arguments =
            ["swiftc"] + (other == nil ? [] : ["-frontend"])
            + ["-swift-version", "6", "-emit-sil", "-o", "/dev/null", "-I", modules.path]
            + plugins + flags
            + moduleMaps.filter { FileManager.default.fileExists(atPath: $0) }
            .flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + files
        let pipe = Pipe()
        compiler.standardOutput = pipe
        compiler.standardError = pipe
        try compiler.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        compiler.waitUntilExit()
        return (compiler.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
