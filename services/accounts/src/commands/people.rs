//! Commands for owners and managers who can't recover a password, or lost a second factor and all
//! recovery codes.

use std::io::Write;

use futures::future::BoxFuture;
use hourmeter_proto::notifications::v1::SecurityEventKind;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::{Database, TenantTx};
use hourmeter_runtime::text::LoginName;

use super::CommandError;
use crate::domain::{names, password};
use crate::grpc::reset_by_other;
use crate::passwords::{PasswordSettings, Passwords};
use crate::secrets::Peppers;
use crate::store::audit::{self, AuditContext, AuditEntry, Event};
use crate::store::people::{self, Person};
use crate::store::{credentials, notices, security_events, sessions, sign_in};

/// Sets a temporary password for the owner or manager with this e-mail, prints it and ends all
/// sessions. Safe while the product runs.
pub fn reset_password<'a>(
    database: &'a Database,
    peppers: &'a Peppers,
    passwords: PasswordSettings,
    email: &'a str,
    out: &'a mut (dyn Write + Send),
) -> BoxFuture<'a, Result<(), CommandError>> {
    Box::pin(async move {
        let passwords = Passwords::new(passwords, peppers.clone());
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
        let entry = AuditEntry::success(Event::PasswordReset).target(id, &name);
        audit::record(&mut tx, &context, &entry.detail("sign_in_password_set")).await?;
        let event = SecurityEventKind::PasswordReset;
        security_events::record(&mut tx, id, event, &context).await?;
        tx.commit().await?;
        writeln!(out, "Temporary password: {}", temporary.as_str())?;
        writeln!(
            out,
            "{email} has no sessions now, and should choose another password in Profile."
        )?;
        Ok(())
    })
}

/// Resets the second factor of the owner or manager with this e-mail and ends all sessions. Safe
/// while the product runs.
pub fn reset_second_factor<'a>(
    database: &'a Database,
    email: &'a str,
    out: &'a mut (dyn Write + Send),
) -> BoxFuture<'a, Result<(), CommandError>> {
    Box::pin(async move {
        let (mut tx, person) = find_person(database, email).await?;
        reset_by_other(&mut tx, &person, &AuditContext::command_line()).await?;
        tx.commit().await?;
        let email = person.email.unwrap_or_default();
        writeln!(out, "{email} has no second factor and no sessions now.")?;
        Ok(())
    })
}

/// The owner or manager who signs in with this e-mail, in a transaction of the company.
async fn find_person(database: &Database, email: &str) -> Result<(TenantTx, Person), CommandError> {
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
    Ok((tx, person.ok_or_else(unknown)?))
}
