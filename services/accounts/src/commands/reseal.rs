//! Re-encrypts sealed copies with the active key.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use futures::future::BoxFuture;
use hourmeter_proto::accounts::v1::Scope;
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::audit::{AuditContext, AuditEntry, NO_COMPANY, record};
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use super::CommandError;
use crate::secrets::{Keyring, SealError, Subject};
use crate::store::reseal::{self as store, SealedCopy};

const BATCH: i64 = 200;

struct Run<'a> {
    database: &'a Database,
    keyring: &'a Keyring,
    context: AuditContext,
    moved: BTreeMap<String, u64>,
    /// Copies that could not be decrypted.
    broken: BTreeSet<String>,
}

/// Re-encrypts all copies with the active key and prints the numbers per key. Safe while the product
/// runs, and safe to repeat after an interruption.
pub fn reseal<'a>(
    database: &'a Database,
    keyring: &'a Keyring,
    out: &'a mut (dyn Write + Send),
) -> BoxFuture<'a, Result<(), CommandError>> {
    Box::pin(async move {
        let mut run = Run {
            database,
            keyring,
            context: AuditContext {
                actor_name: String::new(),
                scope: Scope::Unspecified,
                ..AuditContext::command_line()
            },
            moved: BTreeMap::new(),
            broken: BTreeSet::new(),
        };
        // Repeated, because a process that does not have the new key yet may store a copy with the old
        // one meanwhile.
        while run.companies().await? + run.staff().await? > 0 {}
        run.report(out).await?;
        match run.broken.len() {
            0 => Ok(()),
            broken => Err(CommandError::Broken(broken)),
        }
    })
}

impl Run<'_> {
    async fn companies(&mut self) -> Result<u64, ServiceError> {
        let (mut moved, mut after) = (0, Uuid::nil());
        loop {
            let mut lookup = self.database.lookup().await?;
            let active = self.keyring.active_id();
            let ids = store::companies(&mut lookup, active, after, BATCH).await?;
            drop(lookup);
            let Some(last) = ids.last() else {
                return Ok(moved);
            };
            after = *last;
            for id in ids {
                moved += self.company(Tenant::from_lookup(id)).await?;
            }
        }
    }

    /// One transaction per company, so that an interruption leaves complete copies.
    async fn company(&mut self, tenant: Tenant) -> Result<u64, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let copies = store::copies(&mut tx, self.keyring.active_id()).await?;
        let (moved, broken) = self.re_encrypt(&mut tx, tenant, copies).await?;
        tx.commit().await?;
        self.note_broken(tenant, broken).await?;
        Ok(moved)
    }

    async fn staff(&mut self) -> Result<u64, ServiceError> {
        let mut lookup = self.database.lookup().await?;
        let copies = store::staff(&mut lookup, self.keyring.active_id()).await?;
        let (moved, broken) = self.re_encrypt(&mut lookup, NO_COMPANY, copies).await?;
        lookup.done();
        self.note_broken(NO_COMPANY, broken).await?;
        Ok(moved)
    }

    /// Returns the number of copies that were re-encrypted, and those that cannot be decrypted.
    async fn re_encrypt(
        &mut self,
        connection: &mut PgConnection,
        tenant: Tenant,
        copies: Vec<SealedCopy>,
    ) -> Result<(u64, Vec<(SealedCopy, SealError)>), ServiceError> {
        let (mut moved, mut broken) = (0, Vec::new());
        for old in copies {
            match self.keyring.reseal(subject(tenant, &old), &old.sealed) {
                Ok(new) => {
                    if store::replace(connection, tenant, &old, &new).await? {
                        *self.moved.entry(old.sealed.key_id).or_default() += 1;
                        moved += 1;
                    }
                }
                Err(error) => broken.push((old, error)),
            }
        }
        Ok((moved, broken))
    }

    /// Records copies that cannot be decrypted, each once.
    async fn note_broken(
        &mut self,
        tenant: Tenant,
        broken: Vec<(SealedCopy, SealError)>,
    ) -> Result<(), ServiceError> {
        for (copy, error) in broken {
            let (name, key_id) = (name(tenant, &copy), &copy.sealed.key_id);
            if !self
                .broken
                .insert(format!("{name} (key {key_id}): {error}"))
            {
                continue;
            }
            let what = match copy.person_id {
                Some(_) => "totp",
                None => "operator_password",
            };
            tracing::error!(company.id = %tenant.company_id(), what, %error, "failed to decrypt a sealed copy");
            let mut tx = self.database.tenant(tenant).await?;
            let entry = AuditEntry::failed(AuditEventType::KeyFailure).detail(what);
            record(&mut tx, tenant, &self.context, &entry).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    async fn report(&self, out: &mut (dyn Write + Send)) -> Result<(), CommandError> {
        let mut lookup = self.database.lookup().await?;
        let left = store::count(&mut lookup).await?;
        let active = self.keyring.active_id();
        let known = self.keyring.ids().map(str::to_owned);
        let ids: BTreeSet<String> = known.chain(left.keys().cloned()).collect();
        for id in ids {
            let rows = left.get(&id).copied().unwrap_or_default();
            let moved = self.moved.get(&id).copied().unwrap_or_default();
            let note = match rows {
                _ if id == active => "active",
                0 => "no row uses it; the key can be removed",
                _ => "still in use",
            };
            writeln!(out, "Key {id}: {moved} re-encrypted, {rows} rows; {note}.")?;
        }
        for name in &self.broken {
            writeln!(out, "Failed to decrypt: {name}")?;
        }
        Ok(())
    }
}

fn subject(tenant: Tenant, copy: &SealedCopy) -> Subject {
    match copy.person_id {
        None => Subject::OperatorPassword(tenant.company_id()),
        Some(id) if tenant == NO_COMPANY => Subject::StaffTotp(id),
        Some(id) => Subject::SecondFactor(tenant.company_id(), id),
    }
}

/// The name of a copy in the report.
fn name(tenant: Tenant, copy: &SealedCopy) -> String {
    let company = tenant.company_id();
    match copy.person_id {
        None => format!("operator password of company {company}"),
        Some(id) if tenant == NO_COMPANY => format!("authenticator secret of staff {id}"),
        Some(id) => format!("authenticator secret of user {id} of company {company}"),
    }
}
