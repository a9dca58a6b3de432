import ModelGrants
import TestSupport
import Testing

/// Signing keys and types that have to be signed, in the text of grants.
@Suite struct GrantsSigningTests {
    private static let keys = [
        "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8}h?7", "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
        "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6", "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs",
    ]
    private static let signers = [
        "Ua#bOFV]3GgyL[sVSWJQpNK{>S]j.VE6sh&e0OFS",
        "G1>i5cQM/ZvBp5s}I6HN5DVdSM$j%Ms*ZY%9d=Yh",
        "Vn^iYX%Ud19tW77tdTo]Z8q[p](09=:H%4j)V@FX",
        "lJa[t:u&y7D{nbnRR4:V7HzF-@DSbSn](@s!kd>f",
    ]
    private var (keys, signers) = (GrantsSigningTests.keys, GrantsSigningTests.signers)

    private func problems(_ text: String) -> [String] {
        do throws(GrantsError) {
            _ = try Grants(parsing: text)
            return []
        } catch { return error.problems.map(\.description) }
    }

    private func warnings(_ text: String) throws -> [String] {
        try Grants(parsing: text).warnings.map(\.description)
    }

    @Test func `signatures of a line's keys prove its types as its origins, and no others`() throws {
        let grants = try Grants(
            parsing: """
                require-signature:User require-signature:Order.*  # and nothing else
                grant \(keys[0]) accounts publish:User publish:Bill origin=accounts sign=\(signers[0])
                grant \(keys[1]) shop publish:Order.* origin=shop-* sign=\(signers[1]) sign=\(signers[2])
                \trequire-signature:Key\r
                grant \(keys[0]) accounts publish:Key origin=accounts sign=\(signers[3]) sign=\(signers[0])
                """)
        #expect(grants.warnings.count == 1, "\(grants.warnings)")
        #expect(grants.signedTypes.map(\.description) == ["User", "Order.*", "Key"])
        #expect(["User", "Order.", "Order.Line", "Key"].allSatisfy(grants.requiresSignature))
        #expect(!["Users", "Order", "user", "Bill", ""].contains(where: grants.requiresSignature))
        #expect(grants.signingKeys(of: "User", as: "accounts") == [signers[0]])
        #expect(grants.signingKeys(of: "Bill", as: "accounts") == [signers[0]])
        #expect(grants.signingKeys(of: "Key", as: "accounts") == [signers[3], signers[0]])
        #expect(grants.signingKeys(of: "Order.Line", as: "shop-1") == [signers[1], signers[2]])
        #expect(grants.signingKeys(of: "User", as: "shop-1").isEmpty)
        #expect(grants.signingKeys(of: "Order.Line", as: "accounts").isEmpty)
        #expect(grants[keys[0]]?.rights.publications.map(\.signingKeys) == [[signers[0]], [signers[3], signers[0]]])
        // Keys of several grants add up, each once, while an origin gets another key to connect with.
        let both = try Grants(
            parsing: """
                grant \(keys[0]) a publish:User origin=a sign=\(signers[2]) sign=\(signers[0])
                grant \(keys[1]) a publish:Use* origin=* sign=\(signers[0]) sign=\(signers[1])
                """)
        #expect(both.signingKeys(of: "User", as: "a") == [signers[2], signers[0], signers[1]])
        #expect(!both.requiresSignature(of: "User"))
    }

    @Test func `a signing key that is none is told with its place and what would be right`() {
        let (key, signer) = (keys[0], signers[0])
        let publish = "grant \(key) x publish:User origin=x"
        let found = problems(
            """
            \(publish) sign=
            \(publish) sign=\(signer.dropLast())
            \(publish) sign=\(signer),\(signer)
            \(publish) sign=\(String(repeating: "#", count: 40))
            \(publish) sign=\(key)
            grant \(key) x subscribe:User sign=\(signer)
            grant \(key) x origin=x sign=\(signer)
            grant \(key) sign=\(signer)
            \(publish) sing=\(signer) Sign:\(signer) signature=\(signer) signing-key sign
            \(publish) \((0..<9).map { "sign=\($0)" + signer.dropFirst() }.joined(separator: " "))
            """)
        let wanted = [
            "1:72: a key is missing behind sign=: modelcast keygen --signing prints one",
            "2:72: a public signing key has 40 characters, and this has 39: is it whole?",
            "3:72: this is no public signing key: ',' is not among the characters of one; modelcast keygen --signing "
                + "prints one with 40 characters",
            "4:72: this is no public signing key: '#####' in it stands for no 4 bytes; modelcast keygen --signing "
                + "prints one",
            "5:72: this is the key of the line itself, and a signing key is another: make one with modelcast keygen "
                + "--signing",
            "6:65: sign= proves what a key writes, and this one may write nothing: add publish:TYPE and origin=NAME",
            "7:48: origin= needs types to write: add publish:TYPE",
            "8:48: a name is missing before 'sign=\(signer)', which is a right and no name: write grant KEY NAME and "
                + "what the key may do",
            "9:72: 'sing=\(signer)' is no right: write sign=\(signer)",
            "9:118: 'Sign:\(signer)' is no right: write sign=\(signer)",
            "9:164: 'signature=\(signer)' is no right: write sign=\(signer)",
            "9:215: 'signing-key' is no right: write sign=KEY",
            "9:227: 'sign' is no right: write sign=KEY",
            "10:440: a line has at most 8 signing keys: take away those that sign no more",
        ]
        for (found, wanted) in zip(found, wanted) { #expect(found == wanted) }
        #expect(found.count == wanted.count)
    }

    @Test func `a line of types that have to be signed stands alone, and what is near it leads to it`() {
        let begins = "a line begins with grant, require-signature: or #, not"
        let only = "only require-signature:TYPE may stand in this line, not"
        let found = problems(
            """
            require-signature:
            require-signature:a*b require-signature:User,Order
            require-signature:User Order require-signatures:Bill publish:Order ?
            require-signatures:User
            require-signature User
            require-signature
            require-signature # User
            Require-Signature=User
            requiresignature:User
            signed:User
            sign=\(signers[0])
            grants \(keys[0]) x operate
            subscribe:User
            grant \(keys[0]) x operate require-signature:User require-signatures:Use* required
            grant \(keys[0]) require-signature:User operate
            """)
        let wanted = [
            "1:1: a name is missing behind require-signature: (require-signature:* stands for all)",
            "2:1: 'a*b' is no name, and no beginning of names with a * at its end",
            "2:23: ',' is in no name; for several names write require-signature: for each",
            "3:24: \(only) 'Order': write require-signature:Order",
            "3:30: \(only) 'require-signatures:Bill': write require-signature:Bill",
            "3:54: \(only) 'publish:Order': a right stands behind grant KEY NAME",
            "3:68: \(only) '?': write require-signature:TYPE",
            "4:1: \(begins) 'require-signatures:User': write require-signature:User",
            "5:1: \(begins) 'require-signature': write require-signature:User",
            "6:1: \(begins) 'require-signature': write require-signature:TYPE",
            "7:1: \(begins) 'require-signature': write require-signature:TYPE",
            "8:1: \(begins) 'Require-Signature=User': write require-signature:User",
            "9:1: \(begins) 'requiresignature:User': write require-signature:User",
            "10:1: \(begins) 'signed:User': write require-signature:User",
            "11:1: \(begins) 'sign=\(signers[0])'",
            "12:1: \(begins) 'grants': write grant KEY NAME and what the key may do",
            "13:1: \(begins) 'subscribe:User'",
            "14:58: 'require-signature:User' is no right: write require-signature:User in a line of its own",
            "14:81: 'require-signatures:Use*' is no right: write require-signature:Use* in a line of its own",
            "14:105: 'required' is no right: write require-signature:TYPE in a line of its own",
            "15:48: a name is missing before 'require-signature:User', which is a line of its own and no name: write "
                + "grant KEY NAME and what the key may do",
        ]
        for (found, wanted) in zip(found, wanted) { #expect(found == wanted) }
        #expect(found.count == wanted.count)
    }

    @Test func `types that have to be signed and are written without a key are a warning`() throws {
        #expect(
            try warnings(
                """
                grant \(keys[0]) accounts publish:Bill publish:U* publish:Order.Line origin=accounts
                grant \(keys[1]) dash subscribe:* rate=5
                grant \(keys[2]) relay-a relay subscribe:*
                require-signature:User require-signature:Order.*
                """
            ).dropFirst() == [
                "1:70: accounts may publish User and Order.Line, which have to be signed: add sign=KEY; without it its "
                    + "batches are dropped, and what it writes comes late, by copies that prove nothing"
            ])
        // Keys of another line prove the same origin, if they are there for all that has to be signed.
        let other = "require-signature:U*\ngrant \(keys[1]) b publish:User origin=b sign=\(signers[0])\n"
        #expect(try warnings(other + "grant \(keys[0]) b publish:User origin=b").isEmpty)
        #expect(
            try warnings(other + "grant \(keys[0]) b publish:User origin=b*") == [
                "3:50: b may publish User, which has to be signed: add sign=KEY; without it its "
                    + "batches are dropped, and what it writes comes late, by copies that prove nothing"
            ])
        #expect(
            try warnings(other + "grant \(keys[0]) b publish:Us* origin=b").map { $0.prefix(27) } == [
                "3:50: b may publish Us*, wh"
            ])
    }

    @Test func `types that two origins may sign, and a key that may sign as every origin, are warnings`() throws {
        let required = "require-signature:User\n"
        func line(_ index: Int, _ name: String, _ rights: String) -> String {
            "grant \(keys[index]) \(name) \(rights) sign=\(signers[index])\n"
        }
        let own = line(0, "a", "publish:User origin=a")
        #expect(
            try warnings(required + own + line(1, "b", "publish:U* origin=b")) == [
                "3:50: a in line 2 may sign U*, too: copies of what both have written are not compared with what they "
                    + "sign"
            ])
        #expect(try warnings(required + own + line(1, "b", "publish:Bill publish:Us origin=b")).count == 1)
        let any = try warnings(required + line(0, "a", "publish:User origin=*"))
        #expect(any.contains { $0.contains("a may sign as every origin") })
        // Two keys of one origin are a rotation.
        #expect(try warnings(required + own + line(1, "a2", "publish:User origin=a")).isEmpty)
    }

    @Test func `signing keys in vain, of two names, and words that add nothing are warnings`() throws {
        let publish = "publish:User publish:Use* publish:Bill origin"
        #expect(
            try warnings(
                "grant \(keys[0]) a \(publish)=a sign=\(signers[0]) sign=\(signers[0])\nrequire-signature:User2")
                == [
                    "1:63: User adds nothing to publish:Use*",
                    "1:144: this sign= adds nothing: the line has the same key before it",
                ])
        #expect(
            try warnings("grant \(keys[0]) a publish:U* publish:Bill origin=a sign=\(signers[0])\nrequire-signature:V")
                == [
                    "2:1: nobody may publish V, so this requires nothing",
                    "1:83: no require-signature: line has U* or Bill, so these signatures are not looked at",
                ])
        let sign = "publish:User origin=a sign=\(signers[0])"
        #expect(
            try warnings(
                """
                require-signature:User*
                grant \(keys[0]) a \(sign)
                grant \(keys[1]) a \(sign)
                grant \(keys[2]) b \(sign)
                require-signature:User require-signature:Us* require-signature:Us*
                """) == [
                    "1:1: require-signature:User* adds nothing to Us* in line 5",
                    "5:1: require-signature:User adds nothing to User* in line 1",
                    "5:46: require-signature:Us* adds nothing to Us*",
                    "4:72: a has this signing key in line 2, too: whoever has it can sign as both",
                ])
    }

    @Test func `a requirement of what nobody writes, and a signing key that connects, are warnings`() throws {
        let line = "grant \(keys[0]) accounts publish:User publish:Order.* origin=accounts sign="
        #expect(
            try warnings("require-signature:Usr require-signature:Bill require-signature:Order\n\(line)\(signers[0])")
                == [
                    "1:1: nobody may publish Usr, so this requires nothing: should it be require-signature:User?",
                    "1:23: nobody may publish Bill, so this requires nothing",
                    "1:46: nobody may publish Order, so this requires nothing: should it be "
                        + "require-signature:Order.*?",
                    "2:102: no require-signature: line has User or Order.*, so these signatures are not looked at",
                ])
        #expect(
            try warnings("require-signature:*\n\(line)\(keys[1])\ngrant \(keys[1]) shop subscribe:*") == [
                "2:102: this is the key with which shop connects, and a signing key is another: make one with "
                    + "modelcast keygen --signing"
            ])
        // Who only listens has a file without a line of a writer.
        #expect(try warnings("require-signature:User\ngrant \(keys[1]) shop subscribe:*").isEmpty)
    }

    @Test func `another signing key is another grant, and another signed type makes other grants`() throws {
        func grants(_ words: String, _ type: String = "User") throws -> Grants {
            try Grants(parsing: "require-signature:\(type)\ngrant \(keys[0]) a publish:User* origin=a \(words)")
        }
        let old = try grants("sign=\(signers[0])")
        #expect(try old.changes(since: grants("sign=\(signers[0])")).changed.isEmpty)
        for words in ["", "sign=\(signers[1])", "sign=\(signers[0]) sign=\(signers[1])"] {
            let new = try grants(words)
            #expect(new.changes(since: old).changed.map(\.name) == ["a"] && new != old)
        }
        let other = try grants("sign=\(signers[0])", "Users")
        #expect(other != old && other.changes(since: old).changed.isEmpty)
    }

    @Test func `signatures are explained in words`() throws {
        let grants = try Grants(
            parsing: """
                require-signature:User require-signature:Order.*
                grant \(keys[0]) accounts publish:User origin=accounts sign=\(signers[0]) sign=\(signers[1])
                grant \(keys[1]) shop publish:O* publish:Bill origin=shop sign=\(signers[2])
                grant \(keys[1]) shop publish:User origin=shop rate=5
                """)
        #expect(
            grants.explanation(of: "accounts")?.dropFirst() == [
                "  may read User", "  may write User as accounts, signed with \(signers[0]) or \(signers[1])",
            ])
        #expect(
            grants.explanation(of: "shop")?.dropFirst(2) == [
                "  may write O*, Bill as shop, Order.* signed with \(signers[2])",
                "  may write User as shop, but batches of User count only signed: sign=KEY is missing",
                "  at most rate=5",
            ])
        #expect(
            grants.explanation(of: "shop", type: "Order.Line")?.dropFirst() == [
                "  may read Order.Line", "  may write Order.Line as shop, signed with \(signers[2])",
                "  Order.Line has to be signed", "  at most rate=5",
            ])
        #expect(
            grants.explanation(of: "shop", type: "Bill")?.dropFirst() == [
                "  may read Bill", "  may write Bill as shop", "  Bill need not be signed", "  at most rate=5",
            ])
        #expect(
            grants.explanation(of: "accounts", type: "Order.Line")?.dropFirst(2) == [
                "  may not write Order.Line", "  Order.Line has to be signed",
            ])
    }

    @Test func `of two patterns that overlap one covers the other`() throws {
        let patterns = try ["*", "U*", "User", "User*", "Us", "V*", "V"].map { try #require(NamePattern($0)) }
        for one in patterns {
            for other in patterns {
                let names = ["U", "Us", "User", "Users", "V", "VV", ""].filter(one.matches)
                #expect(one.overlaps(other) == names.contains(where: other.matches), "\(one) \(other)")
            }
        }
    }

    @Test func `grants of any lines answer as the lines say one by one`() {
        let patterns = ["A", "AB", "A*", "AB*", "B", "*"]
        let names = ["A", "AB", "ABC", "B", "C"]
        func matches(_ pattern: String, _ name: String) -> Bool {
            pattern.last == "*" ? name.hasPrefix(pattern.dropLast()) : name == pattern
        }
        forEachSeed(5_000) { _, generator in
            func some(_ all: [String], _ counts: ClosedRange<Int>) -> [String] {
                (0..<Int.random(in: counts, using: &generator)).compactMap { _ in all.randomElement(using: &generator) }
            }
            var (lines, required): ([String], [String]) = ([], [])
            var written: [(key: Int, types: [String], origins: [String], signers: [String])] = []
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                if Bool.random(using: &generator) {
                    let types = some(patterns, 1...2)
                    required += types
                    lines.append(types.map { "require-signature:" + $0 }.joined(separator: " "))
                } else {
                    let key = Int.random(in: 0..<keys.count, using: &generator)
                    let line = (key, some(patterns, 1...2), some(patterns, 1...2), some(signers, 0...3))
                    written.append(line)
                    let words =
                        line.1.map { "publish:" + $0 } + line.2.map { "origin=" + $0 } + line.3.map { "sign=" + $0 }
                    lines.append(
                        "grant \(keys[key]) peer-\(key) " + words.shuffled(using: &generator).joined(separator: " "))
                }
            }
            let grants = try Grants(parsing: lines.joined(separator: "\n"))
            for type in names {
                let isRequired = required.contains { matches($0, type) }
                try #require(grants.requiresSignature(of: type) == isRequired, "\(type) in \(lines)")
                for origin in names {
                    let lines = written.filter { line in
                        line.types.contains { matches($0, type) } && line.origins.contains { matches($0, origin) }
                    }
                    let found = grants.signingKeys(of: type, as: origin)
                    try #require(Set(found) == Set(lines.flatMap(\.signers)), "\(type) as \(origin)")
                    try #require(Set(found).count == found.count)
                    // Nobody takes what has to be signed and has no key, and then the file is warned of.
                    guard isRequired, !lines.isEmpty, found.isEmpty else { continue }
                    try #require(grants.warnings.contains { $0.message.contains("to be signed: add sign=KEY") })
                }
            }
            for name in Set(grants.all.map(\.name)) {
                try #require(grants.explanation(of: name) != nil)
                for type in names { try #require(grants.explanation(of: name, type: type) != nil) }
            }
        }
    }
}
