import Foundation
import Modelcast

/// One short-lived job that pushes its models to the relays: `modelcast publish --push`.
struct ChaosJob: Hashable, Sendable {
    /// The number of its pusher, from 0.
    let pusher: Int
    /// The number of the job among those of its pusher, from 0.
    let number: Int

    /// The type of the models.
    static let type = "Pushed"
    /// How many models a job pushes.
    static let modelCount = 200
    /// The pause between two jobs of a pusher.
    static let pause = Duration.milliseconds(400)

    /// The ids of the job's models, which no other job has.
    var ids: [String] { (0..<ChaosJob.modelCount).map { "push-\(pusher)-\(number)-\($0)" } }

    /// The job's input, a line for each model.
    var input: String {
        ids.map { #"{"id":"\#($0)","job":\#(number),"pusher":\#(pusher)}"# + "\n" }.joined()
    }

    /// The arguments of the command.
    func arguments(name: String, file: String, relays: [String]) -> [String] {
        ["publish", "--name", name, "--type", ChaosJob.type, "--id-field", "id", "--acknowledged-by", "every"]
            + relays.flatMap { ["--push", $0] } + [file]
    }

    /// True for a record as the job has pushed it.
    func isRight(_ record: CellRecord) -> Bool {
        record.exists && record["job"] == .int(Int64(number)) && record["pusher"] == .int(Int64(pusher))
    }

    /// The ids of models of `jobs` that the process at `endpoint` does not hold as they were pushed.
    static func missing(_ jobs: [ChaosJob], at endpoint: String) async throws -> [String] {
        let client = try ControlClient(endpoint: endpoint, timeout: .seconds(20))
        var missing: [String] = []
        for job in jobs {
            let found = try await client.fetch(type, job.ids).filter(job.isRight).map(\.id)
            missing += Set(job.ids).subtracting(found).sorted()
        }
        return missing
    }
}
