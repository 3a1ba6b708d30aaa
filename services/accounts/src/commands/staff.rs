//! Adding, listing and removing support staff.

use std::io::Write;

use futures::future::BoxFuture;
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::audit::{AuditContext, AuditEntry, NO_COMPANY, record};
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::error::ServiceError;
use secrecy::SecretString;
use sqlx::{Connection as _, Executor as _, PgConnection};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{CommandError, StaffCommand};
use crate::domain::totp::TotpSecret;
use crate::domain::{names, one_time_code, password};
use crate::passwords::{Hashed, PasswordSettings, Passwords};
use crate::secrets::{Keyring, Peppers, Sealed, Subject};
use crate::store::{staff, staff_sessions};

/// Lifetime of an enrolment code.
const CODE_HOURS: i32 = 72;

impl StaffCommand {
    /// Runs the command with the role that owns the schema, and prints the result. An enrolment code is
    /// printed only once.
    pub fn run<'a>(
        &'a self,
        owner_url: &'a SecretString,
        peppers: &'a Peppers,
        keyring: &'a Keyring,
        passwords: PasswordSettings,
        out: &'a mut (dyn Write + Send),
    ) -> BoxFuture<'a, Result<(), CommandError>> {
        Box::pin(async move {
            let owner = &mut connect_admin(owner_url).await?;
            let passwords = &Passwords::new(passwords, peppers.clone());
            match self {
                StaffCommand::Add { name, email } => {
                    add(owner, passwords, keyring, name, email, out).await
                }
                StaffCommand::List => list(owner, out).await,
                StaffCommand::Reset { email } => reset(owner, passwords, keyring, email, out).await,
                StaffCommand::Remove { email } => remove(owner, email, out).await,
            }
        })
    }
}

/// An enrolment code, which is shown once, with placeholders for password and secret: random values
/// that are replaced at the enrolment.
struct Invitation {
    code: Zeroizing<String>,
    hashed: Hashed,
    sealed: Sealed,
}

impl Invitation {
    async fn make(
        passwords: &Passwords,
        keyring: &Keyring,
        staff_id: Uuid,
    ) -> Result<Self, ServiceError> {
        let placeholder = password::random_groups(6)?;
        let secret = TotpSecret::random()?.to_text();
        Ok(Self {
            code: one_time_code::generate()?,
            hashed: passwords.hash(placeholder).await?,
            sealed: keyring.seal(Subject::StaffTotp(staff_id), &secret)?,
        })
    }

    async fn store(&self, tx: &mut PgConnection, staff_id: Uuid) -> Result<(), ServiceError> {
        staff::invite(tx, staff_id, &one_time_code::hash(&self.code), CODE_HOURS).await
    }

    fn show(&self, email: &str, out: &mut (dyn Write + Send)) -> Result<(), CommandError> {
        let hours = CODE_HOURS;
        writeln!(out, "E-mail:         {email}")?;
        writeln!(out, "Enrolment code: {}", self.code.as_str())?;
        writeln!(
            out,
            "Open /staff-enrolment on this installation, enter the code, scan the QR code with an \
            authenticator app and choose a password. The code works once, within {hours} hours."
        )?;
        Ok(())
    }
}

async fn add(
    owner: &mut PgConnection,
    passwords: &Passwords,
    keyring: &Keyring,
    name: &str,
    email: &str,
    out: &mut (dyn Write + Send),
) -> Result<(), CommandError> {
    let name = names::person_name(name)?;
    if name.is_empty() {
        return Err(CommandError::Refused("The name is empty.".to_owned()));
    }
    let email = names::email(email)?;
    let id = Uuid::now_v7();
    let made = Invitation::make(passwords, keyring, id).await?;
    let mut tx = owner.begin().await?;
    if staff::is_tenant_email(&mut tx, &email).await? {
        let text = format!("{email} belongs to a person of a company; staff need another e-mail.");
        return Err(CommandError::Refused(text));
    }
    if !staff::insert(&mut tx, id, &email, &name, &made.hashed, &made.sealed).await? {
        let text = format!("{email} is already the e-mail of a member of staff.");
        return Err(CommandError::Refused(text));
    }
    made.store(&mut tx, id).await?;
    record_event(&mut tx, AuditEventType::StaffAdded, id, &name).await?;
    tx.commit().await?;
    writeln!(out, "Added {name}.")?;
    made.show(&email, out)
}

async fn list(owner: &mut PgConnection, out: &mut (dyn Write + Send)) -> Result<(), CommandError> {
    let all = staff::list(owner).await?;
    if all.is_empty() {
        writeln!(out, "There are no support staff.")?;
    }
    let invited = staff::invited(owner).await?;
    for person in all {
        let added = person.created_at.format("%Y-%m-%d");
        let waits = if invited.contains(&person.id) {
            ", has not enrolled"
        } else {
            ""
        };
        writeln!(
            out,
            "{}  {}  added {added}{waits}",
            person.email, person.name
        )?;
    }
    Ok(())
}

async fn reset(
    owner: &mut PgConnection,
    passwords: &Passwords,
    keyring: &Keyring,
    email: &str,
    out: &mut (dyn Write + Send),
) -> Result<(), CommandError> {
    let email = names::email(email)?;
    let mut tx = owner.begin().await?;
    let found = staff::find_by_email(&mut tx, &email).await?;
    let found = found.ok_or_else(|| unknown_email(&email))?;
    let made = Invitation::make(passwords, keyring, found.id).await?;
    staff::set_password(&mut tx, found.id, &made.hashed).await?;
    staff::set_totp(&mut tx, found.id, &made.sealed, 0).await?;
    staff_sessions::end_all(&mut tx, found.id, None).await?;
    made.store(&mut tx, found.id).await?;
    record_event(&mut tx, AuditEventType::StaffReset, found.id, &found.name).await?;
    tx.commit().await?;
    writeln!(out, "{} has no password and no sessions now.", found.name)?;
    made.show(&email, out)
}

async fn remove(
    owner: &mut PgConnection,
    email: &str,
    out: &mut (dyn Write + Send),
) -> Result<(), CommandError> {
    let email = names::email(email)?;
    let mut tx = owner.begin().await?;
    let removed = staff::remove(&mut tx, &email).await?;
    let (id, name) = removed.ok_or_else(|| unknown_email(&email))?;
    record_event(&mut tx, AuditEventType::StaffRemoved, id, &name).await?;
    tx.commit().await?;
    writeln!(out, "Removed {email}.")?;
    Ok(())
}

/// Writes an entry to the platform's audit log.
async fn record_event(
    tx: &mut PgConnection,
    event: AuditEventType,
    staff_id: Uuid,
    name: &str,
) -> Result<(), ServiceError> {
    // Row-level security also applies to the owner role.
    let set = "SET LOCAL app.company_id = '00000000-0000-0000-0000-000000000000'";
    tx.execute(set).await?;
    let context = AuditContext::command_line();
    let entry = AuditEntry::success(event).target(staff_id, name);
    record(tx, NO_COMPANY, &context, &entry).await
}

fn unknown_email(email: &str) -> CommandError {
    CommandError::Refused(format!("No member of staff has the e-mail {email}."))
}
