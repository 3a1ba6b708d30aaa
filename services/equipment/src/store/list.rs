//! Lists and counts active equipment. The status of a day comes from `usage_severity` (a generated
//! column: the usage compared with the due points), `next_date` and `special_points`; it equals
//! `domain::status`. The index `equipment_with_status` covers filters and counts, except by meter and by last change.

mod due;
mod search;

use std::sync::LazyLock;

use chrono::{DateTime, Days, NaiveDate};
use hourmeter_runtime::db::{SCOPE, TenantRead, scoped};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::postgres::PgArguments;
use sqlx::{
    Arguments as _, AssertSqlSafe, FromRow as _, PgConnection, Postgres, QueryBuilder, Row as _,
};
use uuid::Uuid;

use self::due::ASSUMED_DUE;
use self::search::push_search;
use super::rows::{EQUIPMENT_COLUMNS, TASK_COLUMNS};
use super::{parts, tasks};
use crate::domain::calendar::LAST_DAY;
use crate::domain::equipment::Equipment;
use crate::domain::forecast::{CompanyDay, assumed_due};
use crate::domain::kinds::{EquipmentType, OperationalStatus};
use crate::domain::status::{APPROACHING_DAYS, DUE_DAYS, ServiceStatus, service_status};

#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub status: Option<ServiceStatus>,
    pub kind: Option<EquipmentType>,
    /// Part of name, serial number, unit number or group.
    pub search: Option<String>,
    pub ids: Option<Vec<Uuid>>,
    pub operational_status: Option<OperationalStatus>,
    pub stale: Option<bool>,
    /// Projected to be due within this many days, at the assumed use while the use is unknown; overdue
    /// equipment included.
    pub due_within: Option<u32>,
    pub not_overdue: bool,
    /// Empty: without a group.
    pub group: Option<String>,
    pub selection: Option<Selection>,
}

/// Machines by id or by group.
#[derive(Clone, Debug)]
pub struct Selection {
    pub ids: Vec<Uuid>,
    pub groups: Vec<String>,
}

/// Sort column; ties are sorted by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Name,
    Urgency,
    Usage,
    Updated,
    /// By projected due date, at the assumed use while the use is unknown; equipment without one is
    /// last in ascending order.
    Due,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sorting {
    pub order: Order,
    pub descending: bool,
}

/// Position after which a list continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Severity, hundredths of usage, microseconds of the last change or day of the projected due
    /// date; 0 when sorted by name.
    pub rank: i64,
    /// Sort key of the name.
    pub name: String,
    pub id: Uuid,
}

#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    pub filter: &'a Filter,
    pub sorting: Sorting,
    pub day: CompanyDay,
    pub after: Option<&'a Key>,
    pub limit: i64,
}

/// The service status on the day `$2` as a number.
pub static SEVERITY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "greatest(
            e.usage_severity::integer,
            CASE
                WHEN e.next_date < $2 THEN 3
                WHEN e.next_date <= $2 + {DUE_DAYS} THEN 2
                WHEN e.next_date <= $2 + {APPROACHING_DAYS} THEN 1
                ELSE 0
            END,
            CASE WHEN e.has_special_points THEN (
                SELECT special_severity(x.special_points, x.current_usage, $2)
                FROM equipment x
                WHERE x.company_id = $1
                  AND x.id = e.id
            ) ELSE 0 END
        )"
    )
});

/// Whether the meter was not read in time, as `domain::forecast::is_stale`.
const STALE: &str = "
    (e.operational_status = 'in_use'
        AND e.unit <> 'n/a'
        AND coalesce(coalesce(e.meter_read_at, e.added_at) < $4, false))";

/// `$1` to `$4` of the queries: the company, its day, the seconds that its time is ahead of UTC, and
/// the time before which readings are stale. A query does not have to use each of them. Each table
/// needs the company: Citus does not find the shard of a subquery by the table around it.
fn day_values(tenant: Tenant, day: &CompanyDay) -> sqlx::Result<PgArguments> {
    let mut values = PgArguments::default();
    let mut add = || {
        values.add(tenant.company_id())?;
        values.add(day.today)?;
        values.add(f64::from(day.utc_offset))?;
        values.add(day.stale_before)
    };
    add().map_err(sqlx::Error::Encode)?;
    Ok(values)
}

/// A page of active equipment. Parts and further tasks are read only if the company has any.
pub async fn list(
    connection: &mut PgConnection,
    tenant: Tenant,
    query: Query<'_>,
) -> Result<Vec<Equipment>, ServiceError> {
    let [begin, scope, end] = SCOPE;
    let order = order(query.sorting);
    // Rows are selected by the index alone; only these rows are read.
    let select = format!(
        "{begin}SELECT {EQUIPMENT_COLUMNS}, {TASK_COLUMNS},
            EXISTS (
                SELECT FROM service_parts p WHERE p.company_id = $1
            ) AS with_parts,
            EXISTS (
                SELECT FROM service_tasks m WHERE m.company_id = $1 AND m.position > 0
            ) AS with_tasks
        FROM (
            SELECT e.id FROM equipment e"
    );
    let mut sql = QueryBuilder::with_arguments(select, day_values(tenant, &query.day)?);
    push_condition(&mut sql, &query);
    sql.push(format_args!("{order} LIMIT "))
        .push_bind(query.limit)
        .push(format_args!(
            ") chosen
            JOIN equipment e
              ON e.company_id = $1 AND e.id = chosen.id
            LEFT JOIN service_tasks t
              ON t.company_id = e.company_id AND t.equipment_id = e.id AND t.position = 0
            {order}{scope}$1{end}"
        ));
    let rows = sql.build().fetch_all(&mut *connection).await?;
    let mut found: Vec<Equipment> = rows
        .iter()
        .map(Equipment::from_row)
        .collect::<Result<_, _>>()?;
    let Some(first) = rows.first() else {
        return Ok(found);
    };
    if first.try_get("with_parts")? {
        parts::attach(connection, tenant, &mut found).await?;
    }
    if first.try_get("with_tasks")? {
        tasks::attach(connection, tenant, &mut found).await?;
    }
    Ok(found)
}

/// Counts the rows that match the filter.
pub async fn count(
    connection: &mut PgConnection,
    tenant: Tenant,
    query: Query<'_>,
) -> Result<i64, ServiceError> {
    let [begin, scope, end] = SCOPE;
    let select = format!("{begin}SELECT count(*) FROM equipment e");
    let mut sql = QueryBuilder::with_arguments(select, day_values(tenant, &query.day)?);
    let whole = Query {
        after: None,
        ..query
    };
    push_condition(&mut sql, &whole);
    sql.push(format_args!("{scope}$1{end}"));
    Ok(sql.build_query_scalar().fetch_one(connection).await?)
}

/// Counts by status, least severe first.
pub async fn count_by_status(
    reads: &mut TenantRead,
    today: NaiveDate,
) -> Result<[i64; 4], ServiceError> {
    let sql = scoped(&format!(
        "SELECT severity, count(*)
        FROM (
            SELECT {} AS severity
            FROM equipment e
            WHERE e.retired_at IS NULL
              AND e.company_id = $1
        ) counted
        GROUP BY severity",
        *SEVERITY
    ));
    let rows: Vec<(i32, i64)> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(reads.tenant().company_id())
        .bind(today)
        .fetch_all(&mut **reads)
        .await?;
    Ok(ServiceStatus::ALL.map(|status| {
        let row = rows.iter().find(|(known, _)| *known == status.severity());
        row.map_or(0, |(_, count)| *count)
    }))
}

/// Counts of equipment that needs a decision; one item may be in several.
#[derive(Clone, Copy, Debug, sqlx_macros::FromRow)]
pub struct Attention {
    pub stale: i64,
    /// As the filter `due_within`.
    pub due: i64,
    pub out_of_service: i64,
}

pub async fn count_attention(
    reads: &mut TenantRead,
    day: &CompanyDay,
    due_within: u32,
) -> Result<Attention, ServiceError> {
    let sql = scoped(&format!(
        "SELECT
            count(*) FILTER (WHERE {STALE}) AS stale,
            count(*) FILTER (WHERE {} <= $5) AS due,
            count(*) FILTER (WHERE e.operational_status = 'out_of_service') AS out_of_service
        FROM equipment e
        WHERE e.retired_at IS NULL
          AND e.company_id = $1",
        *ASSUMED_DUE
    ));
    let mut values = day_values(reads.tenant(), day)?;
    values
        .add(last_day(day, due_within))
        .map_err(sqlx::Error::Encode)?;
    Ok(sqlx::query_as_with(AssertSqlSafe(sql), values)
        .fetch_one(&mut **reads)
        .await?)
}

/// The last day of the filter `due_within`.
fn last_day(day: &CompanyDay, due_within: u32) -> NaiveDate {
    let last = day.today.checked_add_days(Days::new(due_within.into()));
    last.unwrap_or(LAST_DAY)
}

/// The rank of equipment without a projected due date.
const NO_DATE: i64 = i32::MAX as i64;

/// Position of equipment in an order, as [`rank_sql`] computes it.
pub fn rank(item: &Equipment, query: &Query<'_>) -> i64 {
    let usage = item.details.current_usage;
    match query.sorting.order {
        Order::Name => 0,
        Order::Urgency => {
            let status = service_status(&item.recurrences(), usage, query.day.today);
            status.severity().into()
        }
        Order::Usage => usage.hundredths(),
        Order::Updated => item.updated_at.timestamp_micros(),
        Order::Due => assumed_due(item, &query.day)
            .map_or(NO_DATE, |due| (due.date - NaiveDate::default()).num_days()),
    }
}

fn rank_sql(order: Order) -> String {
    match order {
        Order::Name => "0".to_owned(),
        Order::Urgency => SEVERITY.clone(),
        Order::Usage => "e.current_usage".to_owned(),
        Order::Updated => "e.updated_at".to_owned(),
        Order::Due => format!(
            "coalesce(({}) - DATE '1970-01-01', {NO_DATE})",
            *ASSUMED_DUE
        ),
    }
}

fn push_condition(sql: &mut QueryBuilder<Postgres>, query: &Query<'_>) {
    let filter = query.filter;
    sql.push(" WHERE e.retired_at IS NULL AND e.company_id = $1");
    if let Some(kind) = filter.kind {
        sql.push(" AND e.kind = ").push_bind(kind.as_str());
    }
    if let Some(status) = filter.status {
        sql.push(format_args!(" AND {} = ", *SEVERITY))
            .push_bind(status.severity());
    }
    if let Some(status) = filter.operational_status {
        sql.push(" AND e.operational_status = ")
            .push_bind(status.as_str());
    }
    if let Some(stale) = filter.stale {
        let not = if stale { "" } else { "NOT " };
        sql.push(format_args!(" AND {not}{STALE}"));
    }
    if let Some(days) = filter.due_within {
        sql.push(format_args!(" AND {} <= ", *ASSUMED_DUE))
            .push_bind(last_day(&query.day, days));
    }
    if filter.not_overdue {
        sql.push(format_args!(" AND {} < ", *SEVERITY))
            .push_bind(ServiceStatus::Overdue.severity());
    }
    match filter.group.as_deref() {
        None => {}
        Some("") => {
            sql.push(" AND e.equipment_group IS NULL");
        }
        Some(group) => {
            sql.push(" AND e.equipment_group = ").push_bind(group);
        }
    }
    if let Some(ids) = &filter.ids {
        sql.push(" AND e.id = ANY(").push_bind(ids).push(")");
    }
    if let Some(selection) = &filter.selection {
        sql.push(" AND (e.id = ANY(")
            .push_bind(&selection.ids)
            .push(") OR e.equipment_group = ANY(")
            .push_bind(&selection.groups)
            .push("))");
    }
    if let Some(text) = &filter.search {
        push_search(sql, text);
    }
    if let Some(key) = query.after {
        push_after(sql, key, query.sorting);
    }
}

/// Restricts to rows after `key`.
fn push_after(sql: &mut QueryBuilder<Postgres>, key: &Key, sorting: Sorting) {
    let beyond = if sorting.descending { "<" } else { ">" };
    if sorting.order == Order::Name {
        push_name(sql, key, beyond);
        return;
    }
    let rank = rank_sql(sorting.order);
    sql.push(format_args!(" AND ({rank} {beyond} "));
    push_rank(sql, key, sorting.order);
    sql.push(format_args!(" OR ({rank} = "));
    push_rank(sql, key, sorting.order);
    push_name(sql, key, ">");
    sql.push("))");
}

fn push_rank(sql: &mut QueryBuilder<Postgres>, key: &Key, order: Order) {
    match order {
        Order::Updated => sql.push_bind(DateTime::from_timestamp_micros(key.rank)),
        Order::Name | Order::Urgency | Order::Usage | Order::Due => sql.push_bind(key.rank),
    };
}

fn push_name(sql: &mut QueryBuilder<Postgres>, key: &Key, beyond: &str) {
    sql.push(format_args!(
        " AND (e.sort_key COLLATE natural_order, e.id) {beyond} ("
    ))
    .push_bind(&key.name)
    .push(", ")
    .push_bind(key.id)
    .push(")");
}

fn order(sorting: Sorting) -> String {
    let direction = if sorting.descending { " DESC" } else { "" };
    if sorting.order == Order::Name {
        return format!(" ORDER BY e.sort_key COLLATE natural_order{direction}, e.id{direction}");
    }
    let rank = rank_sql(sorting.order);
    format!(" ORDER BY {rank}{direction}, e.sort_key COLLATE natural_order, e.id")
}
