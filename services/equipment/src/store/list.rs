//! Lists and counts active equipment. The status of a day comes from `usage_severity` (a generated
//! column: the usage compared with the due points), `next_date` and `special_points`; it equals
//! `domain::status`. The index `equipment_with_status` covers filters and counts, except by meter and by last change.

mod due;
mod search;

use chrono::{DateTime, Days, NaiveDate};
use hourmeter_runtime::db::SCOPE;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::{PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use super::rows::{EQUIPMENT_COLUMNS, EquipmentRow, TASK_COLUMNS};
use super::{parts, tasks};
use crate::domain::calendar::LAST_DAY;
use crate::domain::due::StatusDates;
use crate::domain::equipment::Equipment;
use crate::domain::forecast::{CompanyDay, assumed_due};
use crate::domain::kinds::{EquipmentType, OperationalStatus};
use crate::domain::status::{ServiceStatus, service_status};

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

#[derive(sqlx_macros::FromRow)]
struct ListRow {
    #[sqlx(flatten)]
    item: EquipmentRow,
    with_parts: bool,
    with_tasks: bool,
}

/// A page of active equipment. Parts and further tasks are read only if the company has any.
pub async fn list(
    connection: &mut PgConnection,
    tenant: Tenant,
    query: Query<'_>,
) -> Result<Vec<Equipment>, ServiceError> {
    let mut sql = Sql::select(
        tenant,
        &format!(
            "SELECT {EQUIPMENT_COLUMNS}, {TASK_COLUMNS},
            EXISTS (SELECT FROM service_parts p WHERE p.company_id = "
        ),
    );
    sql.bind_company();
    sql.push(
        ") AS with_parts,
            EXISTS (
                SELECT FROM service_tasks m WHERE m.position > 0 AND m.company_id = ",
    );
    sql.bind_company();
    sql.push(") AS with_tasks FROM ");
    // Rows are selected by the index alone; only these rows are read.
    sql.push("(SELECT e.id FROM equipment e");
    sql.condition(tenant, &query);
    sql.order(&query);
    sql.push(" LIMIT ");
    sql.bind(query.limit);
    sql.push(") chosen JOIN equipment e ON e.id = chosen.id AND e.company_id = ");
    sql.bind_company();
    sql.push(
        " LEFT JOIN service_tasks t
            ON t.company_id = e.company_id AND t.equipment_id = e.id AND t.position = 0",
    );
    sql.order(&query);
    sql.scope();
    let rows: Vec<ListRow> = sql.0.build_query_as().fetch_all(&mut *connection).await?;
    let (with_parts, with_tasks) = rows
        .first()
        .map_or((false, false), |row| (row.with_parts, row.with_tasks));
    let found = rows.into_iter().map(|row| row.item.try_into());
    let mut found: Vec<Equipment> = found.collect::<Result<_, _>>()?;
    if with_parts {
        parts::attach(connection, tenant, &mut found).await?;
    }
    if with_tasks {
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
    let mut sql = Sql::select(tenant, "SELECT count(*) FROM equipment e");
    let whole = Query {
        after: None,
        ..query
    };
    sql.condition(tenant, &whole);
    sql.scope();
    Ok(sql.0.build_query_scalar().fetch_one(connection).await?)
}

/// Counts by status, least severe first.
pub async fn count_by_status(
    connection: &mut PgConnection,
    tenant: Tenant,
    today: NaiveDate,
) -> Result<[i64; 4], ServiceError> {
    let mut sql = Sql::select(tenant, "SELECT severity, count(*) FROM (SELECT ");
    sql.severity(today);
    sql.push(" AS severity FROM equipment e WHERE e.retired_at IS NULL AND e.company_id = ");
    sql.bind_company();
    sql.push(") counted GROUP BY severity");
    sql.scope();
    let rows: Vec<(i32, i64)> = sql.0.build_query_as().fetch_all(connection).await?;
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
    connection: &mut PgConnection,
    tenant: Tenant,
    day: &CompanyDay,
    due_within: u32,
) -> Result<Attention, ServiceError> {
    let mut sql = Sql::select(tenant, "SELECT count(*) FILTER (WHERE ");
    sql.stale(day);
    sql.push(") AS stale, count(*) FILTER (WHERE ");
    sql.due_within(day, due_within);
    sql.push(
        ") AS due,
            count(*) FILTER (WHERE e.operational_status = 'out_of_service') AS out_of_service
            FROM equipment e WHERE e.retired_at IS NULL AND e.company_id = ",
    );
    sql.bind_company();
    sql.scope();
    Ok(sql.0.build_query_as().fetch_one(connection).await?)
}

/// The rank of equipment without a projected due date.
const NO_DATE: i64 = i32::MAX as i64;

/// Position of equipment in an order, as [`Sql::rank`] computes it.
pub fn rank(item: &Equipment, query: &Query<'_>) -> i64 {
    let usage = item.details.current_usage;
    match query.sorting.order {
        Order::Name => 0,
        Order::Urgency => {
            let status = service_status(&item.plans(), usage, query.day.today);
            status.severity().into()
        }
        Order::Usage => usage.hundredths(),
        Order::Updated => item.updated_at.timestamp_micros(),
        Order::Due => assumed_due(item, &query.day)
            .map_or(NO_DATE, |due| (due.date - NaiveDate::default()).num_days()),
    }
}

/// A query builder: texts are constant, everything else is bound.
struct Sql(QueryBuilder<Postgres>, Tenant);

impl Sql {
    fn select(tenant: Tenant, text: &str) -> Self {
        let mut sql = QueryBuilder::new(SCOPE[0]);
        sql.push(text);
        Self(sql, tenant)
    }

    /// Closes the query.
    fn scope(&mut self) {
        self.push(SCOPE[1]);
        self.bind_company();
        self.push(SCOPE[2]);
    }

    /// Each table needs it: Citus does not find the shard of a subquery by the table around it.
    fn bind_company(&mut self) {
        self.bind(self.1.company_id());
    }

    fn push(&mut self, text: &'static str) {
        self.0.push(text);
    }

    fn bind<T>(&mut self, value: T)
    where
        T: for<'q> sqlx::Encode<'q, Postgres> + sqlx::Type<Postgres> + Send + 'static,
    {
        self.0.push_bind(value);
    }

    /// The service status on a day as a number.
    fn severity(&mut self, today: NaiveDate) {
        let day = StatusDates::on(today);
        self.push("greatest(e.usage_severity::integer, CASE WHEN e.next_date < ");
        self.bind(day.today);
        self.push(" THEN 3 WHEN e.next_date <= ");
        self.bind(day.due);
        self.push(" THEN 2 WHEN e.next_date <= ");
        self.bind(day.approaching);
        self.push(
            " THEN 1 ELSE 0 END, CASE WHEN e.has_special_points THEN (
                SELECT special_severity(x.special_points, x.current_usage, ",
        );
        self.bind(day.today);
        self.push(") FROM equipment x WHERE x.id = e.id AND x.company_id = ");
        self.bind_company();
        self.push(") ELSE 0 END)");
    }

    /// Whether the meter was not read in time, as `domain::forecast::is_stale`.
    fn stale(&mut self, day: &CompanyDay) {
        let Some(before) = day.stale_before else {
            self.push("false");
            return;
        };
        self.push(
            "(e.operational_status = 'in_use' AND e.unit <> 'n/a'
                AND coalesce(e.meter_read_at, e.added_at) < ",
        );
        self.bind(before);
        self.push(")");
    }

    /// Whether equipment is due within this many days, as `Filter::due_within`.
    fn due_within(&mut self, day: &CompanyDay, days: u32) {
        self.assumed_due(day);
        self.push(" <= ");
        let last = day.today.checked_add_days(Days::new(days.into()));
        self.bind(last.unwrap_or(LAST_DAY));
    }

    fn rank(&mut self, query: &Query<'_>) {
        match query.sorting.order {
            Order::Name => self.push("0"),
            Order::Urgency => self.severity(query.day.today),
            Order::Usage => self.push("e.current_usage"),
            Order::Updated => self.push("e.updated_at"),
            Order::Due => {
                self.push("coalesce((");
                self.assumed_due(&query.day);
                self.push(") - DATE '1970-01-01', ");
                self.bind(NO_DATE);
                self.push(")");
            }
        }
    }

    fn bind_rank(&mut self, key: &Key, query: &Query<'_>) {
        match query.sorting.order {
            Order::Updated => self.bind(DateTime::from_timestamp_micros(key.rank)),
            Order::Name | Order::Urgency | Order::Usage | Order::Due => self.bind(key.rank),
        }
    }

    fn condition(&mut self, tenant: Tenant, query: &Query<'_>) {
        self.push(" WHERE e.retired_at IS NULL AND e.company_id = ");
        self.bind(tenant.company_id());
        if let Some(kind) = query.filter.kind {
            self.push(" AND e.kind = ");
            self.bind(kind.as_str());
        }
        if let Some(status) = query.filter.status {
            self.push(" AND ");
            self.severity(query.day.today);
            self.push(" = ");
            self.bind(status.severity());
        }
        if let Some(status) = query.filter.operational_status {
            self.push(" AND e.operational_status = ");
            self.bind(status.as_str());
        }
        if let Some(stale) = query.filter.stale {
            self.push(if stale { " AND " } else { " AND NOT " });
            self.stale(&query.day);
        }
        if let Some(days) = query.filter.due_within {
            self.push(" AND ");
            self.due_within(&query.day, days);
        }
        if query.filter.not_overdue {
            self.push(" AND ");
            self.severity(query.day.today);
            self.push(" < ");
            self.bind(ServiceStatus::Overdue.severity());
        }
        match query.filter.group.as_deref() {
            None => {}
            Some("") => self.push(" AND e.equipment_group IS NULL"),
            Some(group) => {
                self.push(" AND e.equipment_group = ");
                self.bind(group.to_owned());
            }
        }
        if let Some(ids) = &query.filter.ids {
            self.push(" AND e.id = ANY(");
            self.bind(ids.clone());
            self.push(")");
        }
        if let Some(selection) = &query.filter.selection {
            self.push(" AND (e.id = ANY(");
            self.bind(selection.ids.clone());
            self.push(") OR e.equipment_group = ANY(");
            self.bind(selection.groups.clone());
            self.push("))");
        }
        if let Some(text) = &query.filter.search {
            self.search(tenant, text);
        }
        if let Some(key) = query.after {
            self.after(key, query);
        }
    }

    /// Restricts to rows after `key`.
    fn after(&mut self, key: &Key, query: &Query<'_>) {
        let by_name = query.sorting.order == Order::Name;
        let descending = query.sorting.descending;
        if !by_name {
            self.push(" AND (");
            self.rank(query);
            self.push(if descending { " < " } else { " > " });
            self.bind_rank(key, query);
            self.push(" OR (");
            self.rank(query);
            self.push(" = ");
            self.bind_rank(key, query);
        }
        self.push(if by_name && descending {
            " AND (e.sort_key COLLATE natural_order, e.id) < ("
        } else {
            " AND (e.sort_key COLLATE natural_order, e.id) > ("
        });
        self.bind(key.name.clone());
        self.push(", ");
        self.bind(key.id);
        self.push(if by_name { ")" } else { ")))" });
    }

    fn order(&mut self, query: &Query<'_>) {
        let descending = query.sorting.descending;
        self.push(" ORDER BY ");
        if query.sorting.order == Order::Name {
            self.push(if descending {
                "e.sort_key COLLATE natural_order DESC, e.id DESC"
            } else {
                "e.sort_key COLLATE natural_order, e.id"
            });
            return;
        }
        self.rank(query);
        self.push(if descending { " DESC" } else { "" });
        self.push(", e.sort_key COLLATE natural_order, e.id");
    }
}
