//! Taking a second factor away, for somebody who lost it and every recovery code.

use std::io::Write;

use hourmeter_runtime::audit::AuditContext;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::text::LoginName;

use super::CommandError;
use crate::domain::names;
use crate::grpc::taken_away;
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
    // Not somebody whose business has that name.
    let found = found.filter(|(_, by_email)| *by_email);
    let nobody = || CommandError::Refused(format!("no owner or manager signs in with {email}"));
    let (candidate, _) = found.ok_or_else(nobody)?;
    let tenant = candidate.tenant;
    let mut tx = database.tenant(tenant).await?;
    let person = people::find(&mut tx, tenant, candidate.user_id).await?;
    let person = person.ok_or_else(nobody)?;
    taken_away(&mut tx, &person, &AuditContext::command_line()).await?;
    tx.commit().await?;
    writeln!(out, "{email} has no second factor and no session any more.")?;
    Ok(())
}
