//! Routing of the fake's endpoints; customers and checkouts.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::form::Form;
use super::response::{Answer, Refused, invalid, missing};
use super::unknown_path;
use super::world::{Session, World};

impl World {
    pub fn call(&mut self, method: &str, path: &[&str], form: Form) -> Answer {
        match (method, path) {
            ("POST", ["customers"]) => self.create_customer(form),
            ("POST", ["checkout", "sessions"]) => self.create_session(form),
            ("GET", ["checkout", "sessions", id]) => self.session(id, form),
            ("POST", ["checkout", "sessions", id, "expire"]) => self.expire_session(id, form),
            ("POST", ["billing_portal", "sessions"]) => self.create_portal(form),
            ("GET", ["billing_portal", "configurations"]) => self.list_configurations(form),
            ("POST", ["billing_portal", "configurations"]) => self.create_configuration(form),
            ("GET", ["subscriptions"]) => self.list_subscriptions(form),
            ("GET", ["subscriptions", id]) => self.get_subscription(id, form),
            ("POST", ["subscriptions", id]) => self.update_subscription(id, form),
            ("DELETE", ["subscriptions", id]) => self.cancel_subscription(id, form),
            ("POST", ["products"]) => self.create_product(form),
            ("GET", ["products", id]) => self.product(id, form),
            ("POST", ["products", id]) => self.update_product(id, form),
            ("GET", ["prices"]) => self.list_prices(form),
            ("POST", ["prices"]) => self.create_price(form),
            ("POST", ["prices", id]) => self.update_price(id, form),
            _ => Err(unknown_path(method, path)),
        }
    }

    fn create_customer(&mut self, mut form: Form) -> Answer {
        let metadata = form.map("metadata");
        form.finish()?;
        let id = self.new_id("cus");
        let customer = json!({
            "id": id,
            "object": "customer",
            "livemode": false,
            "created": self.now.timestamp(),
            "metadata": metadata,
            "email": null,
            "name": null,
        });
        self.customers.insert(id, customer.clone());
        Ok(customer)
    }

    pub fn known_customer(&self, form: &mut Form) -> Result<String, Refused> {
        let customer = form.required("customer")?;
        if self.customers.contains_key(&customer) {
            return Ok(customer);
        }
        Err(missing("customer", "customer", &customer))
    }

    /// Takes a price parameter and checks that it is active.
    pub fn sold_price(&self, form: &mut Form, param: &str) -> Result<String, Refused> {
        let price = form.required(param)?;
        let Some(known) = self.prices.get(&price) else {
            return Err(missing("price", param, &price));
        };
        if known["active"] == Value::Bool(true) {
            return Ok(price);
        }
        let sentence = "The price specified is inactive. This field only accepts active prices.";
        Err(invalid(400, "", param, sentence))
    }

    fn create_session(&mut self, mut form: Form) -> Answer {
        if form.required("mode")? != "subscription" {
            return Err(invalid(
                400,
                "",
                "mode",
                "Only subscriptions are sold here.",
            ));
        }
        let customer = self.known_customer(&mut form)?;
        form.word("customer_update[address]", &["auto", "never"])?;
        form.word("customer_update[name]", &["auto", "never"])?;
        let price = self.sold_price(&mut form, "line_items[0][price]")?;
        if form.number("line_items[0][quantity]")? != Some(1) {
            return Err(invalid(
                400,
                "",
                "line_items[0][quantity]",
                "Quantity is required.",
            ));
        }
        let session = Session {
            id: self.new_id("cs_test"),
            customer,
            price,
            metadata: form.map("subscription_data[metadata]"),
            trial_end: self.trial_of_session(&mut form)?,
            success_url: form.required("success_url")?,
            cancel_url: form.required("cancel_url")?,
            status: "open",
            expires_at: self.now + TimeDelta::hours(24),
            subscription: None,
        };
        form.finish()?;
        let object = session.object();
        self.sessions.insert(session.id.clone(), session);
        Ok(object)
    }

    fn trial_of_session(&self, form: &mut Form) -> Result<Option<DateTime<Utc>>, Refused> {
        let param = "subscription_data[trial_end]";
        let end = form.number(param)?;
        let end = end.map(|at| DateTime::from_timestamp(at, 0).unwrap());
        if end.is_some_and(|end| end < self.now + TimeDelta::hours(48)) {
            let sentence = "The `trial_end` date has to be at least 2 days in the future.";
            return Err(invalid(400, "", param, sentence));
        }
        Ok(end)
    }

    fn session(&self, id: &str, form: Form) -> Answer {
        form.finish()?;
        let session = self.sessions.get(id);
        let session = session.ok_or_else(|| missing("checkout.session", "id", id))?;
        Ok(session.object())
    }

    fn expire_session(&mut self, id: &str, form: Form) -> Answer {
        form.finish()?;
        let session = self.sessions.get_mut(id);
        let session = session.ok_or_else(|| missing("checkout.session", "id", id))?;
        if session.status != "open" {
            let sentence = format!(
                "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout \
                Session has a status of `{}`.",
                session.status
            );
            return Err(invalid(400, "", "id", &sentence));
        }
        session.status = "expired";
        let object = session.object();
        self.push_event("checkout.session.expired", &object);
        Ok(object)
    }
}
