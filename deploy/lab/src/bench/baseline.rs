//! Baseline without the product: the list's query, alone and in a bare HTTP handler that returns
//! the same JSON.

use std::collections::HashMap;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use chrono::{DateTime, NaiveDate, Utc};
use rustix::process::Pid;
use rustix::thread::gettid;
use serde::Serialize;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use sqlx_macros::FromRow;
use tokio::net::TcpListener;
use uuid::Uuid;

use super::load::{Load, closed, drive};
use super::report::Figures;
use super::seed::Company;
use super::{Database, cpu};

/// The equipment service's query, run by a superuser without row-level security.
const QUERY: &str = "
    SELECT e.id, e.name, e.kind, e.serial_number, e.unit, e.current_usage, e.lifespan,
        e.alert_threshold, e.fuel, e.total_gas, e.total_diesel, e.description, e.added_at,
        e.updated_at, e.version, t.usage_interval, t.last_usage, t.start_date,
        t.calendar_interval, t.calendar_unit, t.next_date
    FROM (
        SELECT * FROM equipment
        WHERE company_id = $1 AND retired_at IS NULL
        ORDER BY sort_key, id
    ) e
    LEFT JOIN service_tasks t ON t.company_id = e.company_id AND t.equipment_id = e.id
    ORDER BY e.sort_key, e.id, t.position";

#[derive(FromRow, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: Uuid,
    name: String,
    kind: String,
    serial_number: Option<String>,
    unit: String,
    current_usage: i64,
    lifespan: Option<i64>,
    alert_threshold: i32,
    fuel: String,
    total_gas: i64,
    total_diesel: i64,
    description: String,
    added_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    version: i64,
    usage_interval: Option<i64>,
    last_usage: Option<i64>,
    start_date: Option<NaiveDate>,
    calendar_interval: Option<i32>,
    calendar_unit: Option<String>,
    next_date: Option<NaiveDate>,
    #[sqlx(skip)]
    computed: Computed,
}

/// A text as long as the product's computed fields.
#[derive(Serialize)]
struct Computed(&'static str);

impl Default for Computed {
    fn default() -> Self {
        Self(
            "userId:00000000-0000-0000-0000-000000000000,serviceStatus:approaching_service,\
            overallStatus:approaching,badge:approaching_service,usagePercent:83.25,\
            critical:false,severelyCritical:false,lifespanPercent:41.5,lifespanAlert:false,\
            nextServiceDueUsage:1150.0,remainingUsage:133.0,totalFuelUsed:0.0,\
            hasScheduledMaintenance:false,serviceParts:[],these are the quotes of 14 names",
        )
    }
}

#[derive(Clone)]
struct Bare {
    pool: PgPool,
    companies: Arc<HashMap<String, Uuid>>,
}

async fn pool(database: &Database, connections: usize) -> Result<PgPool> {
    let options = PgPoolOptions::new().max_connections(u32::try_from(connections)?);
    Ok(options
        .connect(&database.url("hourmeter_equipment"))
        .await?)
}

/// The bare list, with CPU time of handler and database.
pub async fn list(
    database: &Database,
    companies: &[Company],
    clients: usize,
    span: Duration,
) -> Result<Figures> {
    let (companies, thread) = serve(database, companies)?;
    let cpu = || Ok::<_, anyhow::Error>(cpu::thread(thread)? + cpu::database(database.pid()?)?);
    let before = cpu()?;
    let figures = closed(clients, span, Load::List, &companies).await?;
    Ok(figures.with_cpu(cpu()? - before))
}

/// Serves the list on its own thread. Returns the companies with it as origin, and the thread.
fn serve(database: &Database, companies: &[Company]) -> Result<(Vec<Company>, Pid)> {
    let mut by_session = HashMap::new();
    for company in companies {
        by_session.insert(company.owner.cookie(), company.id.parse()?);
    }
    let url = database.url("hourmeter_equipment");
    let pool = PgPoolOptions::new().max_connections(16);
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let origin = format!("http://{}", listener.local_addr()?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (started, starting) = mpsc::channel();
    thread::spawn(move || {
        runtime.block_on(async move {
            started.send(gettid())?;
            let bare = Bare {
                pool: pool.connect(&url).await?,
                companies: Arc::new(by_session),
            };
            let router = Router::new()
                .route("/api/equipment", get(rows_as_json))
                .with_state(bare);
            axum::serve(TcpListener::from_std(listener)?, router).await?;
            anyhow::Ok(())
        })
    });
    let through = |company: &Company| Company {
        owner: company.owner.through(&origin),
        ..company.clone()
    };
    let companies = companies.iter().map(through).collect();
    Ok((companies, starting.recv()?))
}

async fn rows_as_json(State(bare): State<Bare>, headers: HeaderMap) -> Response {
    let cookie = headers
        .get("cookie")
        .and_then(|cookie| cookie.to_str().ok())
        .unwrap_or_default();
    let company = bare.companies.get(cookie).copied().unwrap_or_default();
    match rows(&bare.pool, company).await {
        Ok(rows) => Json(rows).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

async fn rows(pool: &PgPool, company: Uuid) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query_as(QUERY).bind(company).fetch_all(pool).await
}

/// Runs the query on several connections in a closed loop.
pub async fn run_query(
    database: &Database,
    companies: &[Company],
    connections: usize,
    span: Duration,
) -> Result<Figures> {
    let pool = pool(database, connections).await?;
    let ids = companies.iter().map(|company| company.id.parse());
    let ids: Arc<[Uuid]> = ids.collect::<Result<_, _>>()?;
    let query = move |index: usize| {
        let (pool, company) = (pool.clone(), ids[index % ids.len()]);
        async move { Ok(!rows(&pool, company).await?.is_empty()) }
    };
    drive(connections, span, None, query).await
}
