import Foundation
import Logging
import Modelcast
import ModelcastConsole
import TestSupport
import Testing

/// An answer of a console.
struct ConsoleAnswer {
    let status: Int
    /// By name, in lower case.
    let headers: [String: String]
    let body: String
}

/// The result of `body`, which may block, on a thread of its own: the console works on the few that tasks have.
func onOwnThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// Asks a console over TCP, as any client does: with any bytes.
struct ConsoleClient {
    let port: Int

    /// Sends a request of these lines and this body, and reads the answer.
    func ask(_ lines: [String], body: String? = nil) async throws -> ConsoleAnswer {
        let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
        let text = (lines + length + ["Connection: close", "", ""]).joined(separator: "\r\n") + (body ?? "")
        let bytes = try #require(try await exchange(Array(text.utf8), isLast: false))
        let parts = String(decoding: bytes, as: UTF8.self).split(
            separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let head = parts[0].split(separator: "\r\n")
        let status = try #require(head.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        var headers: [String: String] = [:]
        for line in head.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            headers[pair[0].lowercased()] = pair.last?.trimmingCharacters(in: .whitespaces)
        }
        return ConsoleAnswer(status: status, headers: headers, body: parts.count > 1 ? String(parts[1]) : "")
    }

    /// Sends any bytes on a connection of their own, and reads what comes until that is closed.
    /// - Parameter isLast: what is sent ends with these bytes.
    /// - Returns: nil where the connection stays open for ten seconds without a byte.
    func exchange(_ bytes: [UInt8], isLast: Bool) async throws -> [UInt8]? {
        let endpoint = "tcp://127.0.0.1:\(port)"
        return try await onOwnThread {
            let connection = try RawConnection(to: endpoint)
            connection.send(bytes)
            if isLast { connection.finishSending() }
            return connection.readToEnd()
        }
    }

    func get(_ path: String, _ headers: String...) async throws -> ConsoleAnswer {
        try await ask(["GET \(path) HTTP/1.1", "Host: localhost:\(port)"] + headers)
    }

    /// Sends a request that writes, with a body that is JSON unless it is nil.
    func send(
        _ method: String, _ path: String, _ body: String? = nil, type: String = "application/json", _ headers: String...
    ) async throws -> ConsoleAnswer {
        let content = body == nil ? [] : ["Content-Type: \(type)"]
        return try await ask(["\(method) \(path) HTTP/1.1", "Host: localhost:\(port)"] + content + headers, body: body)
    }

    /// Asks until the answer is as wanted.
    /// - Returns: false where that takes two minutes.
    func eventually(_ path: String, _ isWanted: (ConsoleAnswer) -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < deadline {
            if isWanted(try await get(path)) { return true }
        }
        return false
    }
}

/// A configuration with a port that the system chooses.
func configured(_ change: (inout ConsoleConfiguration) -> Void) throws -> ConsoleConfiguration {
    var configuration = try ConsoleConfiguration("127.0.0.1:0")
    change(&configuration)
    return configuration
}

/// Runs a console of these services while `body` asks it.
@discardableResult
func withConsole<R>(
    of subjects: [ConsoleSubject], metrics: PrometheusMetrics? = nil, gateway: ModelGateway? = nil,
    configuration: ConsoleConfiguration? = nil, _ body: (ConsoleClient) async throws -> R
) async throws -> R {
    let console = Console(
        try configuration ?? ConsoleConfiguration("127.0.0.1:0"), of: subjects, metrics: metrics, gateway: gateway,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let run = Task { try await console.run() }
    defer { run.cancel() }
    let result = try await body(ConsoleClient(port: try await console.boundPort))
    run.cancel()
    try? await run.value
    return result
}

/// Two tokens: one reads the type `User`, one operates.
struct TwoTokens {
    let reader = BearerToken.random()
    let operate = BearerToken.random()
    let access: Access

    init() throws {
        let grants = """
            grant \(reader.key) dashboard subscribe:User
            grant \(operate.key) ops operate
            """
        access = Access(try Grants(parsing: grants))
    }
}
