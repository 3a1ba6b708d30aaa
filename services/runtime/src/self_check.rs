//! The self-check of a service before it serves in production: row-level security separates the
//! companies in its database, and its role cannot bypass it.

use crate::db::{Database, LookupConnection};
use crate::error::ServiceError;

/// The first minor release of each major version with correct row-level security.
const OLDEST: [(i32, i32); 3] = [(15, 14), (16, 10), (17, 6)];

/// The accepted policy conditions, as the server prints them, without white space. Any other
/// condition, such as one of these with an added OR, is rejected. The second is for a distributed
/// database, which allows no sub-select.
const TENANT_CONDITIONS: [&str; 2] = [
    "(company_id=(SELECT(NULLIF(current_setting('app.company_id'::text,true),\
    ''::text))::uuidAS\"nullif\"))",
    "(company_id=(NULLIF(current_setting('app.company_id'::text,true),''::text))::uuid)",
];

/// Returns all problems of the database and the service's role; empty if the service may serve.
/// Fails if the database does not answer.
pub async fn problems(database: &Database) -> Result<Vec<String>, ServiceError> {
    let mut connection = database.lookup().await?;
    let version: String = sqlx::query_scalar("SELECT current_setting('server_version_num')")
        .fetch_one(&mut *connection)
        .await?;
    let mut found: Vec<String> = version_problem(&version).into_iter().collect();
    let of_role = role_problems(&mut connection).await?;
    // Policies do not matter for a role that can bypass them.
    if of_role.is_empty() {
        found.extend(table_problems(&mut connection).await?);
    }
    found.extend(of_role);
    Ok(found)
}

/// Describes the problem if a server with this `server_version_num` is too old.
fn version_problem(number: &str) -> Option<String> {
    let number: i32 = number.parse().ok()?;
    let (major, minor) = (number / 10_000, number % 10_000);
    let too_old = match OLDEST.iter().find(|(known, _)| *known == major) {
        Some((_, oldest)) => minor < *oldest,
        None => major < OLDEST[0].0,
    };
    too_old.then(|| {
        format!(
            "PostgreSQL {major}.{minor} is too old: at least 15.14, 16.10, 17.6 or 18 is needed"
        )
    })
}

async fn role_problems(connection: &mut LookupConnection) -> Result<Vec<String>, ServiceError> {
    let (name, superuser, bypasses): (String, bool, bool) = sqlx::query_as(
        "SELECT rolname::text, rolsuper, rolbypassrls
        FROM pg_roles
        WHERE rolname = current_user",
    )
    .fetch_one(&mut **connection)
    .await?;
    let wrong = [(superuser, "is a superuser"), (bypasses, "has BYPASSRLS")];
    let wrong = wrong.into_iter().filter(|(is_so, _)| *is_so);
    let mut found: Vec<_> = wrong
        .map(|(_, what)| format!("the database role {name} {what}"))
        .collect();
    // A superuser has all other rights anyway.
    if superuser {
        return Ok(found);
    }
    // Direct and indirect memberships, which allow SET ROLE.
    let above: Vec<(String, bool, bool)> = sqlx::query_as(
        "SELECT rolname::text, rolsuper, rolbypassrls
        FROM pg_roles
        WHERE rolname <> current_user
            AND (rolsuper OR rolbypassrls OR rolname = 'tenant_lookup')
            AND pg_has_role(current_user, oid, 'MEMBER')
        ORDER BY rolname",
    )
    .fetch_all(&mut **connection)
    .await?;
    found.extend(above.into_iter().map(|(role, superuser, bypasses)| {
        let what = match (superuser, bypasses) {
            (true, _) => ", a superuser",
            (_, true) => ", which has BYPASSRLS",
            _ => "",
        };
        format!("the database role {name} is a member of {role}{what}")
    }));
    let owned: Vec<String> = sqlx::query_scalar(
        "SELECT c.relname::text
        FROM pg_class c
        WHERE c.relkind IN ('r', 'p', 'v', 'm')
            AND c.relnamespace = 'public'::regnamespace
            AND pg_has_role(current_user, c.relowner, 'MEMBER')
        ORDER BY c.relname",
    )
    .fetch_all(&mut **connection)
    .await?;
    let owned = owned.iter();
    found.extend(owned.map(|table| format!("the database role {name} is an owner of {table}")));
    Ok(found)
}

async fn table_problems(connection: &mut LookupConnection) -> Result<Vec<String>, ServiceError> {
    let tables: Vec<(String, bool, bool, bool, bool)> = sqlx::query_as(
        "SELECT
            c.relname::text,
            c.relrowsecurity,
            c.relforcerowsecurity,
            -- A tenant policy applies to this role ...
            coalesce(bool_or(p.keeps_apart), false),
            -- ... and no other policy does.
            coalesce(bool_and(p.keeps_apart), true)
        FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'company_id' AND NOT a.attisdropped
        LEFT JOIN LATERAL (
            SELECT
                -- Existing rows ...
                coalesce(seen = ANY($1), polcmd = 'a')
                -- ... and new rows, for which the condition of existing rows is the default.
                AND coalesce(made = ANY($1), polcmd <> 'a') AS keeps_apart
            FROM pg_policy
            CROSS JOIN LATERAL (
                SELECT
                    regexp_replace(pg_get_expr(polqual, polrelid), '[[:space:]]', '', 'g') AS seen,
                    regexp_replace(pg_get_expr(polwithcheck, polrelid), '[[:space:]]', '', 'g') AS made
            ) AS conditions
            WHERE polrelid = c.oid
                AND polpermissive
                AND EXISTS (
                    SELECT FROM unnest(polroles) AS role
                    WHERE role = 0 OR pg_has_role(current_user, role, 'MEMBER')
                )
        ) p ON true
        WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
        GROUP BY c.oid, c.relname, c.relrowsecurity, c.relforcerowsecurity
        ORDER BY c.relname",
    )
    .bind(&TENANT_CONDITIONS[..])
    .fetch_all(&mut **connection)
    .await?;
    let mut found = Vec::new();
    for (table, enabled, forced, has_policy, only_such) in tables {
        if !enabled || !forced {
            found.push(format!("table {table} has no forced row-level security"));
        }
        if !has_policy || !only_such {
            found.push(format!(
                "table {table} has no policy that keeps companies apart"
            ));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_problem_rejects_old_servers() {
        for (number, fine) in [
            ("140019", false),
            ("150013", false),
            ("150014", true),
            ("150018", true),
            ("160009", false),
            ("160010", true),
            ("170005", false),
            ("170006", true),
            ("180000", true),
            ("190001", true),
        ] {
            let problem = version_problem(number);
            assert_eq!(problem.is_none(), fine, "{number}: {problem:?}");
        }
    }
}
