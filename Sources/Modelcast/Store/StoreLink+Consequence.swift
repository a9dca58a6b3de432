/// The consequences that damage to a store has for its service, and what people have to do, in words for a log.
extension StoreLink.Owner {
    /// The consequence where a part of the file could be read.
    var consequenceOfPartLoss: String {
        switch self {
        case .publisher:
            "models that are missing are no longer this publisher's: take them back from a relay (--recover-from, "
                + "Publisher.recover), else subscribers keep them and nobody deletes them"
        case .relay:
            "what is missing is fetched from those that it listens to; what was only pushed to it, and is missing, is "
                + "gone unless another relay has it: run the jobs of that time again"
        case .subscriber: "what is missing is fetched anew"
        }
    }

    /// The consequence where nothing of the file could be read.
    /// - Parameter isTimeKnown: the log tells when the commits were made that are gone.
    func consequenceOfTotalLoss(isTimeKnown: Bool) -> String {
        switch self {
        case .publisher:
            return "no model is this publisher's any more: take them back from a relay (--recover-from, "
                + "Publisher.recover) or publish them anew, else subscribers keep them and nobody deletes them"
        case .relay:
            let jobs = isTimeKnown ? "the jobs of that time" : "all jobs"
            return "everything is fetched from those that it listens to; what was only pushed to it is gone unless "
                + "another relay has it: run \(jobs) again"
        case .subscriber: return "everything is fetched anew"
        }
    }
}
