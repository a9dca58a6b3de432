import ModelGrants
import TestSupport
import Testing

@Suite struct GrantsTextTests {
    private static let keys = [
        "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8}h?7", "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
        "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6", "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs",
    ]

    private func problems(_ text: String) -> [String] {
        do throws(GrantsError) {
            _ = try Grants(parsing: text)
            return []
        } catch { return error.problems.map(\.description) }
    }

    /// The one right line of a key, with these words.
    private func rights(_ words: String) throws -> Rights {
        try #require(try Grants(parsing: "grant \(GrantsTextTests.keys[0]) peer \(words)")[GrantsTextTests.keys[0]])
            .rights
    }

    @Test func `what others call a right leads to ours, and a list of names to one right for each`() throws {
        func advice(_ words: String) -> String? {
            problems("grant \(GrantsTextTests.keys[0]) peer \(words)").first
        }
        #expect(advice("read:User")?.hasSuffix("'read:User' is no right: write subscribe:User") == true)
        #expect(advice("write:User origin=x")?.hasSuffix("write publish:User") == true)
        #expect(advice("admin")?.hasSuffix("write operate") == true)
        #expect(
            advice("subscribe:User,Order")?.contains("',' is in no name; for several names write subscribe:") == true)
        #expect(advice("publish:User origin=a,b")?.contains("write origin= for each") == true)
        let relay = try Grants(parsing: "grant \(GrantsTextTests.keys[0]) relay-a relay")
        #expect(relay.warnings.map(\.message).first?.contains("add subscribe:*") == true)
    }

    @Test func `each key may do what its line grants, and nothing else`() throws {
        let grants = try Grants(
            parsing: """
                # who reads bills
                grant \(GrantsTextTests.keys[0]) billing subscribe:User subscribe:Order.*  # and their parts
                \tgrant \(GrantsTextTests.keys[1])  accounts publish:User origin=accounts origin=accounts-*\r
                grant \(GrantsTextTests.keys[2]) relay-a relay subscribe:*

                grant \(GrantsTextTests.keys[3]) ops operate
                """)
        #expect(grants.all.map(\.name) == ["billing", "accounts", "relay-a", "ops"])
        #expect(grants.all.map(\.line) == [2, 3, 4, 6])
        #expect(grants.warnings.isEmpty)
        let (reader, writer) = (grants.all[0].rights, grants.all[1].rights)
        #expect(["User", "Order.Item", "Order."].allSatisfy(reader.mayRead))
        #expect(!["Users", "Order", "user", ""].contains(where: reader.mayRead))
        #expect(!reader.mayWrite("User", as: "billing") && !reader.maySpeak(for: "billing"))
        #expect(writer.mayWrite("User", as: "accounts") && writer.mayWrite("User", as: "accounts-2"))
        #expect(!writer.mayWrite("User", as: "billing") && !writer.mayWrite("Order", as: "accounts"))
        #expect(writer.mayRead("User") && !writer.mayRead("Order") && !writer.readsAll)
        let (relay, ops) = (grants.all[2].rights, grants.all[3].rights)
        #expect(relay.maySpeak(for: "anybody", of: "Anything") && !relay.mayWrite("User", as: "relay-a"))
        #expect(relay.readsAll && relay.mayCauseRecovery && !relay.isOperator)
        #expect(ops.readsAll && ops.mayCauseRecovery && !ops.maySpeak(for: "ops"))
        #expect(grants["anybody else"] == nil)
    }

    @Test func `whatever was not granted is denied`() throws {
        let rights = Rights()
        #expect(!rights.mayRead("User") && !rights.mayWrite("User", as: "") && !rights.maySpeak(for: ""))
        #expect(!rights.readsAll && !rights.mayCauseRecovery && rights.readable.isEmpty)
        let all = Rights.all
        #expect(all.readsAll && all.mayWrite("User", as: "x") && all.maySpeak(for: "x", of: "User"))
    }

    @Test func `a line that cannot be read is told with its place and what would be right`() {
        let key = GrantsTextTests.keys[0]
        let found = problems(
            """
            allow \(key) x
            grant \(key.dropLast()) x relay
            grant \(key)
            grant \(key) subscribe:User
            grant \(key) x subscibe:User Publish:Order orgin=x releay fly
            grant \(key) x subscribe: publish:a*b origin=*
            grant \(key) x publish:User
            grant \(key) x origin=x
            grant \(key.dropLast())ä x relay
            grant
            """)
        let wanted = [
            "1:1: a line begins with grant, require-signature: or #, not 'allow'",
            "2:7: a public key has 40 characters, and this has 39: is it whole?",
            "3:7: a name is missing: write grant KEY NAME and what the key may do",
            "4:48: a name is missing before 'subscribe:User', which is a right and no name: write grant KEY NAME and "
                + "what the key may do",
            "5:50: 'subscibe:User' is no right: write subscribe:User",
            "5:64: 'Publish:Order' is no right: write publish:Order",
            "5:78: 'orgin=x' is no right: write origin=x",
            "5:86: 'releay' is no right: write relay",
            "5:93: 'fly' is no right: write subscribe:TYPE, publish:TYPE, origin=NAME, sign=KEY, relay, operate, "
                + "or a limit such as rate=1000",
            "6:50: a name is missing behind subscribe: (subscribe:* stands for all)",
            "6:61: 'a*b' is no name, and no beginning of names with a * at its end",
            "7:48: publish: needs an origin to write as: add origin=x",
            "8:48: origin= needs types to write: add publish:TYPE",
            "9:7: this is no public key: 'ä' is not among the characters of one; modelcast keygen prints one "
                + "with 40 characters",
            "10:1: a key is missing: write grant KEY NAME and what the key may do",
        ]
        for (found, wanted) in zip(found, wanted) { #expect(found == wanted) }
        #expect(found.count == wanted.count)
    }

    @Test func `what may be a mistake is a warning, and the rights of several lines with one key add up`() throws {
        let key = GrantsTextTests.keys[0]
        let grants = try Grants(
            parsing: """
                grant \(key) x subscribe:User subscribe:Use* subscribe:User
                grant \(key) y subscribe:Order
                grant \(key) x operate
                grant \(GrantsTextTests.keys[1]) idle
                """)
        #expect(
            grants.warnings.map(\.description) == [
                "1:65: User adds nothing to subscribe:Use*",
                "1:80: subscribe:User adds nothing to User",
                "2:7: this key is x in line 1, and y here: it is called x, and the rights of both lines add up",
                "3:7: this key stands in line 1, too: the rights of both lines add up",
                "4:48: idle may connect and do nothing: add subscribe:TYPE, or take the line away",
            ])
        let rights = try #require(grants[key]).rights
        #expect(rights.mayRead("User") && rights.mayRead("Order") && rights.isOperator)
    }

    @Test(arguments: ["\u{2028}", "\u{B}", "\u{C}", "\u{85}", "\r"])
    func `what only looks like the end of a line ends no comment`(end: String) throws {
        let grants = try Grants(parsing: "# old:\(end)grant \(GrantsTextTests.keys[0]) x operate\r\n")
        #expect(grants.all.isEmpty)
    }

    @Test func `patterns of which no name can be, and rights that others hold, are warnings`() throws {
        let long = String(repeating: "a", count: 65)
        let key = GrantsTextTests.keys[0]
        let grants = try Grants(
            parsing: """
                grant \(key) a subscribe:9User subscribe:.* publish:\(long) origin=9 origin=\(long)*
                grant \(GrantsTextTests.keys[1]) b subscribe:User subscribe:U* operate relay
                require-signature:9User
                """)
        #expect(
            grants.warnings.map(\.description) == [
                "1:50: subscribe:9User can grant nothing: a type begins with a letter or _",
                "1:66: subscribe:.* can grant nothing: a type begins with a letter or _",
                "1:79: publish:\(long) can grant nothing: a name has 64 bytes at most",
                "1:162: origin=\(long)* can grant nothing: a name has 64 bytes at most",
                "2:65: User adds nothing to subscribe:U*",
                "2:48: subscribe:User adds nothing to operate, which reads everything",
                "3:1: 9User can be no type, so this requires nothing: a type begins with a letter or _",
            ])
        #expect(
            grants.explanation(of: "b")?.last
                == "  may tell a publisher of later writes of its own, so that it starts anew")
    }

    @Test func `a pattern ends in a star or is a whole name`() throws {
        #expect(["", "a*b", "**", "a/*", "a/"].allSatisfy { NamePattern($0) == nil })
        let (all, some, one) = (NamePattern.all, try #require(NamePattern("a*")), try #require(NamePattern("ab")))
        #expect(all == NamePattern("*") && all.covers(some) && some.covers(one))
        #expect(!one.covers(some) && !some.covers(all))
        // One character in two spellings is two names, as on the wire.
        #expect(try #require(NamePattern("caf\u{E9}")).matches("caf\u{E9}"))
        #expect(try !#require(NamePattern("caf\u{E9}")).matches("cafe\u{301}"))
        #expect(some.description == "a*" && one.description == "ab")
    }

    @Test func `rights are explained in words`() throws {
        let grants = try Grants(
            parsing: "grant \(GrantsTextTests.keys[0]) accounts publish:User subscribe:Order.* origin=accounts")
        let title = "accounts (\(GrantsTextTests.keys[0]), line 1)"
        #expect(
            grants.explanation(of: "accounts") == [
                title, "  may read Order.*, User", "  may write User as accounts",
            ])
        #expect(
            grants.explanation(of: GrantsTextTests.keys[0], type: "Order.Item") == [
                title, "  may read Order.Item", "  may not write Order.Item",
            ])
        #expect(grants.explanation(of: "accounts", type: "Bill")?[1].contains("may not read Bill") == true)
        #expect(grants.explanation(of: "nobody") == nil)
        #expect(try rights("").readable.isEmpty)
    }

    @Test func `limits are read with their units, of two numbers the smaller holds, and what is none is told`() throws {
        let key = GrantsTextTests.keys[0]
        let grants = try Grants(
            parsing: """
                grant \(key) jobs publish:User origin=job-* rate=1000 bytes=64M ids=9 underway=3K connections=2
                grant \(key) jobs ids=5 streams=7 rate=2000 requests=1
                grant \(GrantsTextTests.keys[1]) dash subscribe:User rate=5 requests=3 requests=2
                """)
        let limits = try #require(grants[key]).limits
        let wanted: [KeyLimit: Int] = [
            .rate: 1000, .bytes: 64 << 20, .ids: 5, .underWay: 3 << 10, .connections: 2, .streams: 7, .requests: 1,
        ]
        for limit in KeyLimit.allCases { #expect(limits[limit] == wanted[limit]) }
        #expect(grants[GrantsTextTests.keys[1]]?.limits[.requests] == 2)
        #expect(
            grants.warnings.map(\.description).suffix(2) == [
                "3:86: requests=3 stands here, too: the smaller one holds",
                "3:48: rate= bounds what dash pushes, and it may push nothing",
            ])
        #expect(
            grants.explanation(of: "jobs")?.last
                == "  at most connections=2 requests=1 underway=3072 streams=7 ids=5 bytes=67108864 rate=1000")
        let found = problems(
            "grant \(key) x relay subscribe:* rate= ids=1M bytes=2T connections=0 requests=9999999999999999 rates=5 "
                + "memory=5M"
        )
        let words = [
            "'' is no limit: write rate= and a number", "'1M' is no limit: write ids= and a number",
            "'2T' is no limit: write bytes= and a number of bytes, such as 67108864, 65536K, 64M or 1G",
            "a limit is at least 1; to shut the key out, take its line away",
            "'9999999999999999' is no limit: write requests= and a number", "'rates=5' is no right: write rate=5",
            "'memory=5M' is no right: write bytes=5M",
        ]
        for (found, words) in zip(found, words) { #expect(found.hasSuffix(": " + words)) }
        #expect(found.count == words.count)
    }

    @Test func `no text makes the reader of grants stop, and a control character reaches no log`() {
        let parts = [
            "grant", GrantsTextTests.keys[0], " ", "\t", "\n", "#", "*", "subscribe:", "publish:", "origin=", "relay",
            "\u{1B}[31m", "\u{0}", "ä", "User", "\u{202E}", "\r\n", "\u{85}", "rate=", "bytes=9G", "ids=0",
            "connections=99999999999999999999", "sign=", "sign=\(GrantsTextTests.keys[1])", "sign=\u{0}",
            "require-signature:", "require-signature:User", "require-signature:\u{202E}", "require-signatures:*",
        ]
        forEachSeed(20_000) { _, generator in
            let parts = (0..<60).map { _ in parts.randomElement(using: &generator) ?? "" }
            let text = parts.joined(separator: Bool.random(using: &generator) ? " " : "")
            for problem in problems(text) {
                try #require(!problem.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
            }
        }
    }
}
