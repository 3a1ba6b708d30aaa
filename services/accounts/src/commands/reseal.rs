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
use uuid::Uuid;

use super::CommandError;
use crate::secrets::{Keyring, SealError, Sealed, Subject};
use crate::store::reseal::{self as store, Totp};

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
                let tenant = Tenant::from_lookup(id);
                moved += self.operator_password(tenant).await?;
                moved += self.authenticators(tenant).await?;
            }
        }
    }

    /// One transaction per company, so that an interruption leaves complete copies.
    async fn operator_password(&mut self, tenant: Tenant) -> Result<u64, ServiceError> {
        let id = tenant.company_id();
        let mut tx = self.database.tenant(tenant).await?;
        let Some(old) = store::operator_password(&mut tx).await? else {
            return Ok(0);
        };
        if old.key_id == self.keyring.active_id() {
            return Ok(0);
        }
        let new = match self.keyring.reseal(Subject::OperatorPassword(id), &old) {
            Ok(new) => new,
            Err(error) => {
                drop(tx);
                let name = format!("operator password of company {id}");
                self.broken(tenant, name, "operator_password", &old, error)
                    .await?;
                return Ok(0);
            }
        };
        let done = store::move_operator_password(&mut tx, &old, &new).await?;
        tx.commit().await?;
        Ok(self.count(done, old))
    }

    /// One transaction per company.
    async fn authenticators(&mut self, tenant: Tenant) -> Result<u64, ServiceError> {
        let id = tenant.company_id();
        let mut tx = self.database.tenant(tenant).await?;
        let (mut moved, mut broken) = (0, Vec::new());
        let found = store::authenticators(&mut tx, self.keyring.active_id()).await?;
        for Totp {
            person_id: user_id,
            sealed: old,
        } in found
        {
            let subject = Subject::SecondFactor(id, user_id);
            match self.keyring.reseal(subject, &old) {
                Ok(new) => {
                    let done = store::move_authenticator(&mut tx, user_id, &old, &new).await?;
                    moved += self.count(done, old);
                }
                Err(error) => broken.push((user_id, old, error)),
            }
        }
        tx.commit().await?;
        for (user_id, old, error) in broken {
            let name = format!("authenticator secret of user {user_id} of company {id}");
            self.broken(tenant, name, "totp", &old, error).await?;
        }
        Ok(moved)
    }

    async fn staff(&mut self) -> Result<u64, ServiceError> {
        let mut lookup = self.database.lookup().await?;
        let all = store::staff(&mut lookup, self.keyring.active_id()).await?;
        let mut moved = 0;
        for Totp {
            person_id: id,
            sealed: old,
        } in all
        {
            match self.keyring.reseal(Subject::StaffTotp(id), &old) {
                Ok(new) => {
                    let done = store::move_totp(&mut lookup, id, &old, &new).await?;
                    moved += self.count(done, old);
                }
                Err(error) => {
                    let name = format!("authenticator secret of staff {id}");
                    self.broken(NO_COMPANY, name, "totp", &old, error).await?;
                }
            }
        }
        Ok(moved)
    }

    fn count(&mut self, done: bool, old: Sealed) -> u64 {
        if done {
            *self.moved.entry(old.key_id).or_default() += 1;
        }
        done.into()
    }

    /// Records a copy that cannot be decrypted, once.
    async fn broken(
        &mut self,
        tenant: Tenant,
        name: String,
        what: &'static str,
        old: &Sealed,
        error: SealError,
    ) -> Result<(), ServiceError> {
        if !self
            .broken
            .insert(format!("{name} (key {}): {error}", old.key_id))
        {
            return Ok(());
        }
        tracing::error!(company.id = %tenant.company_id(), what, %error, "failed to decrypt a sealed copy");
        let mut tx = self.database.tenant(tenant).await?;
        let entry = AuditEntry::failed(AuditEventType::KeyFailure).detail(what);
        record(&mut tx, tenant, &self.context, &entry).await?;
        tx.commit().await
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
