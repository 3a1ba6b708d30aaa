use chrono::DateTime;
use serde_json::Value;

use super::form::Form;
use super::response::{Answer, Refused, declined, invalid, list, missing};
use super::world::{Invoice, Pause, Subscription, World};

impl World {
    pub fn list_subscriptions(&self, mut form: Form) -> Answer {
        let customer = self.known_customer(&mut form)?;
        let all = form.word("status", &["all"])?.is_some();
        let (after, limit) = (form.take("starting_after"), form.number("limit")?);
        let expand = form.word("expand[0]", &["data.latest_invoice"])?.is_some();
        form.finish()?;
        let found = self.subscriptions.iter().rev();
        let found =
            found.filter(|one| one.customer == customer && (all || one.status != "canceled"));
        let found = found.map(|one| self.expanded(one, expand)).collect();
        Ok(list("/v1/subscriptions", found, after.as_deref(), limit))
    }

    pub fn get_subscription(&self, id: &str, mut form: Form) -> Answer {
        let expand = form.word("expand[0]", &["latest_invoice"])?.is_some();
        form.finish()?;
        Ok(self.expanded(&self.subscriptions[self.place(id)?], expand))
    }

    /// With the invoice object instead of its id.
    fn expanded(&self, one: &Subscription, expand: bool) -> Value {
        let mut object = self.subscription(one);
        if expand {
            let mut invoices = self.invoices.iter();
            let invoice = invoices.find(|invoice| invoice.id == one.latest_invoice);
            object["latest_invoice"] = invoice.map_or(Value::Null, Invoice::object);
        }
        object
    }

    pub fn cancel_subscription(&mut self, id: &str, mut form: Form) -> Answer {
        let invoiced = form.flag("invoice_now")? == Some(true);
        let prorated = form.flag("prorate")? == Some(true);
        form.finish()?;
        let index = self.running(id)?;
        let one = &self.subscriptions[index];
        if invoiced && prorated && one.status == "active" {
            let unused = self.left(one, self.amount(&one.price));
            self.credit += unused;
        }
        self.end(index);
        Ok(self.subscription(&self.subscriptions[index]))
    }

    pub fn update_subscription(&mut self, id: &str, mut form: Form) -> Answer {
        let index = self.running(id)?;
        let before = self.subscriptions[index].clone();
        let mut after = before.clone();
        self.set_pause(&mut after, &mut form)?;
        self.set_end(&mut after, &mut form)?;
        let proration = ["always_invoice", "create_prorations", "none"];
        let proration = form.word("proration_behavior", &proration)?;
        let proration = proration.unwrap_or_else(|| "create_prorations".to_owned());
        let strict = form.word(
            "payment_behavior",
            &["error_if_incomplete", "allow_incomplete"],
        )?;
        let billing_cycle_now = form.word("billing_cycle_anchor[type]", &["now", "unchanged"])?;
        let billing_cycle_now = billing_cycle_now.as_deref() == Some("now");
        self.set_price(&mut after, &mut form)?;
        let trial = form.take("trial_end");
        let item = self.invoice_item(&mut form)?;
        after.metadata.extend(form.map("metadata"));
        form.finish()?;
        let bill = match &trial {
            Some(end) => Some(item + self.set_trial(&mut after, end, &proration)?),
            None => self.price_change(&before, &mut after, &proration, billing_cycle_now),
        };
        let paused = after.pause.is_some();
        if bill.is_some_and(|cents| cents + after.pending > 0) && self.declines && !paused {
            if strict.as_deref() == Some("error_if_incomplete") {
                return Err(declined());
            }
            after.status = "past_due";
            after.tries = 0;
        }
        let status = match after.status {
            _ if paused => "void",
            "past_due" => "open",
            _ => "paid",
        };
        self.subscriptions[index] = after;
        if let Some(cents) = bill {
            self.bill(index, cents, status);
        }
        self.push_subscription_event(index, "updated");
        Ok(self.subscription(&self.subscriptions[index]))
    }

    /// The cents that a new price or period makes due now, if any.
    fn price_change(
        &self,
        before: &Subscription,
        after: &mut Subscription,
        proration: &str,
        billing_cycle_now: bool,
    ) -> Option<i64> {
        let left = |cents: i64| self.left(before, cents);
        let unused = match proration {
            "none" => 0,
            _ => left(self.amount(&before.price)),
        };
        let interval = |one: &Subscription| &self.prices[&one.price]["recurring"]["interval"];
        if before.trial_end.is_some() {
            return None;
        }
        if billing_cycle_now || interval(before) != interval(after) {
            after.anchor = self.now;
            after.periods = 0;
            return Some(self.amount(&after.price) - unused);
        }
        if before.price == after.price || proration == "none" {
            return None;
        }
        let difference = left(self.amount(&after.price)) - unused;
        if proration == "always_invoice" {
            return Some(difference);
        }
        after.pending += difference;
        None
    }

    /// The share of `cents` for the rest of the period.
    fn left(&self, of: &Subscription, cents: i64) -> i64 {
        let (begin, end) = self.period(of);
        let (left, whole) = (end - self.now, end - begin);
        cents * left.num_seconds() / whole.num_seconds()
    }

    /// Cents of an item for the next invoice.
    fn invoice_item(&self, form: &mut Form) -> Result<i64, Refused> {
        let prefix = "add_invoice_items[0][price_data]";
        let Some(product) = form.take(&format!("{prefix}[product]")) else {
            return Ok(0);
        };
        if !self.products.contains_key(&product) {
            return Err(missing("product", prefix, &product));
        }
        form.word(&format!("{prefix}[currency]"), &["usd"])?;
        let cents = form.number(&format!("{prefix}[unit_amount]"))?;
        Ok(cents.unwrap_or(0))
    }

    /// Begins a trial, or ends it now. Returns the cents due.
    fn set_trial(
        &self,
        after: &mut Subscription,
        end: &str,
        proration: &str,
    ) -> Result<i64, Refused> {
        let refused = |sentence| Err(invalid(400, "", "trial_end", sentence));
        if proration != "none" {
            return refused("Not made in this program.");
        }
        if end == "now" {
            (after.trial_end, after.status) = (None, "active");
            (after.anchor, after.periods) = (self.now, 0);
            return Ok(self.amount(&after.price));
        }
        let end = DateTime::from_timestamp(end.parse().unwrap(), 0).unwrap();
        if end <= self.now {
            return refused("Timestamp must be in the future");
        }
        (after.trial_end, after.status) = (Some(end), "trialing");
        if after.cancel_at_period_end {
            after.cancel_at = Some(end);
        }
        Ok(0)
    }

    fn set_pause(&self, after: &mut Subscription, form: &mut Form) -> Result<(), Refused> {
        if let Some(none) = form.take("pause_collection") {
            if !none.is_empty() {
                return Err(invalid(400, "", "pause_collection", "Invalid object"));
            }
            after.pause = None;
        }
        let behaviors = ["void", "keep_as_draft", "mark_uncollectible"];
        let behavior = form.word("pause_collection[behavior]", &behaviors)?;
        let until = form.number("pause_collection[resumes_at]")?;
        let until = until.map(|at| DateTime::from_timestamp(at, 0).unwrap());
        if until.is_some_and(|until| until <= self.now) {
            let param = "pause_collection[resumes_at]";
            return Err(invalid(400, "", param, "Timestamp must be in the future"));
        }
        match behavior {
            Some(_) => after.pause = Some(Pause { until }),
            None if until.is_some() => {
                let param = "pause_collection[behavior]";
                return Err(invalid(
                    400,
                    "parameter_missing",
                    param,
                    "Missing behavior.",
                ));
            }
            None => {}
        }
        Ok(())
    }

    fn set_end(&self, after: &mut Subscription, form: &mut Form) -> Result<(), Refused> {
        let with_period = form.flag("cancel_at_period_end")?;
        let by_date = form.take("cancel_at");
        match (with_period, by_date.as_deref()) {
            (Some(_), Some(_)) => {
                let sentence = "You can only set one of cancel_at and cancel_at_period_end.";
                return Err(invalid(400, "", "cancel_at", sentence));
            }
            (Some(true), None) => {
                after.cancel_at_period_end = true;
                after.cancel_at = Some(self.period(after).1);
                after.canceled_at = Some(self.now);
            }
            (Some(false), None) | (None, Some("")) => {
                after.cancel_at_period_end = false;
                after.cancel_at = None;
                after.canceled_at = None;
            }
            (None, Some(_)) => {
                return Err(invalid(400, "", "cancel_at", "Not made in this program."));
            }
            (None, None) => {}
        }
        Ok(())
    }

    fn set_price(&self, after: &mut Subscription, form: &mut Form) -> Result<(), Refused> {
        let Some(item) = form.take("items[0][id]") else {
            return Ok(());
        };
        if item != after.item {
            return Err(missing("subscription_item", "items[0][id]", &item));
        }
        after.price = self.sold_price(form, "items[0][price]")?;
        form.number("items[0][quantity]")?;
        Ok(())
    }

    fn place(&self, id: &str) -> Result<usize, Refused> {
        let mut all = self.subscriptions.iter();
        let place = all.position(|one| one.id == id);
        place.ok_or_else(|| missing("subscription", "id", id))
    }

    /// A subscription that has not ended.
    fn running(&self, id: &str) -> Result<usize, Refused> {
        let index = self.place(id)?;
        if self.subscriptions[index].status == "canceled" {
            return Err(missing("subscription", "id", id));
        }
        Ok(index)
    }
}
