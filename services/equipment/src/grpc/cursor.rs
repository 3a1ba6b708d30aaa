//! Cursors of this service's lists. What a cursor says is checked before it meets the database.

use chrono::Datelike as _;
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::page::Page;

use crate::store::TimeKey;
use crate::store::equipment::Key;

/// A page of a list sorted by name.
pub fn by_name(request: Option<&PageRequest>) -> Result<Page<Key>, Failure> {
    let page = Page::from_request(request)?;
    check(page, |(name, _): &Key| !name.contains('\0'))
}

/// A page of a list sorted by time.
pub fn by_time(request: Option<&PageRequest>) -> Result<Page<TimeKey>, Failure> {
    let page = Page::from_request(request)?;
    check(page, |(at, _): &TimeKey| (1..=9999).contains(&at.year()))
}

fn check<K>(page: Page<K>, storable: impl Fn(&K) -> bool) -> Result<Page<K>, Failure> {
    if page.after.as_ref().is_none_or(storable) {
        Ok(page)
    } else {
        Err(Failure::field("cursor", "Is not a cursor of this list."))
    }
}
