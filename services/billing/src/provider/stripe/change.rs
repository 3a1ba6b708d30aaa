//! Changes of subscriptions at Stripe.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use stripe_billing::subscription::{
    CancelSubscription, RetrieveSubscription, UpdateSubscription,
    UpdateSubscriptionAddInvoiceItems, UpdateSubscriptionAddInvoiceItemsPriceData,
    UpdateSubscriptionBillingCycleAnchor, UpdateSubscriptionBillingCycleAnchorType,
    UpdateSubscriptionItems, UpdateSubscriptionPauseCollection,
    UpdateSubscriptionPauseCollectionBehavior, UpdateSubscriptionPaymentBehavior,
    UpdateSubscriptionProrationBehavior, UpdateSubscriptionTrialEnd,
};
use stripe_client_core::{RequestBuilder, StripeMethod, StripeRequest as _};
use stripe_types::Currency;

use super::StripePayments;
use super::api::is_missing;
use super::wire::{Named, PAID_UNTIL, PAUSED_UNTIL, Subscription, time};
use crate::catalogue::product_id;
use crate::domain::proration::prorate;
use crate::provider::{Offer, PaymentError};
use crate::store::prices::StoredPrice;

/// An update that clears `pause_collection`, which the library's builder cannot send.
#[derive(Default, Serialize)]
struct ResumeUpdate {
    pause_collection: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel_at_period_end: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel_at: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trial_end: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    billing_cycle_anchor: Option<UpdateSubscriptionBillingCycleAnchor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proration_behavior: Option<UpdateSubscriptionProrationBehavior>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_behavior: Option<UpdateSubscriptionPaymentBehavior>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<HashMap<&'static str, String>>,
}

impl ResumeUpdate {
    /// Moves the end of a period that the rest of a pause would move.
    fn without_rest_of_pause(subscription: &Subscription, now: DateTime<Utc>) -> Self {
        let end = subscription.end_without_pause(now);
        let paid = end.filter(|_| subscription.is_moved());
        Self {
            trial_end: end,
            proration_behavior: end.map(|_| UpdateSubscriptionProrationBehavior::None),
            metadata: paid.map(|end| HashMap::from([(PAID_UNTIL, end.to_string())])),
            ..Self::default()
        }
    }
}

impl StripePayments {
    /// Does nothing if `offer` is already the current one. A declined card changes nothing.
    pub(super) async fn change_plan(
        &self,
        subscription_id: &str,
        offer: Offer,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        let subscription = self.subscription(subscription_id).await?;
        let item = subscription.item()?;
        let before = self.offers.of(&item.price.id).await?;
        if before.offer == offer {
            return Ok(());
        }
        // Invoices are voided during a pause, so a better plan would be free.
        if subscription.pause_collection.is_some() || subscription.is_past_due() {
            return Err(not_allowed());
        }
        let price_id = self.offers.sold(offer).await?;
        let after = self.offers.of(&price_id).await?;
        let mut item_update = UpdateSubscriptionItems::new();
        item_update.id = Some(item.id.clone());
        item_update.price = Some(price_id);
        item_update.quantity = Some(1);
        let mut update = UpdateSubscription::new(subscription_id)
            .items(vec![item_update])
            .payment_behavior(UpdateSubscriptionPaymentBehavior::ErrorIfIncomplete);
        let none = UpdateSubscriptionProrationBehavior::None;
        update = if subscription.period_began_in_pause() {
            // The period was not paid, so there is no credit.
            update
                .billing_cycle_anchor(billing_cycle_now())
                .proration_behavior(none)
        } else if subscription.is_moved() {
            update
                .trial_end(UpdateSubscriptionTrialEnd::Now)
                .add_invoice_items(vec![unused(&subscription, &before, now)])
                .proration_behavior(none)
        } else if subscription.is_trialing() {
            update.proration_behavior(none)
        } else {
            update.proration_behavior(proration(&before, &after))
        };
        let _: Named = self.api.write(update.build(), key).await?;
        Ok(())
    }

    /// Invoices that are due until `until` are voided. A trial moves the end of the period by the
    /// length of the pause.
    pub(super) async fn pause(
        &self,
        subscription_id: &str,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        let subscription = self.subscription(subscription_id).await?;
        if subscription.is_past_due() || subscription.is_canceling() {
            return Err(not_allowed());
        }
        if let Some(paused) = subscription.paused_until(now)? {
            let is_same = paused.timestamp() == until.timestamp();
            return if is_same { Ok(()) } else { Err(not_allowed()) };
        }
        let mut pause =
            UpdateSubscriptionPauseCollection::new(UpdateSubscriptionPauseCollectionBehavior::Void);
        pause.resumes_at = Some(until.timestamp());
        let mut update = UpdateSubscription::new(subscription_id).pause_collection(pause);
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
            update = update
                .trial_end(UpdateSubscriptionTrialEnd::Timestamp(end))
                .proration_behavior(UpdateSubscriptionProrationBehavior::None)
                .metadata(metadata);
        }
        let _: Named = self.api.write(update.build(), key).await?;
        Ok(())
    }

    /// A period that began in the pause was not collected: a new one begins and is paid now. A
    /// declined card changes nothing.
    pub(super) async fn resume(
        &self,
        subscription_id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        let subscription = self.subscription(subscription_id).await?;
        let paused = subscription.pause_collection.is_some();
        if !paused && !subscription.is_canceling() {
            return Ok(());
        }
        let by_date = subscription.cancel_at.is_some() && !subscription.cancel_at_period_end;
        let mut update = ResumeUpdate {
            // Stripe accepts only one of the two.
            cancel_at: by_date.then_some(""),
            cancel_at_period_end: (!by_date).then_some(false),
            ..ResumeUpdate::without_rest_of_pause(&subscription, now)
        };
        if paused && subscription.period_began_in_pause() {
            update.billing_cycle_anchor = Some(billing_cycle_now());
            update.proration_behavior = Some(UpdateSubscriptionProrationBehavior::None);
            let strict = UpdateSubscriptionPaymentBehavior::ErrorIfIncomplete;
            update.payment_behavior = Some(strict);
        }
        self.send_resume_update(subscription_id, &update, key).await
    }

    /// A declined card leaves the subscription past due from now, so that its grace period starts.
    pub(super) async fn begin_period(
        &self,
        subscription_id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        let subscription = self.subscription(subscription_id).await?;
        let is_paused = subscription.paused_until(now)?.is_some();
        let stays = is_paused || subscription.is_canceling() || subscription.is_past_due();
        if subscription.is_ended() || stays || !subscription.period_began_in_pause() {
            return Ok(());
        }
        // Stripe may not have ended the pause yet and would void this invoice too.
        let update = ResumeUpdate {
            billing_cycle_anchor: Some(billing_cycle_now()),
            proration_behavior: Some(UpdateSubscriptionProrationBehavior::None),
            payment_behavior: Some(UpdateSubscriptionPaymentBehavior::AllowIncomplete),
            ..ResumeUpdate::default()
        };
        self.send_resume_update(subscription_id, &update, key).await
    }

    /// Cancels now if the current period was not collected.
    pub(super) async fn cancel_at_period_end(
        &self,
        subscription_id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        let subscription = self.subscription(subscription_id).await?;
        if subscription.is_past_due() || subscription.period_began_in_pause() {
            return self.cancel_now(subscription_id, false, key).await;
        }
        let update = ResumeUpdate {
            cancel_at_period_end: Some(true),
            ..ResumeUpdate::without_rest_of_pause(&subscription, now)
        };
        self.send_resume_update(subscription_id, &update, key).await
    }

    /// Does nothing if the subscription has ended.
    pub(super) async fn cancel_now(
        &self,
        subscription_id: &str,
        credit: bool,
        key: &str,
    ) -> Result<(), PaymentError> {
        let mut cancel = CancelSubscription::new(subscription_id);
        if credit {
            // The invoice of the unused part becomes credit of the customer.
            cancel = cancel.prorate(true).invoice_now(true);
        }
        let Err(error) = self.api.write::<Named>(cancel.build(), key).await else {
            return Ok(());
        };
        // Stripe answers a cancellation of an ended subscription with "missing", but still returns
        // it.
        if is_missing(&error) && self.subscription(subscription_id).await?.is_ended() {
            return Ok(());
        }
        Err(error)
    }

    async fn send_resume_update(
        &self,
        subscription_id: &str,
        update: &ResumeUpdate,
        key: &str,
    ) -> Result<(), PaymentError> {
        let path = format!("/subscriptions/{subscription_id}");
        let request = RequestBuilder::new(StripeMethod::Post, path).form(update);
        let _: Named = self.api.write(request, key).await?;
        Ok(())
    }

    /// Includes the invoice of the current period.
    async fn subscription(&self, subscription_id: &str) -> Result<Subscription, PaymentError> {
        let retrieve = RetrieveSubscription::new(subscription_id);
        let retrieve = retrieve.expand(vec!["latest_invoice".to_owned()]);
        self.api.read(retrieve.build()).await
    }
}

fn billing_cycle_now() -> UpdateSubscriptionBillingCycleAnchor {
    UpdateSubscriptionBillingCycleAnchor::new(UpdateSubscriptionBillingCycleAnchorType::Now)
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
