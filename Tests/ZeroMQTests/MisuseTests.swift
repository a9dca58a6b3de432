import TestSupport
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
        guard let compiler = CompilerRun(of: "ZeroMQ") else { return }
        let program = Self.programs[index]
        try compiler.expect("\(Self.head)\n    \(program.body)\n}\n", complaint: program.complaint)
    }
}
