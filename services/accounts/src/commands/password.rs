//! Sets a temporary password for an owner or manager who can't recover theirs.

use std::io::Write;

use hourmeter_proto::notifications::v1::SecurityEventKind;
use hourmeter_runtime::audit::AuditContext;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;

use super::{CommandError, find_person};
use crate::domain::password;
use crate::passwords::Passwords;
use crate::store::audit::{self, Event, done};
use crate::store::{credentials, notices, security_events, sessions, sign_in};

pub(super) async fn reset(
    database: &Database,
    passwords: &Passwords,
    email: &str,
    out: &mut (dyn Write + Send),
) -> Result<(), CommandError> {
    let (mut tx, person) = find_person(database, email).await?;
    let (id, name) = (person.id, person.name());
    let temporary = password::temporary()?;
    let hashed = passwords.hash(temporary.clone()).await?;
    let shared = credentials::operator_password(&mut tx).await?;
    sign_in::lock_company(&mut tx, &shared, true).await?;
    let email = person.email.unwrap_or_default();
    if !credentials::set_own_password(&mut tx, id, &hashed, Clock::system().now()).await? {
        return Err(CommandError::Refused(format!("{email} was removed")));
    }
    sessions::end_all(&mut tx, id, None).await?;
    notices::delete_password_set_by_other(&mut tx, id).await?;
    let context = AuditContext::command_line();
    let event = done(Event::PasswordReset);
    let detail = "sign_in_password_set";
    audit::record_on(&mut tx, &context, event, Some(id), &name, detail).await?;
    let event = SecurityEventKind::PasswordReset;
    security_events::record(&mut tx, id, event, &context).await?;
    tx.commit().await?;
    writeln!(out, "Temporary password: {}", temporary.as_str())?;
    writeln!(
        out,
        "{email} has no sessions now, and should choose another password in Profile."
    )?;
    Ok(())
}
