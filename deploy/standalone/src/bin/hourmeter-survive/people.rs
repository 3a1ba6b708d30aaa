//! The companies that share the load, made through the public door.

use std::collections::VecDeque;
use std::sync::Mutex;

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use hourmeter_runtime::clock::Clock;
use hyper::Method;
use serde_json::{Value, json};

use crate::http::{Answer, Ask, Balancer};

/// Machines the office keeps, of each company.
pub const OFFICE: usize = 3;
/// Machines the field reports on, of each company.
const FIELD: usize = 3;
/// What every meter shows at first.
pub const FIRST_READING: i64 = 100_000;
/// Password of every owner.
const PASSWORD: &str = "survive-gravel-and-sand";
/// Password of every company's operators.
const OPERATOR_PASSWORD: &str = "survive-shovel-77";

/// A company with its sessions.
pub struct Company {
    /// Its number among all.
    pub number: usize,
    /// Its id.
    pub id: String,
    /// The owner's session.
    pub owner: String,
    /// An operator's session.
    pub operator: String,
    /// Sign-in name of another operator, who does nothing else.
    pub visitor: String,
    /// The office's machines first, then the field's.
    pub machines: Vec<Machine>,
    /// Submissions that nobody has applied yet: number in the history, and id.
    pub waiting: Mutex<VecDeque<(usize, String)>>,
}

/// A machine.
pub struct Machine {
    /// Its id.
    pub id: String,
    /// The newest reading from the field, hundredths, and when it was taken.
    newest: Mutex<(i64, DateTime<Utc>)>,
}

impl Machine {
    /// The next reading from the field: a little above the one before, and later.
    pub fn next_reading(&self, clock: &Clock) -> Option<(i64, DateTime<Utc>)> {
        let mut newest = self.newest.lock().ok()?;
        let after = newest.1 + TimeDelta::milliseconds(1);
        *newest = (newest.0 + 1, clock.now().trunc_subsecs(3).max(after));
        Some(*newest)
    }
}

impl Company {
    /// Where its people sit.
    pub fn address(&self) -> String {
        let [.., a, b, c] = self.number.to_be_bytes();
        format!("10.{a}.{b}.{c}")
    }

    /// What somebody of it asks by REST.
    pub fn rest(&self, cookie: &str, method: Method, path: String, body: Option<&Value>) -> Ask {
        Ask {
            method,
            path,
            kind: "application/json",
            body: body.map_or_else(Bytes::new, |body| Bytes::from(body.to_string())),
            cookie: cookie.to_owned(),
            address: self.address(),
            key: None,
        }
    }

    /// An operator who signs in.
    pub fn sign_in(&self) -> Ask {
        let body = json!({"operatorName": self.visitor, "password": OPERATOR_PASSWORD});
        let path = "/api/employee/login".to_owned();
        self.rest("", Method::POST, path, Some(&body))
    }

    async fn must(
        &self,
        gateways: &Balancer,
        cookie: &str,
        path: &str,
        body: &Value,
    ) -> Result<(Value, Answer)> {
        let ask = self.rest(cookie, Method::POST, path.to_owned(), Some(body));
        let answer = gateways.ask(&ask).await;
        let answer = answer.map_err(|trouble| anyhow::anyhow!("{path}: {trouble:?}"))?;
        if !(200..300).contains(&answer.status) {
            bail!("{path}: {} {:?}", answer.status, answer.body);
        }
        Ok((serde_json::from_slice(&answer.body)?, answer))
    }

    async fn sign_up(gateways: &Balancer, number: usize, clock: &Clock) -> Result<Self> {
        let mut company = Self {
            number,
            id: String::new(),
            owner: String::new(),
            operator: String::new(),
            visitor: String::new(),
            machines: Vec::new(),
            waiting: Mutex::default(),
        };
        let body = json!({
            "businessName": format!("Survivor {number}"),
            "email": format!("survivor{number}@example.com"), "password": PASSWORD,
        });
        let (user, answer) = company
            .must(gateways, "", "/api/auth/signup", &body)
            .await?;
        company.id = text(&user["companyId"])?;
        company.owner = answer.cookie.context("no session")?;
        for machine in 0..OFFICE + FIELD {
            let body = json!({
                "name": format!("Loader {machine}"), "type": "machinery", "unit": "hours",
                "fuelType": "diesel", "serviceInterval": 250, "currentUsage": FIRST_READING / 100,
            });
            let path = "/api/equipment";
            let (row, _) = company.must(gateways, &company.owner, path, &body).await?;
            company.machines.push(Machine {
                id: text(&row["id"])?,
                newest: Mutex::new((FIRST_READING, clock.now())),
            });
        }
        company.hire(gateways).await?;
        Ok(company)
    }

    async fn hire(&mut self, gateways: &Balancer) -> Result<()> {
        let body = json!({"masterPassword": OPERATOR_PASSWORD});
        let path = "/api/company-settings";
        self.must(gateways, &self.owner, path, &body).await?;
        let mut names = Vec::new();
        for first in ["Maria", "Nora"] {
            let body = json!({"firstName": first, "lastName": "Salazar"});
            let path = "/api/employees";
            let (row, _) = self.must(gateways, &self.owner, path, &body).await?;
            names.push(text(&row["operatorUsername"])?);
        }
        self.visitor = names.pop().context("no operator")?;
        let name = names.pop().context("no operator")?;
        let body = json!({"operatorName": name, "password": OPERATOR_PASSWORD});
        let (_, answer) = self
            .must(gateways, "", "/api/employee/login", &body)
            .await?;
        self.operator = answer.cookie.context("no session")?;
        Ok(())
    }
}

/// Signs so many companies up.
pub async fn companies(gateways: &Balancer, count: usize, clock: &Clock) -> Result<Vec<Company>> {
    let mut companies = Vec::with_capacity(count);
    for number in 0..count {
        companies.push(Company::sign_up(gateways, number, clock).await?);
    }
    Ok(companies)
}

fn text(value: &Value) -> Result<String> {
    let text = value.as_str();
    text.map(str::to_owned).context("no text")
}
