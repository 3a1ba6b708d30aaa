//! Lists all companies for support staff.

use hourmeter_proto::accounts::v1;
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::audit::{AuditContext, AuditEntry, NO_COMPANY};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::page::{Page, TimeKey};
use hourmeter_runtime::text::{LineBreaks, clean, fold};
use tonic::Request;

use super::{Api, convert};
use crate::store::support::{self, Search};

const MAX_SEARCH: usize = 200;

pub(super) async fn list_accounts(
    api: &Api,
    request: Request<v1::ListAccountsRequest>,
) -> Result<v1::ListAccountsResponse, ServiceError> {
    let staff = Caller::staff(&request)?;
    let message = request.get_ref();
    let search = read_search(&message.search)?;
    let page: Page<TimeKey> = Page::from_request(message.page.as_ref())?;
    let before = page.before()?;
    let limit = page.sql_limit();

    let word = if search.is_some() { "search" } else { "" };
    let entry = AuditEntry::success(AuditEventType::AccountsListed).detail(word);
    let context = AuditContext::from_staff(&staff);
    api.record(NO_COMPANY, &context, &entry).await?;
    let mut lookup = api.database.lookup().await?;
    let mut rows = support::accounts(&mut lookup, search.as_ref(), before, limit).await?;
    drop(lookup);
    let next = page.cut(&mut rows, |last| {
        (last.created_at.timestamp_micros(), last.id)
    });
    Ok(v1::ListAccountsResponse {
        accounts: rows.into_iter().map(Into::into).collect(),
        page: Some(next),
    })
}

/// Names are compared as at sign-up: without case, width and spacing.
fn read_search(raw: &str) -> Result<Option<Search>, ServiceError> {
    let text = clean(raw, MAX_SEARCH, LineBreaks::Forbidden)
        .map_err(|message| ServiceError::field("search", message))?;
    let folded = fold(&text);
    if folded.is_empty() {
        return Ok(None);
    }
    Ok(Some(Search {
        id: convert::id(&text),
        name: containing(&folded),
        email: containing(&text.to_lowercase()),
    }))
}

/// The LIKE pattern for texts that contain this text literally.
fn containing(text: &str) -> String {
    // First the backslash, which the others get.
    let literal = text
        .replace('\\', r"\\")
        .replace('%', r"\%")
        .replace('_', r"\_");
    format!("%{literal}%")
}

impl From<support::Account> for v1::Account {
    fn from(account: support::Account) -> Self {
        Self {
            id: account.id.to_string(),
            business_name: account.business_name,
            email: account.email,
            operator_password_set: account.operator_password_set,
            created_at: Some(timestamp(account.created_at)),
        }
    }
}
