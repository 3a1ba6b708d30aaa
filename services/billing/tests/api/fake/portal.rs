//! The fake's customer portal: configurations and sessions.

use serde_json::{Map, Value, json};

use super::form::Form;
use super::response::{Answer, Refused, invalid, list, missing};
use super::world::World;

const FEATURES: [&str; 5] = [
    "customer_update",
    "invoice_history",
    "payment_method_update",
    "subscription_cancel",
    "subscription_update",
];
const UPDATES: [&str; 6] = ["name", "email", "address", "shipping", "phone", "tax_id"];

impl World {
    pub fn create_portal(&mut self, mut form: Form) -> Answer {
        let customer = self.known_customer(&mut form)?;
        let return_url = form.required("return_url")?;
        let configuration = match form.take("configuration") {
            Some(id) => self.usable_configuration(&id)?,
            None => default_configuration(),
        };
        form.finish()?;
        let id = self.new_id("bps");
        self.portals.push(configuration.clone());
        Ok(json!({
            "id": id,
            "object": "billing_portal.session",
            "configuration": configuration["id"],
            "customer": customer,
            "livemode": false,
            "return_url": return_url,
            "url": format!("https://billing.stripe.com/p/session/{id}"),
        }))
    }

    fn usable_configuration(&self, id: &str) -> Answer {
        let found = self.configurations.get(id);
        let found = found.ok_or_else(|| missing("configuration", "configuration", id))?;
        if found["active"] == json!(false) {
            let sentence = "The configuration is inactive.";
            return Err(invalid(400, "", "configuration", sentence));
        }
        Ok(found.clone())
    }

    /// Includes the account's default.
    pub fn list_configurations(&self, mut form: Form) -> Answer {
        let active = form.flag("active")?;
        let (after, limit) = (form.take("starting_after"), form.number("limit")?);
        form.finish()?;
        let mut found = vec![default_configuration()];
        found.extend(self.configurations.values().rev().cloned());
        found.retain(|one| active.is_none_or(|active| one["active"] == json!(active)));
        let url = "/v1/billing_portal/configurations";
        Ok(list(url, found, after.as_deref(), limit))
    }

    pub fn create_configuration(&mut self, mut form: Form) -> Answer {
        let metadata = form.map("metadata");
        let mut features = Map::new();
        for name in FEATURES {
            features.insert(name.to_owned(), feature(name, &mut form)?);
        }
        form.finish()?;
        let id = self.new_id("bpc");
        let mut configuration = json!({
            "id": id,
            "object": "billing_portal.configuration",
            "active": true,
            "created": self.now.timestamp(),
            "is_default": false,
            "livemode": false,
            "metadata": metadata,
        });
        configuration["features"] = Value::Object(features);
        self.configurations.insert(id, configuration.clone());
        Ok(configuration)
    }
}

/// Stripe's default allows everything.
fn default_configuration() -> Value {
    let mut configuration = json!({
        "id": "bpc_default",
        "object": "billing_portal.configuration",
        "active": true,
        "is_default": true,
        "metadata": null,
        "features": {},
    });
    for name in FEATURES {
        configuration["features"][name] = json!({"enabled": true});
    }
    configuration
}

fn feature(name: &str, form: &mut Form) -> Answer {
    let enabled = form.flag(&format!("features[{name}][enabled]"))?;
    let mut feature = json!({"enabled": enabled == Some(true)});
    if name == "customer_update" {
        feature["allowed_updates"] = json!(allowed_updates(form)?);
    }
    Ok(feature)
}

fn allowed_updates(form: &mut Form) -> Result<Vec<String>, Refused> {
    let mut allowed = Vec::new();
    loop {
        let param = format!(
            "features[customer_update][allowed_updates][{}]",
            allowed.len()
        );
        match form.word(&param, &UPDATES)? {
            Some(update) => allowed.push(update),
            None => return Ok(allowed),
        }
    }
}
