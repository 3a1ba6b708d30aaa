//! Digests of many people that are due in the same minute.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rustix::process::Signal;
use uuid::Uuid;

use super::lists::fill;
use super::report;
use super::seed::companies;
use super::{Database, start};
use crate::program::Program;

const COMPANIES: usize = 20_000;
const PEOPLE_OF_COMPANY: i32 = 5;
const MACHINES: i32 = 15;
const MAX_TIME: Duration = Duration::from_mins(30);

/// Copies of a company and its owner.
const ACCOUNTS: &str = "
    WITH made AS (
        INSERT INTO companies
        SELECT (jsonb_populate_record(c, jsonb_build_object(
            'company_id', id, 'name', id, 'name_key', id, 'time_zone', 'UTC'
        ))).*
        FROM companies c, unnest($2::uuid[]) id
        WHERE c.company_id = $1
    )
    INSERT INTO users
    SELECT (jsonb_populate_record(u, jsonb_build_object(
        'company_id', company,
        'id', CASE WHEN n = 1 THEN u.id ELSE uuidv7() END,
        'role', CASE WHEN n = 1 THEN 'owner' ELSE 'manager' END,
        'email', 'p' || n || '-' || company || '@example.com',
        'email_verified_at', now()
    ))).*
    FROM users u, unnest($2::uuid[]) company, generate_series(1, $3) n
    WHERE u.company_id = $1 AND u.role = 'owner'";

/// Digests of every day, due now.
const DIGESTS: &str = "
    INSERT INTO digests (company_id, person_id, minute, weekdays, next_at)
    SELECT
        company,
        person,
        extract(hour FROM now() AT TIME ZONE 'UTC') * 60 + extract(minute FROM now()),
        '{1, 2, 3, 4, 5, 6, 7}',
        now()
    FROM unnest($1::uuid[], $2::uuid[]) AS row (company, person)";

pub async fn measure(program: &Program, data: &Path, database: &Database) -> Result<()> {
    let product = start(program, data, database, &[]).await?;
    let company = &companies(&product.origin, "Digest", 1, 0).await[0];
    let mut accounts = database.connect("hourmeter_accounts").await?;
    let mut equipment = database.connect("hourmeter_equipment").await?;
    let mut notifications = database.connect("hourmeter_notifications").await?;
    let model: Uuid = company.id.parse()?;
    let ids: Vec<Uuid> = (0..COMPANIES).map(|_| Uuid::now_v7()).collect();
    for some in ids.chunks(500) {
        sqlx::query(ACCOUNTS)
            .bind(model)
            .bind(some)
            .bind(PEOPLE_OF_COMPANY)
            .execute(&mut accounts)
            .await
            .context("companies")?;
        fill(&mut equipment, some, MACHINES).await?;
    }
    for connection in [&mut accounts, &mut equipment] {
        sqlx::raw_sql("VACUUM ANALYZE").execute(connection).await?;
    }
    let people: Vec<(Uuid, Uuid)> =
        sqlx::query_as("SELECT company_id, id FROM users WHERE company_id = ANY($1)")
            .bind(&ids)
            .fetch_all(&mut accounts)
            .await?;
    report::fact("people", &people.len().to_string());
    let before = product.process.megabytes()?;
    let (companies, persons): (Vec<Uuid>, Vec<Uuid>) = people.into_iter().unzip();
    let begun = Instant::now();
    sqlx::query(DIGESTS)
        .bind(&companies)
        .bind(&persons)
        .execute(&mut notifications)
        .await
        .context("digests")?;
    let mut most = before;
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        most = most.max(product.process.megabytes()?);
        let left: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM digests WHERE next_at <= now())
                OR EXISTS (SELECT FROM messages WHERE state = 'queued')",
        )
        .fetch_one(&mut notifications)
        .await?;
        if !left {
            break;
        }
        if begun.elapsed() > MAX_TIME {
            bail!("digests are left after {} s", MAX_TIME.as_secs());
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let sent: i64 = sqlx::query_scalar("SELECT count(*) FROM messages WHERE state = 'sent'")
        .fetch_one(&mut notifications)
        .await?;
    let wanted = persons.len();
    ensure!(
        usize::try_from(sent)? == wanted,
        "{sent} digests were sent, not {wanted}"
    );
    report::fact(
        "digests queued and written",
        &format!("{sent} in {seconds:.0} s"),
    );
    report::fact(
        "resident memory, before and at most",
        &format!("{before:.0} MB, {most:.0} MB"),
    );
    product.stop_without_database(Signal::TERM).await
}
