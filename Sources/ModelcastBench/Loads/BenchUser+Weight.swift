import Foundation

extension BenchUser {
    /// Something of each of the eleven properties, for who reads them all.
    var weight: Int {
        let texts = id.utf8.count + name.utf8.count + mailAddress.utf8.count + language.utf8.count
        let numbers = age + Int(balance) + (isActive ? 1 : 0) + Int(score) + Int(createdAt.timeIntervalSince1970)
        return texts + numbers + (city?.utf8.count ?? 0) + tags.count
    }
}
