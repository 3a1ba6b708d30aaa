//! Deletes a company from all databases.

use std::io::Write;
use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_runtime::audit::{AuditEventType, NO_COMPANY};
use hourmeter_runtime::identity::Service;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use uuid::Uuid;

use crate::catalogue::{Table, tables};
use crate::databases::{Databases, RecordsError};
use crate::export::no_company;
use crate::rows::{set_company, set_company_and_record};

/// Calls accepted before the sessions ended may still write: gateways cache a session for 5
/// seconds; its signed identity is valid for 30 seconds plus 30 seconds of clock skew.
pub const OPEN_CALLS_WAIT: Duration = Duration::from_secs(70);

/// Platform log entry: the deletion is decided.
const EVENT: AuditEventType = AuditEventType::CompanyDeleted;
/// Platform log entry: all databases are done.
const FINISHED: AuditEventType = AuditEventType::CompanyDeletionFinished;

/// Accounts first: without sessions nothing new arrives. Then the sender of submissions, then their
/// receivers.
const ORDER: [Service; 5] = [
    Service::Accounts,
    Service::OperatorUpdates,
    Service::Equipment,
    Service::Billing,
    Service::Notifications,
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    pub company: Uuid,
    /// The exact business name.
    pub confirm: String,
    /// Stored in the platform's log, so it must not name a person.
    pub reason: String,
    pub dry_run: bool,
    /// Also while a subscription is or may be paid at the provider.
    pub even_if_paying: bool,
    /// Only if the owner's request is due and was not canceled meanwhile.
    pub only_due: bool,
    /// Wait for open calls before the second pass; `None` skips the wait.
    pub wait: Option<Duration>,
}

/// Deleted rows, or rows to delete, by `database.table`.
pub type Done = Vec<(String, u64)>;

/// Deletes a company, or counts its rows in a dry run. May be repeated: it completes an interrupted
/// run, and finds nothing after a complete one.
pub async fn delete(
    databases: &Databases,
    deletion: &Deletion,
    out: &mut (dyn Write + Send),
) -> Result<Done, RecordsError> {
    let company = deletion.company;
    if company.is_nil() {
        return Err(no_company(company));
    }
    let mut accounts = databases.connect(Service::Accounts).await?;
    check_confirmed(&mut accounts, deletion).await?;
    accounts.close().await?;
    let mut billing = databases.connect(Service::Billing).await?;
    check_unpaid(&mut billing, deletion, out).await?;
    billing.close().await?;
    let mut done = pass(databases, deletion).await?;
    let gone: u64 = done.iter().map(|(_, rows)| rows).sum();
    let wait = deletion.wait.filter(|_| !deletion.dry_run);
    if let Some(wait) = wait
        && (gone > 0 || is_recent(databases, company, wait).await?)
    {
        let seconds = wait.as_secs();
        writeln!(out, "Waiting {seconds} s for open calls.")?;
        out.flush()?;
        tokio::time::sleep(wait).await;
        let late = pass(databases, deletion).await?;
        for (sum, (_, more)) in done.iter_mut().zip(late) {
            sum.1 += more;
        }
    }
    if !deletion.dry_run {
        record_finished(databases, company).await?;
    }
    report(&done, deletion, out)?;
    Ok(done)
}

/// Deletes the companies whose deletion is due, as their owners requested. Returns the number of
/// those that are not deleted, e.g. because they still pay. `wait` as in [`Deletion`].
pub async fn delete_due(
    databases: &Databases,
    wait: Option<Duration>,
    out: &mut (dyn Write + Send),
) -> Result<usize, RecordsError> {
    let mut accounts = databases.connect(Service::Accounts).await?;
    let due: Vec<(Uuid, String)> =
        sqlx::query_as("SELECT company_id, name FROM companies_due_for_deletion(now())")
            .fetch_all(&mut accounts)
            .await?;
    accounts.close().await?;
    let mut refused = 0;
    for (company, confirm) in due {
        let deletion = Deletion {
            company,
            confirm,
            reason: "requested by the owner in the product".to_owned(),
            dry_run: false,
            even_if_paying: false,
            only_due: true,
            wait,
        };
        // One that fails does not stop the others.
        if let Err(why) = delete(databases, &deletion, out).await {
            writeln!(out, "Company {company} is not deleted: {why}")?;
            refused += 1;
        }
    }
    Ok(refused)
}

/// Companies whose deletion was decided and is not complete, with the time of the decision, oldest
/// first.
pub async fn unfinished(databases: &Databases) -> Result<Vec<(Uuid, DateTime<Utc>)>, RecordsError> {
    let mut accounts = databases.connect(Service::Accounts).await?;
    let mut tx = accounts.begin().await?;
    set_company(&mut tx, NO_COMPANY.company_id()).await?;
    let found = sqlx::query_as(
        "SELECT e.target_id, min(e.at) AS decided_at
         FROM audit_events e
         WHERE e.company_id = $1 AND e.event = $2 AND e.target_id IS NOT NULL
           AND NOT EXISTS (
               SELECT FROM audit_events f
               WHERE f.company_id = $1 AND f.event = $3 AND f.target_id = e.target_id
           )
         GROUP BY e.target_id
         ORDER BY decided_at",
    )
    .bind(NO_COMPANY.company_id())
    .bind(EVENT.name())
    .bind(FINISHED.name())
    .fetch_all(&mut *tx)
    .await?;
    Ok(found)
}

/// Writes the `FINISHED` entry, once.
async fn record_finished(databases: &Databases, company: Uuid) -> Result<(), RecordsError> {
    let is_open = unfinished(databases).await?;
    if !is_open.iter().any(|(open, _)| *open == company) {
        return Ok(());
    }
    let mut accounts = databases.connect(Service::Accounts).await?;
    let mut tx = accounts.begin().await?;
    set_company_and_record(&mut tx, NO_COMPANY.company_id(), FINISHED, company, "").await?;
    tx.commit().await?;
    Ok(())
}

fn report(
    done: &Done,
    deletion: &Deletion,
    out: &mut (dyn Write + Send),
) -> Result<(), RecordsError> {
    let what = if deletion.dry_run {
        "would be deleted"
    } else {
        "deleted"
    };
    let mut all = 0;
    for (table, rows) in done.iter().filter(|(_, rows)| *rows > 0) {
        writeln!(out, "{table:40} {rows:>10} {what}")?;
        all += rows;
    }
    writeln!(out, "Company {}: {all} rows {what}.", deletion.company)?;
    Ok(())
}

/// Checks the name, unless an earlier run has deleted the company.
async fn check_confirmed(
    accounts: &mut PgConnection,
    deletion: &Deletion,
) -> Result<(), RecordsError> {
    let (company, confirm) = (&deletion.company, &deletion.confirm);
    let mut tx = accounts.begin().await?;
    set_company(&mut tx, *company).await?;
    let name: Option<String> =
        sqlx::query_scalar("SELECT name FROM companies WHERE company_id = $1")
            .bind(company)
            .fetch_optional(&mut *tx)
            .await?;
    match name {
        Some(name) if name == *confirm => Ok(()),
        Some(_) => Err(RecordsError::Refused(format!(
            "the name of company {company} is not {confirm:?}; nothing was deleted"
        ))),
        None if seconds_since(&mut tx, *company).await?.is_some() => Ok(()),
        None => Err(no_company(*company)),
    }
}

/// Seconds since the deletion in the platform's log; `None` if there was none.
async fn seconds_since(
    connection: &mut PgConnection,
    company: Uuid,
) -> Result<Option<f64>, RecordsError> {
    set_company(connection, NO_COMPANY.company_id()).await?;
    let seconds = sqlx::query_scalar(
        "SELECT extract(epoch FROM now() - min(at))::double precision FROM audit_events
         WHERE company_id = $1 AND event = $2 AND target_id = $3",
    )
    .bind(NO_COMPANY.company_id())
    .bind(EVENT.name())
    .bind(company)
    .fetch_one(connection)
    .await?;
    Ok(seconds)
}

/// Whether an earlier run may have been interrupted during its wait.
async fn is_recent(
    databases: &Databases,
    company: Uuid,
    wait: Duration,
) -> Result<bool, RecordsError> {
    let mut accounts = databases.connect(Service::Accounts).await?;
    let mut tx = accounts.begin().await?;
    let seconds = seconds_since(&mut tx, company).await?;
    Ok(seconds.is_some_and(|seconds| seconds < wait.as_secs_f64()))
}

/// Refuses while the company still pays, since nothing would stop the payments.
async fn check_unpaid(
    billing: &mut PgConnection,
    deletion: &Deletion,
    out: &mut (dyn Write + Send),
) -> Result<(), RecordsError> {
    let mut tx = billing.begin().await?;
    set_company(&mut tx, deletion.company).await?;
    let found = sqlx::query_as::<_, (String, Option<String>, String, bool, bool)>(
        "SELECT coalesce(provider, ''), provider_customer_id,
                coalesce(provider_subscription_id, ''),
                provider_subscription_id IS NOT NULL
                    AND (status IN ('active', 'paused') OR payment_failed) AS is_running,
                coalesce(checkout_expires_at > now(), false) AS is_open
         FROM subscriptions
         WHERE company_id = $1",
    )
    .bind(deletion.company)
    .fetch_optional(&mut *tx)
    .await?;
    let Some((provider, customer, subscription, running, open)) = found else {
        return Ok(());
    };
    let customer = customer.filter(|_| provider == "stripe");
    let hint = customer.map_or_else(String::new, |customer| {
        format!("At Stripe, delete customer {customer} by hand: that ends its subscriptions, too.")
    });
    if (running || open) && !deletion.even_if_paying {
        let what = if running {
            format!("subscription {subscription} is running at {provider}; cancel it first")
        } else {
            format!("a checkout is open at {provider} and can still be paid; wait until it expires")
        };
        let text = format!("{what}, or use --even-if-paying. {hint}");
        return Err(RecordsError::Refused(text.trim_end().to_owned()));
    }
    if !hint.is_empty() {
        writeln!(out, "{hint}")?;
    }
    Ok(())
}

/// Deletes from all databases once, in one transaction each.
async fn pass(databases: &Databases, deletion: &Deletion) -> Result<Done, RecordsError> {
    let mut done = Vec::new();
    for service in ORDER {
        let mut connection = databases.connect(service).await?;
        let all = tables(&mut connection).await?;
        let mut tx = connection.begin().await?;
        set_company(&mut tx, deletion.company).await?;
        if service == Service::Accounts && deletion.only_due {
            check_due(&mut tx, deletion.company).await?;
        }
        let mut here = 0;
        for table in all.iter().filter(|table| table.has_company()) {
            let rows = remove(&mut tx, table, deletion).await?;
            here += rows;
            done.push((format!("{}.{}", service.name(), table.name), rows));
        }
        if !deletion.dry_run {
            redact_platform_log(&mut tx, &all, deletion.company).await?;
            if service == Service::Accounts && here > 0 {
                record_entry(&mut tx, deletion).await?;
            }
            tx.commit().await?;
        }
    }
    Ok(done)
}

/// Locks the company and checks that its deletion is still due.
async fn check_due(accounts: &mut PgConnection, company: Uuid) -> Result<(), RecordsError> {
    let due: Option<bool> = sqlx::query_scalar(
        "SELECT coalesce(deletion_due_at <= now(), false)
         FROM companies
         WHERE company_id = $1
         FOR UPDATE",
    )
    .bind(company)
    .fetch_optional(accounts)
    .await?;
    match due {
        // Deleted by an earlier pass.
        None | Some(true) => Ok(()),
        Some(false) => Err(RecordsError::Refused(
            "the owner canceled the deletion".to_owned(),
        )),
    }
}

async fn remove(
    connection: &mut PgConnection,
    table: &Table,
    deletion: &Deletion,
) -> Result<u64, RecordsError> {
    let name = &table.name;
    if deletion.dry_run {
        let query = format!("SELECT count(*) FROM public.\"{name}\" WHERE company_id = $1");
        let rows: i64 = sqlx::query_scalar(AssertSqlSafe(query))
            .bind(deletion.company)
            .fetch_one(connection)
            .await?;
        return Ok(rows.unsigned_abs());
    }
    let query = format!("DELETE FROM public.\"{name}\" WHERE company_id = $1");
    let gone = sqlx::query(AssertSqlSafe(query))
        .bind(deletion.company)
        .execute(connection)
        .await?;
    Ok(gone.rows_affected())
}

/// Removes the company's name and staff's free text from the platform's own log.
async fn redact_platform_log(
    connection: &mut PgConnection,
    all: &[Table],
    company: Uuid,
) -> Result<(), RecordsError> {
    if !all.iter().any(|table| table.name == "audit_events") {
        return Ok(());
    }
    set_company(connection, NO_COMPANY.company_id()).await?;
    sqlx::query(
        "UPDATE audit_events SET target_name = '', detail = ''
         WHERE company_id = $1 AND target_id = $2 AND event <> $3
           AND (target_name <> '' OR detail <> '')",
    )
    .bind(NO_COMPANY.company_id())
    .bind(company)
    .bind(EVENT.name())
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes the platform's entry, in the transaction that deletes the first rows.
async fn record_entry(
    connection: &mut PgConnection,
    deletion: &Deletion,
) -> Result<(), RecordsError> {
    if seconds_since(connection, deletion.company).await?.is_some() {
        return Ok(());
    }
    let (platform, company) = (NO_COMPANY.company_id(), deletion.company);
    set_company_and_record(connection, platform, EVENT, company, &deletion.reason).await
}
