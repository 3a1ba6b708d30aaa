//! The users' requests, by REST or grpc-web.

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use fastrand::Rng;
use hourmeter_proto::equipment::v1::{
    AddNoteRequest, FuelKind, GetEquipmentRequest, ListEquipmentRequest, RecordUsageRequest,
};
use hourmeter_proto::operator_updates::v1::{
    ApplyUpdatesRequest, ApplyUpdatesResponse, ListReviewRequest, SubmitUpdateRequest,
    SubmitUpdateResponse, UpdateStatus,
};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::quantity::Quantity;
use prost::Message;
use reqwest::{Method, Request, RequestBuilder};
use serde_json::{Value, json};

use super::balancer::Answer;
use super::companies::{Company, OFFICE, OFFLINE};
use super::history::{History, Kind, Write};
use crate::grpc_web;
use crate::visitor::Visitor;

const UPDATES: &str = "operator_updates.v1.OperatorUpdatesService";
/// Maximum submissions per apply request.
const MAX_APPLIED: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    List,
    Detail,
    /// Reads the signed-in user.
    User,
    Usage,
    Fuel,
    Note,
    Submit,
    Review,
    Apply,
    SignIn,
}

/// Requests of each kind per thousand.
const SHARES: [(Job, u64); 10] = [
    (Job::List, 240),
    (Job::Detail, 160),
    (Job::User, 180),
    (Job::Usage, 90),
    (Job::Fuel, 40),
    (Job::Note, 50),
    (Job::Submit, 120),
    (Job::Review, 60),
    (Job::Apply, 57),
    (Job::SignIn, 3),
];

impl Job {
    pub fn random(rng: &mut Rng) -> Self {
        let mut drawn = rng.u64(..1000);
        for (job, share) in SHARES {
            if drawn < share {
                return job;
            }
            drawn -= share;
        }
        Self::List
    }

    /// Retries: submissions without limit, as by phones; other writes while their form is open;
    /// reads never.
    pub const fn repeats(self) -> u32 {
        match self {
            Self::Submit => u32::MAX,
            Self::Usage | Self::Fuel | Self::Note => 3,
            _ => 0,
        }
    }
}

/// A request, and what its response records.
pub struct Order {
    pub job: Job,
    pub request: Request,
    pub grpc_web: bool,
    /// Index of a write in the history.
    pub write: Option<usize>,
    /// Submissions to apply: index in the history, and id.
    pub applies: Vec<(usize, String)>,
}

/// Inputs of an order.
pub struct Draft<'a> {
    pub company: &'a Company,
    pub history: &'a History,
    pub clock: &'a Clock,
    pub rng: &'a mut Rng,
}

impl Draft<'_> {
    /// The order of a job, by REST or grpc-web.
    pub fn order(mut self, job: Job) -> Order {
        let (company, mut grpc_web) = (self.company, self.rng.bool());
        let Company {
            owner, machines, ..
        } = company;
        let call = match job {
            Job::List => {
                let message = ListEquipmentRequest::default();
                let rpc = ("equipment.v1.EquipmentService/ListEquipment", &message);
                either(owner, grpc_web, rpc, get("/api/equipment"))
            }
            Job::Detail => {
                let id = machines[self.rng.usize(..machines.len())].id.clone();
                let path = format!("/api/equipment/{id}");
                let message = GetEquipmentRequest { id };
                let rpc = ("equipment.v1.EquipmentService/GetEquipment", &message);
                either(owner, grpc_web, rpc, get(&path))
            }
            Job::User => {
                grpc_web = false;
                owner.call(Method::GET, "/api/auth/user")
            }
            Job::SignIn => {
                grpc_web = false;
                let (path, body) = Visitor::operator_credentials(&company.other_operator);
                owner.signed_out().call(Method::POST, path).json(&body)
            }
            Job::Review => review(owner, grpc_web),
            Job::Usage | Job::Fuel => return self.usage(job, grpc_web),
            Job::Note => return self.note(grpc_web),
            Job::Submit => return self.submit(grpc_web),
            Job::Apply => {
                let mut pending = company.pending.lock().expect("no panic before");
                let some = pending.len().min(MAX_APPLIED);
                return apply(company, pending.drain(..some).collect(), grpc_web);
            }
        };
        order(job, call, grpc_web)
    }

    fn begin(&self, write: Write) -> (usize, String) {
        let company = self.company.index;
        self.history.begin(Write { company, ..write })
    }

    fn usage(&mut self, job: Job, grpc_web: bool) -> Order {
        let (machine, amount) = (self.rng.usize(..OFFICE), self.rng.i64(1..=99));
        let (usage, fuel) = match job {
            Job::Usage => (Some(amount), 0),
            _ => (None, amount),
        };
        let (index, notes) = self.begin(Write {
            machine,
            usage,
            fuel,
            ..Write::default()
        });
        let id = self.company.machines[machine].id.clone();
        let (usage, fuel) = (usage.map(number), (fuel > 0).then(|| number(fuel)));
        let path = format!("/api/equipment/{id}/usage");
        let mut body = json!({"notes": notes});
        if let Some(usage) = usage {
            body["usageIncrease"] = usage.into();
        }
        let mut fuel_kind = FuelKind::Unspecified;
        if let Some(fuel) = fuel {
            body["fuelAdded"] = fuel.into();
            body["fuelType"] = "diesel".into();
            fuel_kind = FuelKind::Diesel;
        }
        let message = RecordUsageRequest {
            id,
            usage_increase: usage,
            reading: None,
            fuel_added: fuel,
            fuel_kind: fuel_kind.into(),
            notes,
            ..RecordUsageRequest::default()
        };
        let rpc = ("equipment.v1.EquipmentService/RecordUsage", &message);
        let rest = (Method::PATCH, &*path, body);
        let call = either(&self.company.owner, grpc_web, rpc, rest);
        write(job, index, call, grpc_web)
    }

    fn note(&mut self, grpc_web: bool) -> Order {
        let machine = self.rng.usize(..OFFICE);
        let (index, content) = self.begin(Write {
            machine,
            ..Write::default()
        });
        let equipment_id = self.company.machines[machine].id.clone();
        let path = format!("/api/equipment/{equipment_id}/notes");
        let rest = (Method::POST, &*path, json!({"content": content}));
        let message = AddNoteRequest {
            equipment_id,
            content,
            ..AddNoteRequest::default()
        };
        let rpc = ("equipment.v1.EquipmentService/AddNote", &message);
        let call = either(&self.company.owner, grpc_web, rpc, rest);
        write(Job::Note, index, call, grpc_web)
    }

    fn submit(&mut self, grpc_web: bool) -> Order {
        let machines = &self.company.machines;
        let machine = self.rng.usize(OFFICE..machines.len() - OFFLINE);
        let reading = machines[machine].next_reading(self.clock);
        self.submission(machine, reading, false, grpc_web)
    }

    /// An entry that an offline phone captured some days ago.
    pub fn offline_entry(mut self) -> Order {
        let machines = &self.company.machines;
        let machine = self.rng.usize(machines.len() - OFFLINE..machines.len());
        let reading = machines[machine].next_offline_reading(self.rng);
        let grpc_web = self.rng.bool();
        self.submission(machine, reading, true, grpc_web)
    }

    fn submission(
        &mut self,
        machine: usize,
        (reading, at): (i64, DateTime<Utc>),
        offline: bool,
        grpc_web: bool,
    ) -> Order {
        let usage = self.rng.bool().then_some(reading);
        let fuel = self.rng.i64(1..=if offline { 1999 } else { 99 });
        let (index, client_id) = self.begin(Write {
            machine,
            kind: Kind::Submission,
            usage,
            fuel,
            captured_at: offline.then_some(at),
            ..Write::default()
        });
        let equipment_id = self.company.machines[machine].id.clone();
        let (reading, fuel) = (usage.map(number), number(fuel));
        let body = json!({
            "clientId": client_id, "equipmentId": equipment_id, "notes": client_id,
            "newUsage": reading, "fuelAdded": fuel, "fuelType": "diesel",
            "capturedAt": at.to_rfc3339_opts(SecondsFormat::Millis, true),
        });
        let message = SubmitUpdateRequest {
            equipment_id,
            new_usage: reading,
            fuel_added: Some(fuel),
            fuel_kind: FuelKind::Diesel.into(),
            notes: client_id.clone(),
            client_id,
            captured_at: Some(SystemTime::from(at).into()),
            ..SubmitUpdateRequest::default()
        };
        let rpc = (&*format!("{UPDATES}/SubmitUpdate"), &message);
        let rest = (Method::POST, "/api/operator-updates", body);
        let call = either(&self.company.operator, grpc_web, rpc, rest);
        write(Job::Submit, index, call, grpc_web)
    }
}

/// The same call by grpc-web, or by REST with a JSON body unless that is null.
fn either(
    visitor: &Visitor,
    grpc_web: bool,
    (rpc, message): (&str, &impl Message),
    (method, path, body): (Method, &str, Value),
) -> RequestBuilder {
    if grpc_web {
        return visitor.rpc(rpc, message);
    }
    let call = visitor.call(method, path);
    if body.is_null() {
        call
    } else {
        call.json(&body)
    }
}

const fn get(path: &str) -> (Method, &str, Value) {
    (Method::GET, path, Value::Null)
}

fn order(job: Job, call: RequestBuilder, grpc_web: bool) -> Order {
    let request = call.build().expect("a request");
    Order {
        job,
        request,
        grpc_web,
        write: None,
        applies: Vec::new(),
    }
}

/// A write with an idempotency key that its retries repeat.
fn write(job: Job, index: usize, call: RequestBuilder, grpc_web: bool) -> Order {
    let call = call.header("idempotency-key", format!("key {index}"));
    Order {
        write: Some(index),
        ..order(job, call, grpc_web)
    }
}

fn review(owner: &Visitor, grpc_web: bool) -> RequestBuilder {
    let rpc = (
        &*format!("{UPDATES}/ListReview"),
        &ListReviewRequest::default(),
    );
    either(owner, grpc_web, rpc, get("/api/operator-updates/review"))
}

/// Applies submissions; lists pending ones if there are none.
pub fn apply(company: &Company, applies: Vec<(usize, String)>, grpc_web: bool) -> Order {
    let ids: Vec<String> = applies.iter().map(|(_, id)| id.clone()).collect();
    let call = if ids.is_empty() {
        review(&company.owner, grpc_web)
    } else {
        let body = json!({"ids": ids});
        let rpc = (
            &*format!("{UPDATES}/ApplyUpdates"),
            &ApplyUpdatesRequest { ids },
        );
        let rest = (Method::POST, "/api/operator-updates/apply", body);
        either(&company.owner, grpc_web, rpc, rest)
    };
    Order {
        applies,
        ..order(Job::Apply, call, grpc_web)
    }
}

/// The id of a stored submission, and whether it waits for review.
pub fn stored(order: &Order, answer: &Answer) -> Option<(String, bool)> {
    if order.grpc_web {
        let message = grpc_web::decode(&answer.body).0?;
        let update = SubmitUpdateResponse::decode(message).ok()?.update?;
        let is_pending = update.status() == UpdateStatus::Pending;
        return Some((update.id, is_pending));
    }
    let row: Value = serde_json::from_slice(&answer.body).ok()?;
    Some((row["id"].as_str()?.to_owned(), row["status"] == "pending"))
}

/// Ids of the submissions that took effect.
pub fn effective(order: &Order, answer: &Answer) -> Vec<String> {
    if order.grpc_web {
        let message = grpc_web::decode(&answer.body).0.unwrap_or_default();
        let results = ApplyUpdatesResponse::decode(message)
            .unwrap_or_default()
            .results;
        let done = results.into_iter().filter(|result| result.ok);
        return done.map(|result| result.id).collect();
    }
    let rows: Vec<Value> = serde_json::from_slice(&answer.body).unwrap_or_default();
    let done = rows.iter().filter(|row| row["ok"] == true);
    done.filter_map(|row| row["id"].as_str())
        .map(str::to_owned)
        .collect()
}

fn number(hundredths: i64) -> f64 {
    Quantity::from_hundredths(hundredths).to_f64()
}
