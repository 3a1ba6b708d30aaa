//! Fuel figures.

use hourmeter_proto::equipment::v1::{
    self as proto, GetFuelSummaryRequest, MeterUnit, ResetFuelRequest,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::fields::Fields;
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::values::{Id, Instant, Number, all};
use super::wire_enums::WireName;
use crate::api_error::ApiError;

pub fn routes() -> Vec<Route> {
    let rpc = |method| AccessRule::Rpc(EquipmentService, method);
    vec![
        Route::new(
            (Verb::Get, "/api/fuel/summary"),
            rpc("GetFuelSummary"),
            "Fuel used, top consumers first: since the last reset, or between two days",
            summary,
        )
        .query(range)
        .ok::<FuelSummary>(),
        Route::new(
            (Verb::Post, "/api/fuel/reset"),
            rpc("ResetFuel"),
            "Sets the fuel totals of all equipment to 0; the history stays",
            reset,
        )
        .empty(),
    ]
}

fn range(fields: &mut Fields) -> GetFuelSummaryRequest {
    GetFuelSummaryRequest {
        from: fields.date("from").unwrap_or_default(),
        to: fields.date("to").unwrap_or_default(),
        equipment_id: fields.text("equipmentId").unwrap_or_default(),
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FuelSummary {
    total: Number,
    gas: Number,
    diesel: Number,
    by_equipment: Vec<EquipmentFuelUse>,
    by_month: Vec<MonthFuelUse>,
    period_began_at: Option<Instant>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EquipmentFuelUse {
    equipment_id: Id,
    equipment_name: String,
    total: Number,
    gas: Number,
    diesel: Number,
    per_unit: Option<Number>,
    unit: WireName<MeterUnit>,
    retired: bool,
    consumption: Option<FuelConsumption>,
}

/// Fuel consumption from full fill to full fill.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FuelConsumption {
    /// 4 decimals.
    value: Number,
    unit: ConsumptionUnit,
    fuel: Number,
    usage: Number,
    /// True if there are fewer than 2 measured fills: all fuel by all usage.
    estimated: bool,
    /// Number of measured fills.
    fills: u32,
    /// Number of unusual fills that were left out.
    excluded: u32,
    from: Option<Instant>,
    to: Option<Instant>,
    /// All of the machine, if the query names it.
    unusual_entry_ids: Vec<Id>,
}

/// Fuel is in the company's fuel unit.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ConsumptionUnit {
    FuelPerHour,
    MilesPerFuel,
    FuelPer100Kilometers,
}

impl FuelConsumption {
    /// None without a meter, or without fuel to divide miles by.
    fn new(found: proto::FuelConsumption, unit: MeterUnit) -> Option<Self> {
        let per_usage = found.fuel / found.usage;
        let (value, unit) = match unit {
            MeterUnit::Hours => (per_usage, ConsumptionUnit::FuelPerHour),
            MeterUnit::Miles => (per_usage.recip(), ConsumptionUnit::MilesPerFuel),
            MeterUnit::Kilometers => (per_usage * 100.0, ConsumptionUnit::FuelPer100Kilometers),
            MeterUnit::NotApplicable | MeterUnit::Unspecified => return None,
        };
        value.is_finite().then(|| Self {
            value: Number((value * 10_000.0).round() / 10_000.0),
            unit,
            fuel: Number(found.fuel),
            usage: Number(found.usage),
            estimated: found.fills == 0,
            fills: found.fills,
            excluded: found.excluded,
            from: found.from.map(Instant::from),
            to: found.to.map(Instant::from),
            unusual_entry_ids: found.unusual_entry_ids.into_iter().map(Id).collect(),
        })
    }
}

impl From<proto::EquipmentFuelUse> for EquipmentFuelUse {
    fn from(row: proto::EquipmentFuelUse) -> Self {
        let unit = row.unit();
        let consumption = row.consumption;
        Self {
            unit: WireName(unit),
            consumption: consumption.and_then(|found| FuelConsumption::new(found, unit)),
            equipment_id: Id(row.equipment_id),
            equipment_name: row.equipment_name,
            total: Number(row.total),
            gas: Number(row.gas),
            diesel: Number(row.diesel),
            per_unit: row.per_unit.map(Number),
            retired: row.retired,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct MonthFuelUse {
    month: String,
    gas: Number,
    diesel: Number,
}

impl From<proto::MonthFuelUse> for MonthFuelUse {
    fn from(row: proto::MonthFuelUse) -> Self {
        Self {
            month: row.month,
            gas: Number(row.gas),
            diesel: Number(row.diesel),
        }
    }
}

async fn summary(call: Call) -> Result<RestResponse, ApiError> {
    let request = call.query(range)?;
    let found = call.equipment().get_fuel_summary(request).await?;
    let found = found.into_inner();
    RestResponse::ok(&FuelSummary {
        total: Number(found.total),
        gas: Number(found.gas),
        diesel: Number(found.diesel),
        by_equipment: all(found.by_equipment),
        by_month: all(found.by_month),
        period_began_at: found.period_began_at.map(Instant::from),
    })
}

async fn reset(call: Call) -> Result<RestResponse, ApiError> {
    call.equipment().reset_fuel(ResetFuelRequest {}).await?;
    Ok(RestResponse::empty())
}
