//! Fuel figures.

use hourmeter_proto::equipment::v1::{
    self as proto, GetFuelSummaryRequest, MeterUnit, ResetFuelRequest,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::fields::Fields;
use super::from_proto::{FromProto as _, objects};
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::values::{Id, Instant, Number};
use super::wire_enums::WireName;

pub fn routes() -> Vec<Route> {
    let rpc = |method| AccessRule::Rpc(EquipmentService, method);
    vec![
        rpc("GetFuelSummary")
            .at(Verb::Get, "/api/fuel/summary")
            .query(range, summary)
            .summary("Fuel used, top consumers first: since the last reset, or between two days")
            .ok::<FuelSummary>(),
        rpc("ResetFuel")
            .route(Verb::Post, "/api/fuel/reset", reset)
            .summary("Sets the fuel totals of all equipment to 0; the history stays")
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

objects! {
    struct FuelSummary(summary: proto::GetFuelSummaryResponse) {
        total: Number,
        gas: Number,
        diesel: Number,
        by_equipment: Vec<EquipmentFuelUse>,
        by_month: Vec<MonthFuelUse>,
        period_began_at: Option<Instant>,
    }

    struct EquipmentFuelUse(row: proto::EquipmentFuelUse) {
        equipment_id: Id,
        equipment_name: String,
        total: Number,
        gas: Number,
        diesel: Number,
        per_unit: Option<Number>,
        unit: WireName<MeterUnit>,
        retired: bool,
        consumption: Option<FuelConsumption>
            => row.consumption.and_then(|found| FuelConsumption::new(found, row.unit)),
    }
}

/// Fuel consumption from full fill to full fill.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FuelConsumption {
    /// 4 decimals.
    value: Number,
    unit: ConsumptionUnit,
    #[serde(flatten)]
    measured: MeasuredFuel,
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
    fn new(found: proto::FuelConsumption, unit: i32) -> Option<Self> {
        let per_usage = found.fuel / found.usage;
        let (value, unit) = match MeterUnit::try_from(unit).unwrap_or_default() {
            MeterUnit::Hours => (per_usage, ConsumptionUnit::FuelPerHour),
            MeterUnit::Miles => (per_usage.recip(), ConsumptionUnit::MilesPerFuel),
            MeterUnit::Kilometers => (per_usage * 100.0, ConsumptionUnit::FuelPer100Kilometers),
            MeterUnit::NotApplicable | MeterUnit::Unspecified => return None,
        };
        value.is_finite().then(|| Self {
            value: Number((value * 10_000.0).round() / 10_000.0),
            unit,
            measured: MeasuredFuel::from_proto(found),
        })
    }
}

objects! {
    struct MeasuredFuel(found: proto::FuelConsumption) {
        fuel: Number,
        usage: Number,
        /// True if there are fewer than 2 measured fills: all fuel by all usage.
        estimated: bool => found.fills == 0,
        /// Number of measured fills.
        fills: u32,
        /// Number of unusual fills that were left out.
        excluded: u32,
        from: Option<Instant>,
        to: Option<Instant>,
        /// All of the machine, if the query names it.
        unusual_entry_ids: Vec<Id>,
    }

    struct MonthFuelUse(row: proto::MonthFuelUse) {
        month: String,
        gas: Number,
        diesel: Number,
    }
}

async fn summary(call: Call, request: GetFuelSummaryRequest) -> RestResult {
    let found = call.equipment().get_fuel_summary(request).await?;
    RestResponse::ok(&FuelSummary::from_proto(found.into_inner()))
}

async fn reset(call: Call) -> RestResult {
    call.equipment().reset_fuel(ResetFuelRequest {}).await?;
    Ok(RestResponse::empty())
}
