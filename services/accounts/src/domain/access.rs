//! Rights and lifetimes of sessions.

use hourmeter_proto::accounts::v1::{Role, Scope};

/// Maximum sessions of a person per scope.
pub const MAX_SESSIONS: i64 = 20;

const HOUR: i32 = 60 * 60;
const DAY: i32 = 24 * HOUR;

/// Lifetime of a session in seconds of the database's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Maximum time without use; None: no limit.
    pub idle: Option<i32>,
    pub total: i32,
}

pub const STAFF_LIFETIME: Lifetime = Lifetime {
    idle: Some(HOUR / 4),
    total: 8 * HOUR,
};

pub const fn lifetime(scope: Scope, remember: bool) -> Lifetime {
    match scope {
        _ if remember => Lifetime {
            idle: None,
            total: 30 * DAY,
        },
        Scope::Operator => Lifetime {
            idle: None,
            total: 12 * HOUR,
        },
        _ => Lifetime {
            idle: Some(2 * HOUR),
            total: 12 * HOUR,
        },
    }
}

/// The role of a session: an owner with operator scope acts as an operator.
pub const fn effective_role(role: Role, scope: Scope) -> Role {
    match scope {
        Scope::Operator => Role::Operator,
        _ => role,
    }
}

/// The password that was used at the operator login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordKind {
    Own,
    Shared,
}

/// Decides whether a sign-in at the operator login succeeds, and its scope. The shared password,
/// which every operator knows, never gives more than operator scope.
pub const fn admit_operator(
    role: Role,
    has_own: bool,
    own_is_right: bool,
    shared_is_right: bool,
) -> Option<(PasswordKind, Scope)> {
    match role {
        Role::Operator if has_own && own_is_right => Some((PasswordKind::Own, Scope::Operator)),
        Role::Operator if !has_own && shared_is_right => {
            Some((PasswordKind::Shared, Scope::Operator))
        }
        Role::Owner if shared_is_right => Some((PasswordKind::Shared, Scope::Operator)),
        Role::Owner if own_is_right => Some((PasswordKind::Own, Scope::Full)),
        _ => None,
    }
}

/// The name for histories: the person's, or the company's in an owner's operator session and for
/// a person without a name.
pub fn display_name(role: Role, scope: Scope, first: &str, last: &str, company: &str) -> String {
    let name = format!("{first} {last}").trim().to_owned();
    let shared = scope == Scope::Operator && role != Role::Operator;
    if shared || name.is_empty() {
        company.to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effective_role_is_limited_by_scope() {
        assert_eq!(effective_role(Role::Owner, Scope::Full), Role::Owner);
        assert_eq!(effective_role(Role::Owner, Scope::Operator), Role::Operator);
    }

    #[test]
    fn admit_operator_shared_password_never_gives_full_scope() {
        for role in [Role::Owner, Role::Manager, Role::Operator, Role::Support] {
            for (has_own, own) in [(false, false), (true, false), (true, true)] {
                let admitted = admit_operator(role, has_own, own, true);
                assert!(admitted.is_none_or(|(_, scope)| scope == Scope::Operator));
            }
        }
    }

    #[test]
    fn admit_operator_personal_password_replaces_the_shared_one() {
        let operator = |has_own, own, shared| admit_operator(Role::Operator, has_own, own, shared);
        assert_eq!(operator(true, false, true), None);
        assert_eq!(
            operator(true, true, false),
            Some((PasswordKind::Own, Scope::Operator))
        );
        assert_eq!(
            operator(false, false, true),
            Some((PasswordKind::Shared, Scope::Operator))
        );
        assert_eq!(operator(false, false, false), None);
    }

    #[test]
    fn admit_operator_owner_scope_depends_on_the_password() {
        let owner = |own, shared| admit_operator(Role::Owner, true, own, shared);
        assert_eq!(owner(true, false), Some((PasswordKind::Own, Scope::Full)));
        assert_eq!(
            owner(false, true),
            Some((PasswordKind::Shared, Scope::Operator))
        );
        assert_eq!(
            owner(true, true),
            Some((PasswordKind::Shared, Scope::Operator))
        );
        assert_eq!(owner(false, false), None);
    }

    #[test]
    fn lifetime_depends_on_scope_and_remember() {
        assert_eq!(lifetime(Scope::Full, false).idle, Some(7200));
        assert_eq!(lifetime(Scope::Full, false).total, 43200);
        assert_eq!(lifetime(Scope::Operator, false).idle, None);
        assert_eq!(lifetime(Scope::Operator, false).total, 43200);
        for scope in [Scope::Full, Scope::Operator] {
            assert_eq!(lifetime(scope, true).idle, None);
            assert_eq!(lifetime(scope, true).total, 2_592_000);
        }
    }

    #[test]
    fn staff_lifetime_is_short() {
        assert_eq!(
            (STAFF_LIFETIME.idle, STAFF_LIFETIME.total),
            (Some(900), 28_800)
        );
    }

    #[test]
    fn display_name_falls_back_to_the_company() {
        let name = |role, scope, first, last| display_name(role, scope, first, last, "Acme");
        assert_eq!(name(Role::Owner, Scope::Full, "Ana", "Ruiz"), "Ana Ruiz");
        assert_eq!(name(Role::Owner, Scope::Full, "", "Ruiz"), "Ruiz");
        assert_eq!(name(Role::Owner, Scope::Full, "", ""), "Acme");
        assert_eq!(name(Role::Owner, Scope::Operator, "Ana", "Ruiz"), "Acme");
        assert_eq!(name(Role::Operator, Scope::Operator, "Li", "Wu"), "Li Wu");
    }
}
