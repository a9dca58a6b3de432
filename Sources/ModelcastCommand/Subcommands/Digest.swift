import ArgumentParser
import Modelcast

/// `modelcast digest`: prints the digests of what a process holds.
struct Digest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints a fingerprint of everything that a publisher has published.",
        discussion: """
            One line for each type: TYPE COUNT DIGEST, the digest with 16 hexadecimal digits. Two copies with equal \
            digests are equal; `modelcast subscribe --digest` prints that of a subscriber's copy in the same form.

              $ modelcast digest --connect tcp://127.0.0.1:7400
              User 2 9a3c51e07d24f8b6

            Counting needs a copy of all models, taken at one moment. With --no-count the publisher is asked for \
            its digests only, which costs nothing: TYPE DIGEST. Its greeting tells them. A relay that mends its copy \
            leaves some out: then each type is asked for, 64 a second after the first 256.
            """)

    @OptionGroup var question: QuestionOptions

    @Flag(inversion: .prefixedNo, help: "Copy the models and count them.")
    var count = true

    func validate() throws { try question.checkKeys() }

    func run() async throws {
        let client = try await question.client()
        var lines: [String] = []
        if count {
            let cache = try await client.copy()
            for type in cache.types.sorted() {
                lines.append(digestLine(type, count: cache.count(of: type), digest: cache.digest(of: type)))
            }
        } else {
            for (type, digest) in try await client.digestsByType() {
                lines.append(digestLine(type, count: nil, digest: digest))
            }
        }
        try question.print(lines.map { Array(($0 + "\n").utf8) }.flatMap(\.self))
    }
}
