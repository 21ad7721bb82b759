import CSystem

/// Looks users and groups up, when a file is read: a rule about somebody unknown would otherwise pass in silence.
enum PolicyNames {
    enum Finding: Hashable {
        case id(UInt32)
        case none
        case failed(String)
    }

    static func user(_ word: String) -> Finding {
        if let id = UInt32(word) { return .id(id) }
        var user = cs_user()
        return finding(cs_user_by_name(word, &user), user.uid)
    }

    static func group(_ word: String) -> Finding {
        if let id = UInt32(word) { return .id(id) }
        var group = cs_group()
        return finding(cs_group_by_name(word, &group), group.gid)
    }

    private static func finding(_ result: Int32, _ id: UInt32) -> Finding {
        switch result {
        case 1: .id(id)
        case 0: .none
        default: .failed(systemText(result))
        }
    }
}
