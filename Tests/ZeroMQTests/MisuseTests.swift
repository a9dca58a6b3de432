import Foundation
import Testing

/// Misuse that must not compile (row 15 of the libzmq notes): small programs given to the compiler.
@Suite struct MisuseTests {
    private static let head = """
        import ZeroMQ
        func run(_ context: Context) throws {
            let socket = try Socket(.pair, in: context)
            let message = Message("x")
        """

    /// Body of the program, and a part of the compiler's complaint; nil where it must compile.
    static let programs: [(body: String, complaint: String?)] = [
        ("_ = try socket.send(message); socket.close()", nil),
        ("socket.close(); try socket.bind(\"inproc://x\")", "used after consume"),
        ("socket.close(); _ = try socket.receive() == nil", "used after consume"),
        ("let other = socket; socket.close(); other.close()", "consumed more than once"),
        ("Task { try socket.bind(\"inproc://x\") }", "unavailable from asynchronous contexts"),
        ("Task { _ = try Socket(.pair, in: context).kind }", "unavailable from asynchronous contexts"),
        ("Task { var poller = try Poller(); _ = try poller.wait(timeout: nil) }", "unavailable from asynchronous"),
        ("func other(_ f: @Sendable () -> Void) {}; other { _ = socket.kind }", "non-Sendable type 'Socket'"),
        ("_ = try socket.send(message); _ = message.byteCount", "used after consume"),
        ("let kept: RawSpan = message.withBytes { (bytes: RawSpan) -> RawSpan in bytes }; _ = kept", "Escapable"),
    ]

    @Test(arguments: programs.indices)
    func `misuse is refused by the compiler, and right use is not`(index: Int) throws {
        guard let modules = Self.modulesFolder else {
            print("skipped: the built module ZeroMQ is not beside the test program")
            return
        }
        let program = Self.programs[index]
        let (status, output) = try Self.compile("\(Self.head)\n    \(program.body)\n}\n", modules: modules)
        if let complaint = program.complaint {
            #expect(status != 0, "compiles: \(program.body)")
            #expect(output.contains(complaint), "\(program.body): \(output)")
        } else {
            #expect(status == 0, "does not compile: \(output)")
        }
    }

    /// SwiftPM puts the modules beside the test program.
    private static let modulesFolder: URL? = {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let folder = program.deletingLastPathComponent().appending(path: "Modules")
        let module = folder.appending(path: "ZeroMQ.swiftmodule").path
        return FileManager.default.fileExists(atPath: module) ? folder : nil
    }()

    private static func compile(_ text: String, modules: URL) throws -> (status: Int32, output: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "modelcast-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "program.swift")
        try text.write(to: file, atomically: true, encoding: .utf8)
        let moduleMap = URL(fileURLWithPath: sourceFile("x")).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "CLibZMQ/include/module.modulemap")

        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // Ownership is checked on SIL, which type-checking alone does not make.
        compiler.arguments = [
            "swiftc", "-swift-version", "6", "-emit-sil", "-o", "/dev/null", "-I", modules.path,
            "-Xcc", "-fmodule-map-file=\(moduleMap.path)", file.path,
        ]
        let pipe = Pipe()
        compiler.standardOutput = pipe
        compiler.standardError = pipe
        try compiler.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        compiler.waitUntilExit()
        return (compiler.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
