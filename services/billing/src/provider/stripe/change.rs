//! Changes of subscriptions at Stripe.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use stripe_billing::subscription::{
    CancelSubscription, RetrieveSubscription, UpdateSubscription,
    UpdateSubscriptionAddInvoiceItems, UpdateSubscriptionAddInvoiceItemsPriceData,
    UpdateSubscriptionBillingCycleAnchor, UpdateSubscriptionBillingCycleAnchorType,
    UpdateSubscriptionItems, UpdateSubscriptionPauseCollection,
    UpdateSubscriptionPauseCollectionBehavior, UpdateSubscriptionPaymentBehavior,
    UpdateSubscriptionProrationBehavior, UpdateSubscriptionTrialEnd,
};
use stripe_client_core::{RequestBuilder, StripeRequest as _};
use stripe_types::Currency;

use super::StripePayments;
use super::api::is_missing;
use super::wire::{Named, PAID_UNTIL, PAUSED_UNTIL, Subscription, time};
use crate::catalogue::product_id;
use crate::domain::proration::prorate;
use crate::provider::{Offer, PaymentError};
use crate::store::prices::StoredPrice;

/// The update that makes a change; `None` if there is nothing to change.
type Update = Result<Option<RequestBuilder>, PaymentError>;

impl StripePayments {
    /// A declined card changes nothing.
    pub(super) async fn plan_update(&self, id: &str, offer: Offer, now: DateTime<Utc>) -> Update {
        let subscription = self.subscription(id).await?;
        let item = subscription.item()?;
        let before = self.offers.of(&item.price.id).await?;
        if before.offer == offer {
            return Ok(None);
        }
        // Invoices are voided during a pause, so a better plan would be free.
        if subscription.pause_collection.is_some() || subscription.is_past_due() {
            return Err(not_allowed());
        }
        let after = self.offers.sold(offer).await?;
        let proration = proration(&before, &after);
        let mut item_update = UpdateSubscriptionItems::new();
        item_update.id = Some(item.id.clone());
        item_update.price = Some(after.price_id);
        item_update.quantity = Some(1);
        let update = UpdateSubscription::new(id)
            .items(vec![item_update])
            .payment_behavior(UpdateSubscriptionPaymentBehavior::ErrorIfIncomplete);
        let none = UpdateSubscriptionProrationBehavior::None;
        let update = if subscription.period_began_in_pause() {
            // The period was not paid, so there is no credit.
            begin_period(update)
        } else if subscription.is_moved() {
            update
                .trial_end(UpdateSubscriptionTrialEnd::Now)
                .add_invoice_items(vec![unused(&subscription, &before, now)])
                .proration_behavior(none)
        } else if subscription.is_trialing() {
            update.proration_behavior(none)
        } else {
            update.proration_behavior(proration)
        };
        Ok(Some(update.build()))
    }

    /// Invoices that are due until `until` are voided. A trial moves the end of the period by the
    /// length of the pause.
    pub(super) async fn pause_update(
        &self,
        id: &str,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Update {
        let subscription = self.subscription(id).await?;
        if subscription.is_past_due() || subscription.is_canceling() {
            return Err(not_allowed());
        }
        match subscription.paused_until(now)? {
            Some(paused) if paused.timestamp() == until.timestamp() => return Ok(None),
            Some(_) => return Err(not_allowed()),
            None => {}
        }
        let mut pause =
            UpdateSubscriptionPauseCollection::new(UpdateSubscriptionPauseCollectionBehavior::Void);
        pause.resumes_at = Some(until.timestamp());
        let mut update = UpdateSubscription::new(id).pause_collection(pause);
        if let Some(end) = subscription.period_end()
            && !subscription.period_began_in_pause()
        {
            let end = end + (until.timestamp() - now.timestamp());
            let mut metadata =
                HashMap::from([(PAUSED_UNTIL.to_owned(), until.timestamp().to_string())]);
            // Nothing was paid for a trial.
            if !subscription.is_trialing() || subscription.is_moved() {
                metadata.insert(PAID_UNTIL.to_owned(), end.to_string());
            }
            update = move_end(update, end).metadata(metadata);
        }
        Ok(Some(update.build()))
    }

    /// A period that began in the pause was not collected: a new one begins and is paid now. A
    /// declined card changes nothing.
    pub(super) async fn resume_update(&self, id: &str, now: DateTime<Utc>) -> Update {
        let subscription = self.subscription(id).await?;
        let paused = subscription.pause_collection.is_some();
        if !paused && !subscription.is_canceling() {
            return Ok(None);
        }
        let mut update = without_rest_of_pause(&subscription, now);
        if paused && subscription.period_began_in_pause() {
            update = begin_period(update)
                .payment_behavior(UpdateSubscriptionPaymentBehavior::ErrorIfIncomplete);
        }
        // Stripe accepts only one of the two.
        if subscription.cancel_at.is_some() && !subscription.cancel_at_period_end {
            return Ok(Some(clear(&["pause_collection", "cancel_at"], &update)));
        }
        let update = update.cancel_at_period_end(false);
        Ok(Some(clear(&["pause_collection"], &update)))
    }

    /// A declined card leaves the subscription past due from now, so that its grace period starts.
    pub(super) async fn period_update(&self, id: &str, now: DateTime<Utc>) -> Update {
        let subscription = self.subscription(id).await?;
        let is_paused = subscription.paused_until(now)?.is_some();
        let stays = is_paused || subscription.is_canceling() || subscription.is_past_due();
        if subscription.is_ended() || stays || !subscription.period_began_in_pause() {
            return Ok(None);
        }
        let update = begin_period(UpdateSubscription::new(id))
            .payment_behavior(UpdateSubscriptionPaymentBehavior::AllowIncomplete);
        // Stripe may not have ended the pause yet and would void this invoice too.
        Ok(Some(clear(&["pause_collection"], &update)))
    }

    /// Cancels now if the current period was not collected.
    pub(super) async fn cancel_at_period_end(
        &self,
        id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        let subscription = self.subscription(id).await?;
        if subscription.is_past_due() || subscription.period_began_in_pause() {
            return self.cancel_now(id, false, key).await;
        }
        let update = without_rest_of_pause(&subscription, now).cancel_at_period_end(true);
        let update = clear(&["pause_collection"], &update);
        let _: Named = self.api.write(update, key).await?;
        Ok(())
    }

    /// Does nothing if the subscription has ended.
    pub(super) async fn cancel_now(
        &self,
        id: &str,
        credit: bool,
        key: &str,
    ) -> Result<(), PaymentError> {
        let mut cancel = CancelSubscription::new(id);
        if credit {
            // The invoice of the unused part becomes credit of the customer.
            cancel = cancel.prorate(true).invoice_now(true);
        }
        let Err(error) = self.api.write::<Named>(cancel.build(), key).await else {
            return Ok(());
        };
        // Stripe answers a cancellation of an ended subscription with "missing", but still returns
        // it.
        if is_missing(&error) && self.subscription(id).await?.is_ended() {
            return Ok(());
        }
        Err(error)
    }

    /// Includes the invoice of the current period.
    async fn subscription(&self, id: &str) -> Result<Subscription, PaymentError> {
        let retrieve = RetrieveSubscription::new(id).expand(vec!["latest_invoice".to_owned()]);
        self.api.read(retrieve.build()).await
    }
}

/// Adds fields that the update clears: an empty value, which the library's builder cannot send.
fn clear(fields: &[&str], update: &UpdateSubscription) -> RequestBuilder {
    let mut request = update.build();
    let cleared = fields.iter().map(|field| format!("{field}="));
    let set = request.body.filter(|set| !set.is_empty());
    request.body = Some(cleared.chain(set).collect::<Vec<_>>().join("&"));
    request
}

/// Moves the end of a period that the rest of a pause would move.
fn without_rest_of_pause(subscription: &Subscription, now: DateTime<Utc>) -> UpdateSubscription {
    let update = UpdateSubscription::new(subscription.id.as_str());
    let Some(end) = subscription.end_without_pause(now) else {
        return update;
    };
    let update = move_end(update, end);
    if subscription.is_moved() {
        update.metadata(HashMap::from([(PAID_UNTIL.to_owned(), end.to_string())]))
    } else {
        update
    }
}

/// Moves the end of the current period without a charge or credit.
fn move_end(update: UpdateSubscription, end: i64) -> UpdateSubscription {
    update
        .trial_end(UpdateSubscriptionTrialEnd::Timestamp(end))
        .proration_behavior(UpdateSubscriptionProrationBehavior::None)
}

/// Begins a period now, without credit for the current one.
fn begin_period(update: UpdateSubscription) -> UpdateSubscription {
    let now = UpdateSubscriptionBillingCycleAnchorType::Now;
    update
        .billing_cycle_anchor(UpdateSubscriptionBillingCycleAnchor::new(now))
        .proration_behavior(UpdateSubscriptionProrationBehavior::None)
}

fn not_allowed() -> PaymentError {
    PaymentError::Refused("the subscription's state does not allow it".to_owned())
}

/// The unused part of a paid period that a pause has moved, as a credit on the next invoice.
fn unused(
    subscription: &Subscription,
    price: &StoredPrice,
    now: DateTime<Utc>,
) -> UpdateSubscriptionAddInvoiceItems {
    let end = subscription.period_end().and_then(time).unwrap_or(now);
    let paid_time = (price.offer.interval.before(end), end);
    let product = product_id(price.offer.tier);
    let mut credit = UpdateSubscriptionAddInvoiceItemsPriceData::new(Currency::USD, product);
    credit.unit_amount = Some(-prorate(price.cents.into(), paid_time, now));
    let mut item = UpdateSubscriptionAddInvoiceItems::new();
    item.price_data = Some(credit);
    item
}

/// A higher price and another interval are invoiced now; a lower price becomes credit on later
/// invoices, so that nothing is paid out.
fn proration(before: &StoredPrice, after: &StoredPrice) -> UpdateSubscriptionProrationBehavior {
    let same_interval = before.offer.interval == after.offer.interval;
    if same_interval && after.cents <= before.cents {
        UpdateSubscriptionProrationBehavior::CreateProrations
    } else {
        UpdateSubscriptionProrationBehavior::AlwaysInvoice
    }
}
