import ArgumentParser
import ModelJSON
import ModelRecord
import Modelcast

/// `modelcast get`: prints single models.
struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints single models of a publisher.",
        discussion: """
            Asks once and ends; for repeated reads use subscribe, which needs no question.

              $ modelcast get --connect tcp://127.0.0.1:7400 User 1 2
              {"type":"User","id":"1","model":{"name":"Ada","address":{"city":"London"}},\
            "version":"1763714400000.0@accounts"}

            Any number of ids may be asked for. The forms of values are those of `modelcast help subscribe`. Exit code \
            1 when one of the models does not exist, or has left the copy of a subscriber with limits; the others are \
            printed.
            """)

    @OptionGroup var question: QuestionOptions

    @Flag(
        help: """
            A subscriber with --limit, or with --prefetch none or ids, brings back what has left its copy, within nine \
            tenths of --timeout.
            """)
    var fetch = false

    @Argument(help: "The type of the models.")
    var type: String

    @Argument(help: ArgumentHelp("Their ids.", valueName: "id"))
    var joinedIDs: [String]

    private var ids: [String] { JoinedIDs.cut(joinedIDs) }

    func validate() throws {
        do {
            try Names.check(type: type)
            for id in ids { try Names.check(id: id) }
        } catch {
            throw ValidationError("\(error)")
        }
        try question.checkKeys()
    }

    /// What is said of a model that the copy does not hold.
    private var absence: String {
        fetch
            ? "was not brought back to the copy at \(question.connect) in time: its senders are not reached, or lack "
                + "what it was told, which is waited for half a minute"
            : "is not in the copy at \(question.connect), which does not hold all: add --fetch, or ask one it copies"
    }

    func run() async throws {
        let client = try await question.client(patience: fetch ? .forty : .five)
        let ids = ids
        var records: [ExactText: CellRecord] = [:]
        let found = try await client.lookUp(type, ids, bringsBack: fetch)
        let evicted = Set(found.evicted.lazy.map(ExactText.init))
        for record in found.records where record.exists { records[ExactText(record.id)] = record }
        var writer = JSONWriter()
        var missing: [String] = []
        for id in ids {
            if let record = records[ExactText(id)] {
                writer.writeLine(type: type, model: record, version: record.lastVersion)
            } else {
                missing.append(id)
            }
        }
        try question.print(writer.bytes)
        for id in missing {
            StandardError.write(
                line: evicted.contains(ExactText(id))
                    ? "\(type) \(id) \(absence)"
                    : "\(type) \(id) does not exist at \(question.connect)")
        }
        if !missing.isEmpty { throw ExitCode.failure }
    }
}
