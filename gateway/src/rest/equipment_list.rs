//! The list of equipment.

use std::sync::Arc;

use hourmeter_proto::equipment::v1::{self as proto, EquipmentOrder, ListEquipmentRequest};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;

use super::call::Call;
use super::equipment::Equipment;
use super::equipment_input::list_query;
use super::from_proto::FromProto as _;
use super::lists;
use super::lists::ranked::ranked;
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use crate::api_error::ApiError;

pub fn routes() -> Vec<Route> {
    vec![
        AccessRule::Rpc(EquipmentService, "ListEquipment")
            .at(Verb::Get, "/api/equipment")
            .query(list_query, list)
            .summary("The company's equipment, by name unless another order is given")
            .pages::<Equipment>(),
    ]
}

async fn list(call: Call, asked: ListEquipmentRequest) -> RestResult {
    let call = Arc::new(call);
    let page = asked.page.clone().unwrap_or_default();
    // Ranks change between pages, so a whole list is read by name.
    if page.limit == 0 && page.cursor.is_empty() && is_ranked(asked.order()) {
        let whole = by_rank(&call, &asked).await?;
        if let Some(whole) = whole {
            return Ok(whole);
        }
    }
    lists::respond(call, page, move |call, page| {
        let request = ListEquipmentRequest {
            page: Some(page),
            ..asked.clone()
        };
        async move {
            let found = call.equipment().list_equipment(request).await?.into_inner();
            Ok((Vec::<Equipment>::from_proto(found.equipment), found.page))
        }
    })
    .await
}

async fn by_rank(
    call: &Arc<Call>,
    asked: &ListEquipmentRequest,
) -> Result<Option<RestResponse>, ApiError> {
    let order = asked.order();
    let by_name = ListEquipmentRequest {
        order: EquipmentOrder::Name.into(),
        descending: false,
        ..asked.clone()
    };
    let read = move |call: Arc<Call>, page| {
        let request = ListEquipmentRequest {
            page: Some(page),
            ..by_name.clone()
        };
        async move {
            let found = call.equipment().list_equipment(request).await?.into_inner();
            let rows = found.equipment.into_iter();
            let rows = rows.map(|row| (rank(order, &row), Equipment::from_proto(row)));
            Ok((rows.collect(), found.page))
        }
    };
    // The most severe first, unless reversed.
    let descending = asked.descending != (order == EquipmentOrder::Urgency);
    ranked(call.clone(), descending, read).await
}

const fn is_ranked(order: EquipmentOrder) -> bool {
    !matches!(order, EquipmentOrder::Unspecified | EquipmentOrder::Name)
}

/// Position of equipment in an order, as the service computes it.
fn rank(order: EquipmentOrder, row: &proto::Equipment) -> u64 {
    match order {
        EquipmentOrder::Unspecified | EquipmentOrder::Name => 0,
        EquipmentOrder::Urgency => u64::try_from(row.service_status).unwrap_or_default(),
        // Of numbers that are not negative, the bits are in the order of the numbers.
        EquipmentOrder::Usage => row.current_usage.to_bits(),
        EquipmentOrder::Updated => {
            let at = row.last_updated.unwrap_or_default();
            let micros = at.seconds * 1_000_000 + i64::from(at.nanos / 1000);
            u64::try_from(micros).unwrap_or_default()
        }
        // Without a date last.
        EquipmentOrder::Due => {
            let digits = row.projected_due_date.replace('-', "");
            digits.parse().unwrap_or(u64::MAX)
        }
    }
}
