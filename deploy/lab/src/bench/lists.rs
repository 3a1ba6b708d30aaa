//! Lists and counts in small and large companies, with few and many other companies.

use std::time::Duration;

use anyhow::{Context as _, Result};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::{
    EquipmentOrder, GetSummaryRequest, ListEquipmentRequest, ServiceStatus,
};
use sqlx::PgConnection;
use uuid::Uuid;

use super::Database;
use super::load::drive;
use super::report::{self, Figures};
use super::seed::{Company, companies};
use crate::grpc_web;

/// Machines of the measured companies.
const SIZES: [usize; 3] = [65, 1_000, 5_000];
/// Machines of each other company.
const OTHERS_MACHINES: i32 = 65;
const POPULATIONS: [usize; 2] = [100, 10_000];
/// Duration of each sequential measurement.
const SPAN: Duration = Duration::from_secs(3);
const WARM_UP: Duration = Duration::from_millis(300);
/// Rows of the first page.
const PAGE: u32 = 100;

/// Machines in every state, with their projections.
const MACHINES: &str = "
    INSERT INTO equipment (
        company_id, id, name, kind, serial_number, unit, initial_usage, current_usage,
        meter_read_at, lifespan, alert_threshold, fuel, description, added_at, updated_at,
        approaching_usage, due_usage, overdue_usage, next_date
    )
    SELECT company, uuidv7(), 'Machine ' || n,
        (ARRAY['vehicle', 'machinery', 'tools', 'other'])[n % 4 + 1], 'SN-' || n, 'hours',
        100000, 100000 + (n % 300) * 100, now(), 1200000, 20, 'diesel', '', now(), now(),
        120000, 125000, 127500, CASE WHEN n % 3 = 0 THEN current_date + n % 90 - 5 END
    FROM unnest($1::uuid[]) company, generate_series(1, $2) n";

/// The service task of each machine.
const TASKS: &str = "
    INSERT INTO service_tasks (
        company_id, id, equipment_id, position, usage_interval, last_usage, initial_last_usage,
        start_date, initial_start_date, calendar_interval, calendar_unit, next_date
    )
    SELECT company_id, uuidv7(), id, 0, 25000, 100000, 100000,
        next_date - 90, next_date - 90, CASE WHEN next_date IS NOT NULL THEN 90 END,
        CASE WHEN next_date IS NOT NULL THEN 'days' END, next_date
    FROM equipment
    WHERE company_id = ANY($1)";

pub async fn measure(origin: &str, database: &Database) -> Result<()> {
    let mut connection = database.connect("hourmeter_equipment").await?;
    let measured = companies(origin, "Large", SIZES.len(), 0).await;
    for (company, size) in measured.iter().zip(SIZES) {
        let machines = i32::try_from(size)?;
        fill(&mut connection, &[company.id.parse()?], machines).await?;
    }
    let mut others = 0;
    for population in POPULATIONS {
        let wanted = population.saturating_sub(SIZES.len());
        let new: Vec<Uuid> = (others..wanted).map(|_| Uuid::now_v7()).collect();
        for some in new.chunks(500) {
            fill(&mut connection, some, OTHERS_MACHINES).await?;
        }
        others = wanted;
        // As autovacuum does some time after inserts.
        sqlx::raw_sql("VACUUM ANALYZE equipment, service_tasks")
            .execute(&mut connection)
            .await?;
        report::fact("companies in the database", &population.to_string());
        report::head();
        for (company, size) in measured.iter().zip(SIZES) {
            expensive_company(company, size).await?;
        }
    }
    Ok(())
}

/// Gives each company `machines` machines, more than a trial allows.
pub async fn fill(connection: &mut PgConnection, companies: &[Uuid], machines: i32) -> Result<()> {
    sqlx::query(MACHINES)
        .bind(companies)
        .bind(machines)
        .execute(&mut *connection)
        .await
        .context("machines")?;
    let tasks = sqlx::query(TASKS).bind(companies);
    tasks.execute(connection).await.context("tasks")?;
    Ok(())
}

async fn expensive_company(company: &Company, size: usize) -> Result<()> {
    let first = ListEquipmentRequest {
        page: Some(PageRequest {
            limit: PAGE,
            ..PageRequest::default()
        }),
        order: EquipmentOrder::Urgency.into(),
        ..ListEquipmentRequest::default()
    };
    let overdue = ListEquipmentRequest {
        status: ServiceStatus::Overdue.into(),
        ..first.clone()
    };
    let search = ListEquipmentRequest {
        search: "ine 64".to_owned(),
        ..first.clone()
    };
    for (name, list) in [
        ("first page by urgency", first),
        ("first page, overdue", overdue),
        ("first page of a search", search),
    ] {
        let figures = one_by_one(company, "ListEquipment", list).await?;
        report::row(&format!("{size} machines: {name}"), &figures);
    }
    let figures = one_by_one(company, "GetSummary", GetSummaryRequest {}).await?;
    report::row(&format!("{size} machines: tile counts"), &figures);
    Ok(())
}

async fn one_by_one(
    company: &Company,
    method: &str,
    message: impl prost::Message + Clone + 'static,
) -> Result<Figures> {
    let path = format!("equipment.v1.EquipmentService/{method}");
    let owner = company.owner.clone();
    let call = move |_| {
        let call = owner.rpc(&path, &message);
        async move {
            let answer = call.send().await?;
            let fine = answer.status() == 200;
            let (message, status) = grpc_web::decode(&answer.bytes().await?);
            Ok(fine && message.is_some() && status == Some(0))
        }
    };
    // Warm-up: prepares statements.
    drive(1, WARM_UP, None, call.clone()).await?;
    drive(1, SPAN, None, call).await
}
