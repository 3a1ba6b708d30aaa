//! List cursors. Their content is checked before it reaches the database.

use chrono::{DateTime, Datelike as _};
use hourmeter_proto::common::v1::{PageRequest, PageResponse};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::page::Page;
use hourmeter_runtime::refusals as shared;
use uuid::Uuid;

use crate::domain::equipment::Equipment;
use crate::store::TimeKey;
use crate::store::list::{Key, Order, Query, Sorting, rank};
use crate::store::meters::NameKey;

/// Content of an equipment cursor: order, descending, and the key.
type CursorFields = (String, bool, i64, String, Uuid);

pub struct EquipmentPage {
    page: Page<CursorFields>,
    pub after: Option<Key>,
}

impl EquipmentPage {
    /// A cursor is valid for one order and direction only.
    pub fn read(request: Option<&PageRequest>, sorting: Sorting) -> Result<Self, ServiceError> {
        let page = Page::<CursorFields>::from_request(request)?;
        let page = check(page, |(order, descending, rank, name, _)| {
            order == order_name(sorting.order)
                && *descending == sorting.descending
                && (sorting.order != Order::Updated || is_time(*rank))
                && !name.contains('\0')
        })?;
        let after = page.after.clone();
        Ok(Self {
            page,
            after: after.map(|(_, _, rank, name, id)| Key { rank, name, id }),
        })
    }

    /// Lowers the limit for rows that are large.
    pub fn limit_to(&mut self, rows: u32) {
        self.page.limit = self.page.limit.min(rows);
    }

    pub fn sql_limit(&self) -> i64 {
        self.page.sql_limit()
    }

    /// Removes the extra row and returns the next cursor.
    pub fn cut(&self, rows: &mut Vec<Equipment>, query: Query<'_>) -> PageResponse {
        let (order, descending) = (query.sorting.order, query.sorting.descending);
        self.page.cut(rows, |item| {
            let rank = rank(item, &query);
            let name = item.sort_key.clone();
            (
                order_name(order).to_owned(),
                descending,
                rank,
                name,
                item.id,
            )
        })
    }
}

/// Whether the time is in the years 1 to 9999.
fn is_time(micros: i64) -> bool {
    let at = DateTime::from_timestamp_micros(micros);
    at.is_some_and(|at| (1..=9999).contains(&at.year()))
}

const fn order_name(order: Order) -> &'static str {
    match order {
        Order::Name => "name",
        Order::Urgency => "urgency",
        Order::Usage => "usage",
        Order::Updated => "updated",
        Order::Due => "due",
    }
}

pub fn by_time(request: Option<&PageRequest>) -> Result<Page<TimeKey>, ServiceError> {
    let page = Page::from_request(request)?;
    check(page, |(at, _): &TimeKey| (1..=9999).contains(&at.year()))
}

pub fn by_name(request: Option<&PageRequest>) -> Result<Page<NameKey>, ServiceError> {
    let page = Page::from_request(request)?;
    check(page, |(name, _): &NameKey| !name.contains('\0'))
}

fn check<K>(page: Page<K>, storable: impl Fn(&K) -> bool) -> Result<Page<K>, ServiceError> {
    if page.after.as_ref().is_none_or(storable) {
        Ok(page)
    } else {
        Err(ServiceError::field("cursor", shared::CURSOR_INVALID))
    }
}
