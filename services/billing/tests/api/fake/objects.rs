use serde_json::{Value, json};

use super::form::Form;
use super::response::{Answer, invalid, list, missing};
use super::world::World;

impl World {
    pub fn create_product(&mut self, mut form: Form) -> Answer {
        let id = form.required("id")?;
        let name = form.required("name")?;
        let description = form.take("description");
        form.finish()?;
        if self.products.contains_key(&id) {
            let sentence = "Product already exists.";
            return Err(invalid(400, "resource_already_exists", "id", sentence));
        }
        let product = json!({
            "id": id,
            "object": "product",
            "active": true,
            "created": self.now.timestamp(),
            "livemode": false,
            "name": name,
            "description": description,
            "metadata": {},
        });
        self.products.insert(id, product.clone());
        Ok(product)
    }

    pub fn product(&self, id: &str, form: Form) -> Answer {
        form.finish()?;
        let product = self.products.get(id).cloned();
        product.ok_or_else(|| missing("product", "id", id))
    }

    pub fn update_product(&mut self, id: &str, mut form: Form) -> Answer {
        let active = form.flag("active")?;
        let (name, description) = (form.take("name"), form.take("description"));
        form.finish()?;
        let product = self.products.get_mut(id);
        let product = product.ok_or_else(|| missing("product", "id", id))?;
        set(product, "active", active.map(Value::Bool));
        set(product, "name", name.map(Value::String));
        set(product, "description", description.map(Value::String));
        Ok(product.clone())
    }

    pub fn list_prices(&self, mut form: Form) -> Answer {
        let product = form.required("product")?;
        let (after, limit) = (form.take("starting_after"), form.number("limit")?);
        form.finish()?;
        let mut found: Vec<Value> = self.prices.values().cloned().collect();
        found.retain(|price| price["product"] == *product);
        found.reverse();
        Ok(list("/v1/prices", found, after.as_deref(), limit))
    }

    pub fn create_price(&mut self, mut form: Form) -> Answer {
        let product = form.required("product")?;
        if !self.products.contains_key(&product) {
            return Err(missing("product", "product", &product));
        }
        let currency = form.required("currency")?;
        let amount = form.number("unit_amount")?;
        let interval = form.word("recurring[interval]", &["day", "week", "month", "year"])?;
        let lookup_key = form.take("lookup_key");
        let transfer = form.flag("transfer_lookup_key")? == Some(true);
        form.finish()?;
        if let Some(key) = &lookup_key {
            self.free_lookup_key(key, transfer)?;
        }
        let id = self.new_id("price");
        let price = json!({
            "id": id,
            "object": "price",
            "active": true,
            "billing_scheme": "per_unit",
            "created": self.now.timestamp(),
            "currency": currency,
            "livemode": false,
            "lookup_key": lookup_key,
            "metadata": {},
            "product": product,
            "recurring": {"interval": interval, "interval_count": 1, "usage_type": "licensed"},
            "type": "recurring",
            "unit_amount": amount,
        });
        self.prices.insert(id, price.clone());
        Ok(price)
    }

    fn free_lookup_key(
        &mut self,
        key: &str,
        transfer: bool,
    ) -> Result<(), super::response::Refused> {
        let holder = self.prices.values_mut();
        let holder = holder.into_iter().find(|price| price["lookup_key"] == key);
        match holder {
            Some(price) if transfer => price["lookup_key"] = Value::Null,
            Some(_) => {
                let sentence = format!("A price already uses that lookup key: {key}");
                return Err(invalid(
                    400,
                    "resource_already_exists",
                    "lookup_key",
                    &sentence,
                ));
            }
            None => {}
        }
        Ok(())
    }

    pub fn update_price(&mut self, id: &str, mut form: Form) -> Answer {
        let active = form.flag("active")?;
        form.finish()?;
        let price = self.prices.get_mut(id);
        let price = price.ok_or_else(|| missing("price", "id", id))?;
        set(price, "active", active.map(Value::Bool));
        Ok(price.clone())
    }
}

fn set(object: &mut Value, field: &str, value: Option<Value>) {
    if let Some(value) = value {
        object[field] = value;
    }
}
