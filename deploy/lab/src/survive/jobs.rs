//! The users' requests, by REST or grpc-web.

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
        let (grpc_web, company) = (self.rng.bool(), self.company);
        let read = |call| order(job, call, grpc_web);
        match job {
            Job::List if grpc_web => read(company.owner.rpc(
                "equipment.v1.EquipmentService/ListEquipment",
                &ListEquipmentRequest::default(),
            )),
            Job::List => read(company.owner.call(Method::GET, "/api/equipment")),
            Job::Detail => read(self.detail(grpc_web)),
            Job::User => order(
                job,
                company.owner.call(Method::GET, "/api/auth/user"),
                false,
            ),
            Job::SignIn => {
                let (path, body) = Visitor::operator_credentials(&company.other_operator);
                let visitor = company.owner.signed_out();
                order(job, visitor.call(Method::POST, path).json(&body), false)
            }
            Job::Review => read(review(company, grpc_web)),
            Job::Usage | Job::Fuel => self.usage(job, grpc_web),
            Job::Note => self.note(grpc_web),
            Job::Submit => self.submit(grpc_web),
            Job::Apply => {
                let mut pending = company.pending.lock().expect("no panic before");
                let some = pending.len().min(MAX_APPLIED);
                let applies = pending.drain(..some).collect();
                apply(company, applies, grpc_web)
            }
        }
    }

    fn detail(&mut self, grpc_web: bool) -> RequestBuilder {
        let Company {
            owner, machines, ..
        } = self.company;
        let id = machines[self.rng.usize(..machines.len())].id.clone();
        if grpc_web {
            let path = "equipment.v1.EquipmentService/GetEquipment";
            owner.rpc(path, &GetEquipmentRequest { id })
        } else {
            owner.call(Method::GET, &format!("/api/equipment/{id}"))
        }
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
        let Company {
            owner, machines, ..
        } = self.company;
        let id = machines[machine].id.clone();
        let (usage, fuel) = (usage.map(number), (fuel > 0).then(|| number(fuel)));
        let call = if grpc_web {
            let kind = fuel.map_or(FuelKind::Unspecified, |_| FuelKind::Diesel);
            let message = RecordUsageRequest {
                id,
                usage_increase: usage,
                reading: None,
                fuel_added: fuel,
                fuel_kind: kind.into(),
                notes,
            };
            owner.rpc("equipment.v1.EquipmentService/RecordUsage", &message)
        } else {
            let mut body = json!({"notes": notes});
            if let Some(usage) = usage {
                body["usageIncrease"] = usage.into();
            }
            if let Some(fuel) = fuel {
                body["fuelAdded"] = fuel.into();
                body["fuelType"] = "diesel".into();
            }
            let path = format!("/api/equipment/{id}/usage");
            owner.call(Method::PATCH, &path).json(&body)
        };
        write(job, index, call, grpc_web)
    }

    fn note(&mut self, grpc_web: bool) -> Order {
        let machine = self.rng.usize(..OFFICE);
        let (index, content) = self.begin(Write {
            machine,
            ..Write::default()
        });
        let Company {
            owner, machines, ..
        } = self.company;
        let equipment_id = machines[machine].id.clone();
        let call = if grpc_web {
            let message = AddNoteRequest {
                equipment_id,
                content,
                ..AddNoteRequest::default()
            };
            owner.rpc("equipment.v1.EquipmentService/AddNote", &message)
        } else {
            let path = format!("/api/equipment/{equipment_id}/notes");
            owner
                .call(Method::POST, &path)
                .json(&json!({"content": content}))
        };
        write(Job::Note, index, call, grpc_web)
    }

    fn submit(&mut self, grpc_web: bool) -> Order {
        let machine = self
            .rng
            .usize(OFFICE..self.company.machines.len() - OFFLINE);
        let (reading, at) = self.company.machines[machine].next_reading(self.clock);
        let write = Write {
            machine,
            kind: Kind::Submission,
            usage: self.rng.bool().then_some(reading),
            fuel: self.rng.i64(1..=99),
            ..Write::default()
        };
        self.submission(write, at, grpc_web)
    }

    /// An entry that an offline phone captured some days ago.
    pub fn offline_entry(mut self) -> Order {
        let machines = &self.company.machines;
        let machine = self.rng.usize(machines.len() - OFFLINE..machines.len());
        let (reading, at) = machines[machine].next_offline_reading(self.rng);
        let write = Write {
            machine,
            kind: Kind::Submission,
            usage: self.rng.bool().then_some(reading),
            fuel: self.rng.i64(1..=1999),
            captured_at: Some(at),
            ..Write::default()
        };
        let grpc_web = self.rng.bool();
        self.submission(write, at, grpc_web)
    }

    fn submission(&mut self, entry: Write, at: DateTime<Utc>, grpc_web: bool) -> Order {
        let Company {
            operator, machines, ..
        } = self.company;
        let equipment_id = machines[entry.machine].id.clone();
        let (reading, fuel) = (entry.usage.map(number), number(entry.fuel));
        let (index, client_id) = self.begin(entry);
        let call = if grpc_web {
            let message = SubmitUpdateRequest {
                equipment_id,
                new_usage: reading,
                fuel_added: Some(fuel),
                fuel_kind: FuelKind::Diesel.into(),
                notes: client_id.clone(),
                client_id,
                captured_at: Some(prost_types::Timestamp {
                    seconds: at.timestamp(),
                    nanos: at.timestamp_subsec_nanos().cast_signed(),
                }),
            };
            operator.rpc(
                "operator_updates.v1.OperatorUpdatesService/SubmitUpdate",
                &message,
            )
        } else {
            let body = json!({
                "clientId": client_id, "equipmentId": equipment_id, "notes": client_id,
                "newUsage": reading, "fuelAdded": fuel, "fuelType": "diesel",
                "capturedAt": at.to_rfc3339_opts(SecondsFormat::Millis, true),
            });
            operator
                .call(Method::POST, "/api/operator-updates")
                .json(&body)
        };
        write(Job::Submit, index, call, grpc_web)
    }
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

fn review(company: &Company, grpc_web: bool) -> RequestBuilder {
    if grpc_web {
        let path = "operator_updates.v1.OperatorUpdatesService/ListReview";
        company.owner.rpc(path, &ListReviewRequest::default())
    } else {
        company
            .owner
            .call(Method::GET, "/api/operator-updates/review")
    }
}

/// Applies submissions; lists pending ones if there are none.
pub fn apply(company: &Company, applies: Vec<(usize, String)>, grpc_web: bool) -> Order {
    let ids: Vec<String> = applies.iter().map(|(_, id)| id.clone()).collect();
    let call = if ids.is_empty() {
        review(company, grpc_web)
    } else if grpc_web {
        let path = "operator_updates.v1.OperatorUpdatesService/ApplyUpdates";
        company.owner.rpc(path, &ApplyUpdatesRequest { ids })
    } else {
        let call = company
            .owner
            .call(Method::POST, "/api/operator-updates/apply");
        call.json(&json!({"ids": ids}))
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
