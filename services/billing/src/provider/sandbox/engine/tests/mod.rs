//! Tests of the engine.

mod changes;
mod checkouts;
mod random;
mod time;

use serde_json::Value;
use uuid::Uuid;

use super::*;
use crate::domain::plan::{PLANS, Tier};
use crate::domain::subscription::Interval;
use crate::provider::PaymentStatus;
use crate::provider::sandbox::account::{Event, Invoice, InvoiceStatus};

const PRO_MONTH: Offer = offer(Tier::Professional, Interval::Month);
const PRO_YEAR: Offer = offer(Tier::Professional, Interval::Year);
const TOP_MONTH: Offer = offer(Tier::Enterprise, Interval::Month);
const BASIC_MONTH: Offer = offer(Tier::Basic, Interval::Month);

const fn offer(tier: Tier, interval: Interval) -> Offer {
    Offer { tier, interval }
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

fn day(text: &str) -> DateTime<Utc> {
    at(&format!("{text}T08:00:00Z"))
}

/// An account that has paid `offer`, and its subscription's id.
fn subscribed(offer: Offer, now: DateTime<Utc>) -> (Account, String) {
    let mut account = Account::new(Uuid::nil(), now);
    let id = buy(&mut account, offer, now);
    account.outbox.clear();
    (account, id)
}

fn buy(account: &mut Account, offer: Offer, now: DateTime<Utc>) -> String {
    let key = format!("key {}", account.serial);
    let checkout = account.open_checkout(offer, None, now, &key);
    account.pay(&checkout.id, now).expect("paid");
    account.subscriptions(now)[0].subscription_id.clone()
}

/// Pauses as the last release did: the end of the period stays.
fn hold(account: &mut Account, until: DateTime<Utc>) {
    account.subscriptions[0].paused_until = Some(until);
}

fn newest(account: &mut Account, now: DateTime<Utc>) -> ProviderSubscription {
    account.subscriptions(now).swap_remove(0)
}

/// Removes the queued events and returns their types.
fn take_event_types(account: &mut Account) -> Vec<String> {
    let events = std::mem::take(&mut account.outbox);
    let kind = |event: &Event| event.body["type"].as_str().map(Into::into);
    events.iter().filter_map(kind).collect()
}

/// Cents and status of each invoice.
fn billed(account: &Account) -> Vec<(i64, InvoiceStatus)> {
    let invoices = account.invoices.iter();
    invoices
        .map(|invoice| (invoice.cents, invoice.status))
        .collect()
}

/// Sold cents equal card payments minus remaining credit.
fn assert_balanced(account: &Account) {
    let paid = account
        .invoices
        .iter()
        .filter(|invoice| invoice.status == InvoiceStatus::Paid);
    let (sold, card) = paid.fold((0, 0), |(sold, card), invoice| {
        (sold + invoice.cents, card + invoice.card_cents)
    });
    assert_eq!(sold, card - account.balance_cents, "{account:?}");
    assert!(account.balance_cents >= 0);
    let unpaid = account
        .invoices
        .iter()
        .filter(|invoice| invoice.status != InvoiceStatus::Paid);
    assert_eq!(unpaid.map(|invoice| invoice.card_cents).sum::<i64>(), 0);
}
