//! Projections, computed again from the ledger.

use hourmeter_runtime::error::Failure;
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use uuid::Uuid;

/// A meter with its fuel totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// The meter.
    pub usage: Quantity,
    /// Gasoline.
    pub gas: Quantity,
    /// Diesel.
    pub diesel: Quantity,
}

/// A piece of equipment whose projections are not what its ledger says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which.
    pub equipment_id: Uuid,
    /// As stored.
    pub stored: Totals,
    /// As the ledger has it.
    pub ledger: Totals,
}

#[derive(sqlx::FromRow)]
struct DifferenceRow {
    id: Uuid,
    current_usage: i64,
    total_gas: i64,
    total_diesel: i64,
    ledger_usage: i64,
    ledger_gas: i64,
    ledger_diesel: i64,
}

/// All differences of a company, retired equipment included.
pub async fn differences(
    connection: &mut PgConnection,
    company: Uuid,
) -> Result<Vec<Difference>, Failure> {
    let rows: Vec<DifferenceRow> = sqlx::query_as(
        "SELECT *
        FROM (
            SELECT
                e.id,
                e.current_usage,
                e.total_gas,
                e.total_diesel,
                e.initial_usage
                    + coalesce(sum(l.usage_after - l.usage_before), 0)::bigint AS ledger_usage,
                coalesce(sum(l.fuel) FILTER (WHERE l.fuel_kind = 'gas'), 0)::bigint
                    AS ledger_gas,
                coalesce(sum(l.fuel) FILTER (WHERE l.fuel_kind = 'diesel'), 0)::bigint
                    AS ledger_diesel
            FROM equipment e
            LEFT JOIN ledger l
              ON l.company_id = e.company_id AND l.equipment_id = e.id
            WHERE e.company_id = $1
            GROUP BY e.company_id, e.id
        ) rebuilt
        WHERE (current_usage, total_gas, total_diesel)
           <> (ledger_usage, ledger_gas, ledger_diesel)
        ORDER BY id",
    )
    .bind(company)
    .fetch_all(connection)
    .await?;
    let totals = |usage, gas, diesel| Totals {
        usage: Quantity::from_hundredths(usage),
        gas: Quantity::from_hundredths(gas),
        diesel: Quantity::from_hundredths(diesel),
    };
    let differences = rows.into_iter().map(|row| Difference {
        equipment_id: row.id,
        stored: totals(row.current_usage, row.total_gas, row.total_diesel),
        ledger: totals(row.ledger_usage, row.ledger_gas, row.ledger_diesel),
    });
    Ok(differences.collect())
}
