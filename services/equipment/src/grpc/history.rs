//! History.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Caller;
use tonic::Request;

use super::{Api, convert, cursor, id};
use crate::store;
use crate::store::ledger::Selection;

/// `ListHistory`.
pub async fn list(
    api: &Api,
    request: Request<v1::ListHistoryRequest>,
) -> Result<v1::ListHistoryResponse, Failure> {
    let identity = Caller::person(&request)?;
    let request = request.into_inner();
    let equipment = match request.equipment_id.as_str() {
        "" => None,
        text => Some(id(text)?),
    };
    let selection = match (equipment, request.fuel_only) {
        (Some(id), false) => Selection::Of(id),
        (Some(id), true) => Selection::FuelOf(id),
        (None, false) => Selection::Company,
        (None, true) => Selection::CompanyFuel,
    };
    let page = cursor::by_time(request.page.as_ref())?;

    let mut tx = api.database.tenant(identity.tenant()).await?;
    let company = identity.company_id;
    if let Some(id) = equipment
        && !store::equipment::exists(&mut tx, company, id).await?
    {
        return Err(Failure::not_found());
    }
    let mut found =
        store::ledger::list(&mut tx, company, selection, page.after, page.sql_limit()).await?;
    let next = page.cut(&mut found, |record| (record.recorded_at, record.id));
    Ok(v1::ListHistoryResponse {
        records: found.iter().map(convert::history).collect(),
        page: Some(next),
    })
}
