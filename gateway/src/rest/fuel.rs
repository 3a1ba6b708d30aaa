//! Fuel figures.

use hourmeter_proto::equipment::v1::{
    EquipmentFuelUse, GetFuelSummaryRequest, GetFuelSummaryResponse, MonthFuelUse, ResetFuelRequest,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;

use super::answer::Answer;
use super::call::Call;
use super::fields::Fields;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::words;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    let rpc = |method| Admission::Rpc(EquipmentService, method);
    vec![
        Route::new(
            (Verb::Get, "/api/fuel/summary"),
            rpc("GetFuelSummary"),
            "Fuel used, top consumers first: since the last reset, or between two days",
            summary,
        )
        .query(range)
        .ok("FuelSummary", figures(GetFuelSummaryResponse::default())),
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

fn figures(answer: GetFuelSummaryResponse) -> Shape {
    Shape::new()
        .number("total", answer.total)
        .number("gas", answer.gas)
        .number("diesel", answer.diesel)
        .objects("byEquipment", answer.by_equipment, by_equipment)
        .objects("byMonth", answer.by_month, by_month)
        .opt_time("periodBeganAt", answer.period_began_at)
}

fn by_equipment(row: EquipmentFuelUse) -> Shape {
    let unit = words::unit(row.unit());
    Shape::new()
        .id("equipmentId", row.equipment_id)
        .text("equipmentName", row.equipment_name)
        .number("total", row.total)
        .number("gas", row.gas)
        .number("diesel", row.diesel)
        .opt_number("perUnit", row.per_unit)
        .word("unit", unit, words::UNIT_WORDS)
        .flag("retired", row.retired)
}

fn by_month(row: MonthFuelUse) -> Shape {
    Shape::new()
        .text("month", row.month)
        .number("gas", row.gas)
        .number("diesel", row.diesel)
}

async fn summary(call: Call) -> Result<Answer, Refusal> {
    let request = call.query(range)?;
    let found = call.equipment().get_fuel_summary(request).await?;
    Answer::ok(&figures(found.into_inner()))
}

async fn reset(call: Call) -> Result<Answer, Refusal> {
    call.equipment().reset_fuel(ResetFuelRequest {}).await?;
    Ok(Answer::empty())
}
