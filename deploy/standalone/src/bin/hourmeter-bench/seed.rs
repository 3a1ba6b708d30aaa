//! Companies to measure with, made through the public door.

use anyhow::{Context as _, Result};
use hyper::Method;
use serde_json::json;

use crate::client::Client;

/// A company, its machines and its sessions.
#[derive(Clone)]
pub struct Company {
    /// The company's id.
    pub id: String,
    /// The owner's e-mail.
    pub email: String,
    /// The owner's session.
    pub owner: String,
    /// An operator's session.
    pub operator: String,
    /// Ids of the machines.
    pub machines: Vec<String>,
}

/// Password of every owner.
pub const PASSWORD: &str = "bench-gravel-and-sand";

/// Signs companies of a kind up, each with machines and an operator.
pub async fn companies(
    host: &str,
    kind: &str,
    count: usize,
    machines: usize,
) -> Result<Vec<Company>> {
    let mut companies = Vec::with_capacity(count);
    for number in 0..count {
        companies.push(company(host, kind, number, machines).await?);
    }
    Ok(companies)
}

/// What a company's machine of this number shows at first.
pub fn first_reading(machine: usize) -> Result<u32> {
    Ok(1000 + 17 * u32::try_from(machine)?)
}

async fn company(host: &str, kind: &str, number: usize, machines: usize) -> Result<Company> {
    let mut owner = Client::connect(host).await?;
    let email = format!("{}{number}@example.com", kind.to_lowercase());
    let name = format!("{kind} Company {number}");
    let body = json!({"businessName": name, "email": email, "password": PASSWORD});
    let user = owner.must(Method::POST, "/api/auth/signup", &body).await?;
    let mut ids = Vec::with_capacity(machines);
    for machine in 0..machines {
        let body = json!({
            "name": format!("Excavator {machine}"), "type": "machinery", "unit": "hours",
            "serialNumber": format!("SN-{number}-{machine}"), "fuelType": "diesel",
            "currentUsage": first_reading(machine)?, "serviceInterval": 250, "threshold": 12000,
            "lastServiceUsage": 900, "description": "Main digger, greased every morning.",
        });
        let row = owner.must(Method::POST, "/api/equipment", &body).await?;
        ids.push(row["id"].as_str().context("no id")?.to_owned());
    }
    let password = "bench-shovel-77";
    let body = json!({"masterPassword": password});
    owner
        .must(Method::POST, "/api/company-settings", &body)
        .await?;
    let body = json!({"firstName": "Maria", "lastName": "Salazar"});
    let operator = owner.must(Method::POST, "/api/employees", &body).await?;
    let body = json!({"operatorName": operator["operatorUsername"], "password": password});
    let mut field = Client::connect(host).await?;
    field
        .must(Method::POST, "/api/employee/login", &body)
        .await?;
    let id = user["companyId"].as_str().context("no company")?.to_owned();
    Ok(Company {
        id,
        email,
        owner: owner.cookie,
        operator: field.cookie,
        machines: ids,
    })
}
