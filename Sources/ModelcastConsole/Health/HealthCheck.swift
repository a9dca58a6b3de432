/// One thing that has to hold, and whether it does.
struct HealthCheck: Equatable {
    let name: String
    /// The fault, and what to do; nil where there is none.
    let problem: String?

    /// The line of a verbose answer.
    var line: String { problem.map { "[-] \(name): \($0)" } ?? "[+] \(name)" }
}
