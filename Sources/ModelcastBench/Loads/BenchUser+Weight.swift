import Foundation

extension BenchUser {
    /// A number made from each of the eleven properties, for measurements that read them all.
    var weight: Int {
        let texts = id.utf8.count + name.utf8.count + mailAddress.utf8.count + language.utf8.count
        let numbers = age + Int(balance) + (isActive ? 1 : 0) + Int(score) + Int(createdAt.timeIntervalSince1970)
        return texts + numbers + (city?.utf8.count ?? 0) + tags.count
    }
}
