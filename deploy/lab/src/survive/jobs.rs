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
use crate::visitor::Visitor;
use crate::{grpc_web, lock};

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
    pub company: usize,
    pub request: Request,
    pub grpc_web: bool,
    /// Index of a write in the history.
    pub write: Option<usize>,
    /// Submissions to apply: index in the history, and id.
    pub applies: Vec<(usize, String)>,
}

impl Order {
    /// Adds the index of its write, and an idempotency key that its retries repeat.
    fn of_write(mut self, index: usize) -> Self {
        let key = format!("key {index}").parse().expect("a header");
        self.request.headers_mut().insert("idempotency-key", key);
        self.write = Some(index);
        self
    }
}

/// Chooses the details of a company's order.
pub struct Draft<'a> {
    pub clock: &'a Clock,
    pub history: &'a History,
    pub company: &'a Company,
    pub grpc_web: bool,
    pub rng: &'a mut Rng,
}

impl Draft<'_> {
    pub fn order(mut self, job: Job) -> Order {
        let Company {
            owner, machines, ..
        } = self.company;
        match job {
            Job::List => {
                let message = ListEquipmentRequest::default();
                let rpc = ("equipment.v1.EquipmentService/ListEquipment", &message);
                self.either(job, owner, rpc, get("/api/equipment"))
            }
            Job::Detail => {
                let id = machines[self.rng.usize(..machines.len())].id.clone();
                let path = format!("/api/equipment/{id}");
                let message = GetEquipmentRequest { id };
                let rpc = ("equipment.v1.EquipmentService/GetEquipment", &message);
                self.either(job, owner, rpc, get(&path))
            }
            Job::User => self.new_order(job, owner.call(Method::GET, "/api/auth/user"), false),
            Job::SignIn => {
                let (path, body) = Visitor::operator_credentials(&self.company.other_operator);
                let call = owner.signed_out().call(Method::POST, path);
                self.new_order(job, call.json(&body), false)
            }
            Job::Review => self.review(job),
            Job::Usage | Job::Fuel => self.usage(job),
            Job::Note => self.note(),
            Job::Submit => {
                let machine = self.rng.usize(OFFICE..machines.len() - OFFLINE);
                let reading = machines[machine].next_reading(self.clock);
                self.submission(machine, reading, false)
            }
            Job::Apply => {
                let mut pending = lock(&self.company.pending);
                let some = pending.len().min(MAX_APPLIED);
                self.apply(pending.drain(..some).collect())
            }
        }
    }

    /// The same call by grpc-web, or by REST with a JSON body unless that is null.
    fn either(
        &self,
        job: Job,
        visitor: &Visitor,
        (rpc, message): (&str, &impl Message),
        (method, path, body): (Method, &str, Value),
    ) -> Order {
        let call = if self.grpc_web {
            visitor.rpc(rpc, message)
        } else if body.is_null() {
            visitor.call(method, path)
        } else {
            visitor.call(method, path).json(&body)
        };
        self.new_order(job, call, self.grpc_web)
    }

    fn new_order(&self, job: Job, call: RequestBuilder, grpc_web: bool) -> Order {
        Order {
            job,
            company: self.company.index,
            request: call.build().expect("a request"),
            grpc_web,
            write: None,
            applies: Vec::new(),
        }
    }

    /// Adds a write to the history. Returns its index and mark.
    fn begin(&self, write: Write) -> (usize, String) {
        let company = self.company.index;
        self.history.begin(Write { company, ..write })
    }

    fn usage(&mut self, job: Job) -> Order {
        let (machine, amount) = (self.rng.usize(..OFFICE), self.rng.i64(1..=99));
        let (usage, fuel) = match job {
            Job::Usage => (Some(amount), None),
            _ => (None, Some(amount)),
        };
        let (index, notes) = self.begin(Write {
            machine,
            usage,
            fuel: fuel.unwrap_or_default(),
            ..Write::default()
        });
        let id = self.company.machines[machine].id.clone();
        let (usage, fuel) = (usage.map(number), fuel.map(number));
        let fuel_kind = fuel.map(|_| FuelKind::Diesel).unwrap_or_default();
        let path = format!("/api/equipment/{id}/usage");
        let body = json!({
            "usageIncrease": usage, "fuelAdded": fuel, "fuelType": fuel.map(|_| "diesel"),
            "notes": notes,
        });
        let message = RecordUsageRequest {
            id,
            usage_increase: usage,
            fuel_added: fuel,
            fuel_kind: fuel_kind.into(),
            notes,
            ..RecordUsageRequest::default()
        };
        let rpc = ("equipment.v1.EquipmentService/RecordUsage", &message);
        let rest = (Method::PATCH, &*path, body);
        self.either(job, &self.company.owner, rpc, rest)
            .of_write(index)
    }

    fn note(&mut self) -> Order {
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
        self.either(Job::Note, &self.company.owner, rpc, rest)
            .of_write(index)
    }

    /// An entry that an offline phone captured some days ago.
    pub fn offline_entry(mut self) -> Order {
        let machines = &self.company.machines;
        let machine = self.rng.usize(machines.len() - OFFLINE..machines.len());
        let reading = machines[machine].next_offline_reading(self.rng);
        self.submission(machine, reading, true)
    }

    fn submission(
        &mut self,
        machine: usize,
        (reading, at): (i64, DateTime<Utc>),
        offline: bool,
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
        let path = "operator_updates.v1.OperatorUpdatesService/SubmitUpdate";
        let rest = (Method::POST, "/api/operator-updates", body);
        self.either(Job::Submit, &self.company.operator, (path, &message), rest)
            .of_write(index)
    }

    fn review(&self, job: Job) -> Order {
        let path = "operator_updates.v1.OperatorUpdatesService/ListReview";
        let rpc = (path, &ListReviewRequest::default());
        let rest = get("/api/operator-updates/review");
        self.either(job, &self.company.owner, rpc, rest)
    }

    /// Applies submissions; lists pending ones if there are none.
    pub fn apply(&self, applies: Vec<(usize, String)>) -> Order {
        if applies.is_empty() {
            return self.review(Job::Apply);
        }
        let ids: Vec<String> = applies.iter().map(|(_, id)| id.clone()).collect();
        let body = json!({"ids": ids});
        let rest = (Method::POST, "/api/operator-updates/apply", body);
        let path = "operator_updates.v1.OperatorUpdatesService/ApplyUpdates";
        let rpc = (path, &ApplyUpdatesRequest { ids });
        let order = self.either(Job::Apply, &self.company.owner, rpc, rest);
        Order { applies, ..order }
    }
}

const fn get(path: &str) -> (Method, &str, Value) {
    (Method::GET, path, Value::Null)
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
        let answer = ApplyUpdatesResponse::decode(message).unwrap_or_default();
        let done = answer.results.into_iter().filter(|result| result.ok);
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
