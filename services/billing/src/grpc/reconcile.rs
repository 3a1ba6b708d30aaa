//! Reconciles a company's row with the payment provider and the clock.
//!
//! No transaction is open during provider calls. A read takes a ticket first and is stored only if
//! no later read was stored, so answers that arrive out of order cannot overwrite newer state. If
//! the process is killed, the next event or scheduled check repeats the read.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::accounts::v1::Scope;
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::notifications::v1::{Fact, FailedPayment};
use hourmeter_runtime::audit::{self, AuditContext, AuditEntry};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::{Event, Topic};
use hourmeter_runtime::facts::store_fact;
use hourmeter_runtime::identity::Tenant;
use uuid::Uuid;

use super::Billing;
use crate::domain::actions::{Action, State};
use crate::domain::changes::{ChangeName, diff};
use crate::domain::due::{self, CheckContext};
use crate::domain::reconcile::{
    current_subscription, duplicates, reconcile, refresh_status, uncollectible,
};
use crate::domain::subscription::Subscription;
use crate::provider::{Change, Payer, PaymentError, ProviderSubscription};
use crate::store::payments::{self, PaymentState, PendingChange};
use crate::store::{due as due_store, subscriptions};
use crate::webhook::ProviderEvent;

/// How long a change found at the provider is attributed to the request that asked for it.
const PENDING_CHANGE_TTL: TimeDelta = TimeDelta::hours(1);

/// Stripe repeats its first response to a key for at least a day, even an error. Keys of calls that
/// may be repeated safely therefore contain the time, in steps of this many seconds.
pub(super) const HOUR: i64 = 3600;
/// For calls that collect money.
const DAY: i64 = 24 * HOUR;

/// Result of a read from the provider.
struct Snapshot {
    ticket: i64,
    subscriptions: Vec<ProviderSubscription>,
    now: DateTime<Utc>,
    /// The checkout that cannot be paid any more.
    closed_checkout: Option<String>,
    /// A cancellation at the provider may have failed.
    needs_retry: bool,
}

impl Billing {
    /// Reads the company's subscriptions from the provider and updates its row; `event` is recorded
    /// in the same transaction. Without a customer only time changes the row.
    #[tracing::instrument(name = "billing.read_subscriptions", level = "debug", skip_all)]
    pub(crate) async fn reconcile(
        &self,
        tenant: Tenant,
        event: Option<&ProviderEvent>,
    ) -> Result<Subscription, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let ticket = payments::next_ticket(&mut tx).await?;
        let ticket = ticket.ok_or_else(ServiceError::not_found)?;
        let row = self.find(&mut tx).await?;
        let payment_state = payments::payment_state(&mut tx, self.payments.name()).await?;
        tx.commit().await?;
        let snapshot = match payer(tenant, &row) {
            Some(payer) => {
                let read = self.read_provider(&payer, &row, &payment_state, ticket);
                Some(read.await?)
            }
            None => None,
        };
        self.store(tenant, snapshot, event).await
    }

    /// Updates the row of a company without a customer to the current time.
    pub(super) async fn refresh_status(
        &self,
        tenant: Tenant,
    ) -> Result<Subscription, ServiceError> {
        self.store(tenant, None, None).await
    }

    async fn read_provider(
        &self,
        payer: &Payer,
        row: &Subscription,
        payment_state: &PaymentState,
        ticket: i64,
    ) -> Result<Snapshot, PaymentError> {
        let now = row.now(self.clock.now());
        let mut subscriptions = self.payments.subscriptions(payer, now).await?;
        if let Some(unpaid) = unpaid_after_pause(&subscriptions) {
            self.begin_or_cancel(payer, unpaid, now).await?;
            subscriptions = self.payments.subscriptions(payer, now).await?;
            // An unpaid period is never stored as paid: the next check tries again.
            if unpaid_after_pause(&subscriptions).is_some() {
                let still = "the period after a pause is still unpaid";
                return Err(PaymentError::Unavailable(still.into()));
            }
        }
        let company = payer.tenant.company_id();
        let hour = bucket(now, HOUR);
        let mut needs_retry = false;
        for older in duplicates(&subscriptions) {
            let id = &older.subscription_id;
            let key = format!("{company}:cancel-older:{id}:{hour}");
            let cancel = Change::CancelNow { credit: true };
            if let Err(error) = self.payments.change(payer, id, cancel, now, &key).await {
                tracing::warn!(
                    ?error,
                    "failed to cancel duplicate subscription; will retry"
                );
                needs_retry = true;
            }
        }
        let reconciled = reconcile(row, &subscriptions, now);
        if let Some(unpaid) = uncollectible(&reconciled, &subscriptions) {
            // Access has ended, so it must not be collected any more.
            let id = &unpaid.subscription_id;
            let begun = unpaid.period_start.timestamp();
            let key = format!("{company}:end-unpaid:{id}:{begun}:{hour}");
            let cancel = Change::CancelNow { credit: false };
            if let Err(error) = self.payments.change(payer, id, cancel, now, &key).await {
                tracing::warn!(?error, "failed to cancel unpaid subscription; will retry");
                needs_retry = true;
            }
        }
        let mut closed_checkout = None;
        if let Some(opened) = &payment_state.opened {
            let id = &opened.checkout.id;
            let mut is_closed = opened.checkout.expires_at <= now;
            let sold = State::of(&reconciled, now).check(Action::Checkout).is_err();
            if sold && !is_closed {
                is_closed = self.payments.close_checkout(payer, id).await.is_ok();
            }
            closed_checkout = is_closed.then(|| id.clone());
        }
        Ok(Snapshot {
            ticket,
            subscriptions,
            now,
            closed_checkout,
            needs_retry,
        })
    }

    /// After a pause, an uncollected period is not continued: a new one begins and is paid now, or
    /// the subscription ends now if it was canceled.
    async fn begin_or_cancel(
        &self,
        payer: &Payer,
        unpaid: &ProviderSubscription,
        now: DateTime<Utc>,
    ) -> Result<(), PaymentError> {
        let (company, id) = (payer.tenant.company_id(), &unpaid.subscription_id);
        let begun = unpaid.period_start.timestamp();
        let (change, name, step) = if unpaid.cancel_at_period_end {
            (Change::CancelNow { credit: false }, "end", HOUR)
        } else {
            (Change::BeginPeriod, "begin", DAY)
        };
        let key = format!("{company}:{name}:{id}:{begun}:{}", bucket(now, step));
        match self.payments.change(payer, id, change, now, &key).await {
            // The state there has changed; the next read shows it.
            Err(PaymentError::Refused(reason) | PaymentError::Declined(reason)) => {
                tracing::warn!(reason, "failed to begin the period after a pause");
                Ok(())
            }
            other => other,
        }
    }

    async fn store(
        &self,
        tenant: Tenant,
        snapshot: Option<Snapshot>,
        event: Option<&ProviderEvent>,
    ) -> Result<Subscription, ServiceError> {
        let real = self.clock.now();
        let mut tx = self.database.tenant(tenant).await?;
        let before = self.lock(&mut tx).await?;
        let mut payment_state = payments::payment_state(&mut tx, self.payments.name()).await?;
        if let Some(event) = event
            && !due_store::record_event(&mut tx, event, real).await?
        {
            return Ok(before);
        }
        let mut after = before.clone();
        let mut needs_retry = false;
        match &snapshot {
            Some(snapshot) if snapshot.ticket <= payment_state.followed_ticket => {
                tx.commit().await?;
                return Ok(before);
            }
            Some(snapshot) => {
                after = reconcile(&before, &snapshot.subscriptions, snapshot.now);
                needs_retry = snapshot.needs_retry;
                payments::set_stored_ticket(&mut tx, snapshot.ticket).await?;
                if let Some(id) = &snapshot.closed_checkout {
                    payments::clear_checkout(&mut tx, id).await?;
                    // A concurrent call may have opened another one.
                    payment_state.opened = payment_state
                        .opened
                        .filter(|opened| opened.checkout.id != *id);
                }
            }
            // The customer was created meanwhile: the provider decides what the time means.
            None if before.customer_id.is_some() => {}
            None => refresh_status(&mut after, before.now(real)),
        }
        let has_changed = after != before;
        if has_changed {
            after.updated_at = real;
            subscriptions::save(&mut tx, &after).await?;
            if let Some(until) = after.grace_end(after.now(real))
                && !before.payment_failed
            {
                store_fact(&mut tx, tenant, &failed_payment(until, real)).await?;
            }
            let pending_change = payment_state.pending_change.as_ref();
            if record_changes(&mut tx, pending_change, &before, &after, real).await? {
                payments::clear_pending_change(&mut tx).await?;
            }
        }
        let quiet_looks = match event {
            _ if has_changed => 0,
            // Events repeat the same state, so they do not count as checks.
            Some(_) => payment_state.quiet_looks,
            None => payment_state.quiet_looks.saturating_add(1),
        };
        let check = CheckContext {
            awaits_provider: needs_retry || payment_state.opened.is_some(),
            quiet_looks,
        };
        let next = due::next(&after, check, real);
        due_store::set_next_check(&mut tx, next, quiet_looks).await?;
        tx.commit().await?;
        if has_changed {
            self.publish_change(tenant);
        }
        Ok(after)
    }

    pub(crate) fn publish_change(&self, tenant: Tenant) {
        self.events.publish(Event {
            company_id: tenant.company_id(),
            topic: Topic::Subscription,
            person_id: None,
            equipment_id: None,
        });
    }

    /// Returns the company's subscription or fails with not found.
    pub(super) async fn find(&self, tx: &mut TenantTx) -> Result<Subscription, ServiceError> {
        let row = subscriptions::find(tx, self.payments.name()).await?;
        row.ok_or_else(ServiceError::not_found)
    }

    /// Locks the row until the transaction ends.
    pub(super) async fn lock(&self, tx: &mut TenantTx) -> Result<Subscription, ServiceError> {
        let row = subscriptions::lock(tx, self.payments.name()).await?;
        row.ok_or_else(ServiceError::not_found)
    }

    /// Stores the row and the time of its next check.
    pub(super) async fn save(
        &self,
        tx: &mut TenantTx,
        row: &mut Subscription,
    ) -> Result<(), ServiceError> {
        let real = self.clock.now();
        row.updated_at = real;
        subscriptions::save(tx, row).await?;
        let payment_state = payments::payment_state(tx, self.payments.name()).await?;
        let check = CheckContext {
            awaits_provider: payment_state.opened.is_some(),
            quiet_looks: 0,
        };
        let next = due::next(row, check, real);
        due_store::set_next_check(tx, next, 0).await
    }
}

/// The current subscription if its period was not collected and its pause is over.
fn unpaid_after_pause(subscriptions: &[ProviderSubscription]) -> Option<&ProviderSubscription> {
    current_subscription(subscriptions).filter(|subscription| subscription.is_unpaid_after_pause())
}

/// The number of the `seconds` interval that contains `now`.
pub(super) fn bucket(now: DateTime<Utc>, seconds: i64) -> i64 {
    now.timestamp().div_euclid(seconds)
}

/// The company's customer at the provider; `None` before its first checkout.
pub(super) fn payer(tenant: Tenant, row: &Subscription) -> Option<Payer> {
    let customer_id = row.customer_id.clone()?;
    Some(Payer {
        tenant,
        customer_id,
    })
}

/// Of a renewal that was not paid; access ends at `access_until`.
fn failed_payment(access_until: DateTime<Utc>, now: DateTime<Utc>) -> Fact {
    Fact {
        key: format!("payment:{}", Uuid::now_v7()),
        happened_at: Some(timestamp(now)),
        actor_id: String::new(),
        what: Some(What::FailedPayment(FailedPayment {
            access_until: Some(timestamp(access_until)),
        })),
    }
}

/// Writes the changes to the company's audit log. Returns true if the pending change caused one.
async fn record_changes(
    tx: &mut TenantTx,
    pending: Option<&PendingChange>,
    before: &Subscription,
    after: &Subscription,
    real: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let pending = pending.filter(|pending| real - pending.at < PENDING_CHANGE_TTL);
    let mut is_requested = false;
    for name in diff(before, after) {
        let cause = pending.filter(|pending| pending.words.iter().any(|word| word == name));
        let context = cause.map_or_else(system_actor, PendingChange::audit_context);
        // It ended now because the person canceled it.
        let is_canceled = cause.is_some() && name == "expired";
        let name = if is_canceled { "canceled" } else { name };
        is_requested |= cause.is_some();
        record_change(tx, &context, after, name).await?;
    }
    Ok(is_requested)
}

pub(super) async fn record_change(
    tx: &mut TenantTx,
    context: &AuditContext,
    row: &Subscription,
    name: ChangeName,
) -> Result<(), ServiceError> {
    let tenant = tx.tenant();
    let entry = AuditEntry::success(AuditEventType::PlanChanged)
        .target(tenant.company_id(), row.tier.name())
        .detail(name);
    audit::record(tx, tenant, context, &entry).await
}

/// The actor of changes by the provider or by time.
pub(super) fn system_actor() -> AuditContext {
    AuditContext {
        request_id: Uuid::now_v7(),
        address_prefix: String::new(),
        actor_id: None,
        actor_name: String::new(),
        scope: Scope::Unspecified,
        browser: String::new(),
    }
}
