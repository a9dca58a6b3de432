/// One thing that has to hold, and whether it does.
struct HealthCheck: Equatable {
    let name: String
    /// What is wrong, and what to do; nil where nothing is.
    let problem: String?

    /// The line of a verbose answer.
    var line: String { problem.map { "[-] \(name): \($0)" } ?? "[+] \(name)" }
}
