//! Companies for measurements, created through the public API.

use futures::stream::{self, StreamExt as _};
use serde_json::json;

use crate::visitor::Visitor;

#[derive(Clone)]
pub struct Company {
    pub id: String,
    pub name: String,
    pub owner: Visitor,
    pub operator: Visitor,
    pub machines: Vec<String>,
}

/// Creates companies, each with machines and an operator.
pub async fn companies(origin: &str, kind: &str, count: usize, machines: usize) -> Vec<Company> {
    let companies = (0..count).map(|number| company(origin, kind, number, machines));
    stream::iter(companies).buffered(4).collect().await
}

/// First reading of a machine.
pub fn first_reading(machine: usize) -> u32 {
    1000 + 17 * u32::try_from(machine).unwrap_or(0)
}

async fn company(origin: &str, kind: &str, number: usize, machines: usize) -> Company {
    let name = format!("{kind} Company {number}");
    let owner = Visitor::sign_up(origin, &name).await;
    let mut ids = Vec::with_capacity(machines);
    for machine in 0..machines {
        let body = json!({
            "name": format!("Excavator {machine}"), "type": "machinery", "unit": "hours",
            "serialNumber": format!("SN-{number}-{machine}"), "fuelType": "diesel",
            "currentUsage": first_reading(machine), "serviceInterval": 250, "threshold": 12000,
            "lastServiceUsage": 900, "description": "Main digger, greased every morning.",
        });
        ids.push(owner.create_machine(body).await);
    }
    let user = owner.get("/api/auth/user").await;
    Company {
        id: user["companyId"].as_str().expect("a company").to_owned(),
        name,
        operator: owner.operator().await,
        owner,
        machines: ids,
    }
}
