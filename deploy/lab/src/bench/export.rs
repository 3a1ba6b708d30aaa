//! Cost of exporting a long history: time to first byte, total time, memory.

use std::time::Instant;

use anyhow::Result;
use reqwest::Method;
use reqwest::header::ACCEPT_ENCODING;

use super::{Database, report};
use crate::program::Product;
use crate::visitor::Visitor;

const ROWS: i32 = 100_000;

const ENTRIES: &str = "
    INSERT INTO ledger (
        company_id, id, equipment_id, equipment_name, unit, kind, note_type, actor_id, actor_name,
        source, captured_at, recorded_at, fuel, fuel_kind, content
    )
    SELECT company_id, uuidv7(), id, name, unit, 'usage', 'usage_update', id, 'María Salazar',
        'operator', now(), now() - n * interval '1 minute', 1250, 'diesel',
        'Filled up before the shift, greased, tracks cleaned.'
    FROM equipment, generate_series(1, $2) n
    WHERE id = $1::uuid";

/// Creates the history of one company and exports it plain and compressed.
pub async fn measure(product: &Product, database: &Database) -> Result<()> {
    let owner = Visitor::sign_up(&product.origin, "Export Company").await;
    let machine: uuid::Uuid = owner.add_machine("Excavator").await.parse()?;
    let mut connection = database.connect("hourmeter_equipment").await?;
    let entries = sqlx::query(ENTRIES).bind(machine).bind(ROWS);
    entries.execute(&mut connection).await?;
    sqlx::raw_sql("VACUUM ANALYZE ledger")
        .execute(&mut connection)
        .await?;
    // Warm-up: prepares statements and fills the pools.
    for _ in 0..20 {
        owner.get("/api/equipment-history?limit=500").await;
    }
    for encoding in ["identity", "gzip"] {
        let figures = one_export(product, &owner, encoding).await?;
        report::fact(&format!("export of {ROWS} rows, {encoding}"), &figures);
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a displayed figure")]
async fn one_export(product: &Product, owner: &Visitor, encoding: &str) -> Result<String> {
    let before = product.process.megabytes()?;
    let begun = Instant::now();
    let export = owner.call(Method::GET, "/api/equipment-history/export");
    let export = export.header(ACCEPT_ENCODING, encoding).send().await?;
    let mut answer = export.error_for_status()?;
    let (mut first, mut bytes, mut most) = (None, 0, before);
    while let Some(chunk) = answer.chunk().await? {
        first.get_or_insert_with(|| begun.elapsed());
        bytes += chunk.len();
        most = most.max(product.process.megabytes()?);
    }
    let first = first.unwrap_or_default().as_secs_f64() * 1000.0;
    let (seconds, megabytes) = (begun.elapsed().as_secs_f64(), bytes as f64 / 1e6);
    let grown = most - before;
    Ok(format!(
        "first byte {first:.0} ms, whole {seconds:.1} s, {megabytes:.1} MB, memory +{grown:.1} MB"
    ))
}
