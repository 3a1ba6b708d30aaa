//! Time and checkout payments of the fake.

use chrono::{DateTime, TimeDelta, Utc};

use super::world::{Pause, Subscription, World};

/// Days after a failed renewal on which it is retried; after the last the subscription ends.
const RETRIES: [i64; 4] = [1, 3, 8, 14];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Resume,
    Retry,
    Period,
}

impl World {
    /// Moves the clock and processes everything due in order.
    pub fn advance(&mut self, to: DateTime<Utc>) {
        while let Some((at, due, index)) = self.next().filter(|(at, ..)| *at <= to) {
            self.now = self.now.max(at);
            match due {
                Due::Resume => {
                    self.subscriptions[index].pause = None;
                    self.push_subscription_event(index, "updated");
                }
                Due::Retry => self.retry(index),
                Due::Period => self.renew(index),
            }
        }
        self.now = self.now.max(to);
        let over: Vec<String> = self
            .sessions
            .values_mut()
            .filter(|session| session.status == "open" && session.expires_at <= to)
            .map(|session| {
                session.status = "expired";
                session.id.clone()
            })
            .collect();
        for id in over {
            let object = self.sessions[&id].object();
            self.push_event("checkout.session.expired", &object);
        }
    }

    fn next(&self) -> Option<(DateTime<Utc>, Due, usize)> {
        let all = self.subscriptions.iter().enumerate();
        let running =
            all.filter(|(_, one)| matches!(one.status, "active" | "past_due" | "trialing"));
        running
            .flat_map(|(index, one)| {
                let (begin, end) = self.period(one);
                let resume = one
                    .pause
                    .and_then(|pause| pause.until)
                    .map(|at| (at, Due::Resume, index));
                let retry = (one.status == "past_due").then(|| {
                    let days = RETRIES[usize::try_from(one.tries).unwrap()];
                    (begin + TimeDelta::days(days), Due::Retry, index)
                });
                let last = one.cancel_at.map_or(end, |at| at.min(end));
                [resume, retry, Some((last, Due::Period, index))]
            })
            .flatten()
            .min()
    }

    fn renew(&mut self, index: usize) {
        let one = &self.subscriptions[index];
        if one.cancel_at_period_end || one.cancel_at.is_some_and(|at| at <= self.now) {
            return self.end(index);
        }
        let (cents, paused) = (self.amount(&one.price), one.pause.is_some());
        self.subscriptions[index].begin_next();
        self.subscriptions[index].tries = 0;
        if paused {
            self.bill(index, cents, "void");
        } else if self.declines {
            self.subscriptions[index].status = "past_due";
            self.bill(index, cents, "open");
        } else {
            self.bill(index, cents, "paid");
        }
        self.push_subscription_event(index, "updated");
    }

    fn retry(&mut self, index: usize) {
        if !self.declines {
            return self.refresh_status(index);
        }
        self.subscriptions[index].tries += 1;
        if self.subscriptions[index].tries >= u32::try_from(RETRIES.len()).unwrap() {
            self.end(index);
        }
    }

    /// Pays the open invoice.
    pub fn refresh_status(&mut self, index: usize) {
        let id = self.subscriptions[index].id.clone();
        let mut paid = Vec::new();
        for invoice in &mut self.invoices {
            if invoice.subscription == id && invoice.status == "open" {
                invoice.status = "paid";
                paid.push(invoice.object());
            }
        }
        for object in paid {
            self.push_event("invoice.paid", &object);
        }
        self.subscriptions[index].status = "active";
        self.push_subscription_event(index, "updated");
    }

    pub fn end(&mut self, index: usize) {
        let now = self.now;
        let one = &mut self.subscriptions[index];
        one.status = "canceled";
        one.canceled_at.get_or_insert(now);
        one.ended_at = Some(now);
        one.pause = None;
        self.push_subscription_event(index, "deleted");
    }

    /// Pays a checkout. Returns false if it is closed or the card declines.
    pub fn pay(&mut self, session_id: &str) -> bool {
        let session = self.sessions[session_id].clone();
        if session.status != "open" || session.expires_at <= self.now || self.declines {
            return false;
        }
        let index = self.subscribe(&session.customer, &session.price, "active");
        self.subscriptions[index].metadata = session.metadata;
        let trial = session.trial_end.is_some();
        if trial {
            self.subscriptions[index].status = "trialing";
            self.subscriptions[index].trial_end = session.trial_end;
        }
        let id = self.subscriptions[index].id.clone();
        let open = self.sessions.get_mut(session_id).unwrap();
        open.status = "complete";
        open.subscription = Some(id);
        let object = open.object();
        let cents = if trial {
            0
        } else {
            self.amount(&session.price)
        };
        self.bill(index, cents, "paid");
        self.push_subscription_event(index, "created");
        self.push_event("checkout.session.completed", &object);
        true
    }

    /// Pauses the first subscription by hand.
    pub fn hold(&mut self, until: DateTime<Utc>) {
        self.subscriptions[0].pause = Some(Pause { until: Some(until) });
        self.push_subscription_event(0, "updated");
    }

    pub fn subscribe(&mut self, customer: &str, price: &str, status: &'static str) -> usize {
        let subscription = Subscription {
            id: self.new_id("sub"),
            item: self.new_id("si"),
            customer: customer.to_owned(),
            price: price.to_owned(),
            metadata: super::world::Metadata::new(),
            created: self.now,
            status,
            anchor: self.now,
            periods: 0,
            trial_end: None,
            cancel_at_period_end: false,
            cancel_at: None,
            canceled_at: None,
            ended_at: None,
            pause: None,
            latest_invoice: String::new(),
            pending: 0,
            tries: 0,
        };
        self.subscriptions.push(subscription);
        self.subscriptions.len() - 1
    }
}

impl Subscription {
    /// Begins the next period; a trial's end starts a new count.
    pub fn begin_next(&mut self) {
        match self.trial_end.take() {
            Some(end) => {
                (self.anchor, self.periods, self.status) = (end, 0, "active");
            }
            None => self.periods += 1,
        }
    }
}
