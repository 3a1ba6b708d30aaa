//! Resets a second factor, for a person who lost it and all recovery codes.

use std::io::Write;

use hourmeter_runtime::audit::AuditContext;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::text::LoginName;

use super::CommandError;
use crate::domain::names;
use crate::grpc::reset_by_other;
use crate::store::{people, sign_in};

pub(super) async fn reset(
    database: &Database,
    email: &str,
    out: &mut (dyn Write + Send),
) -> Result<(), CommandError> {
    let email = names::email(email)?;
    let mut lookup = database.lookup().await?;
    let found = sign_in::find(&mut lookup, &LoginName::read(&email)).await?;
    drop(lookup);
    // A match by business name does not count.
    let found = found.filter(|(_, by_email)| *by_email);
    let unknown = || CommandError::Refused(format!("no owner or manager signs in with {email}"));
    let (candidate, _) = found.ok_or_else(unknown)?;
    let tenant = candidate.tenant;
    let mut tx = database.tenant(tenant).await?;
    let person = people::find(&mut tx, tenant, candidate.user_id).await?;
    let person = person.ok_or_else(unknown)?;
    reset_by_other(&mut tx, &person, &AuditContext::command_line()).await?;
    tx.commit().await?;
    writeln!(out, "{email} has no second factor and no sessions now.")?;
    Ok(())
}
