//! What people do all day, each thing by the door that its client uses.

use chrono::SecondsFormat;
use hourmeter_proto::equipment::v1::{
    AddNoteRequest, FuelKind, GetEquipmentRequest, ListEquipmentRequest, RecordUsageRequest,
};
use hourmeter_proto::operator_updates::v1::{
    ApplyResult, ApplyUpdatesRequest, ApplyUpdatesResponse, ListReviewRequest, SubmitUpdateRequest,
    SubmitUpdateResponse,
};
use hourmeter_runtime::clock::Clock;
use hyper::Method;
use prost::Message;
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::frames::{self, GRPC_WEB, framed};
use crate::history::{Fate, History, Kind, Write};
use crate::http::{Answer, Ask};
use crate::people::{Company, OFFICE};

/// Submissions applied with one request, at most.
const MOST_APPLIED: usize = 10;

/// What somebody does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// Looks at all machines.
    List,
    /// Looks at one.
    Detail,
    /// Asks who is signed in.
    User,
    /// Enters usage.
    Usage,
    /// Enters fuel.
    Fuel,
    /// Writes a note.
    Note,
    /// Reports from the field.
    Submit,
    /// Looks at what waits.
    Review,
    /// Applies some of it.
    Apply,
    /// Signs in.
    SignIn,
}

/// How often each is done, of a thousand.
const USUAL: [(Job, u64); 10] = [
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
    /// One of them, as often as usual.
    pub fn drawn(chance: &mut Chance) -> Self {
        let mut drawn = chance.up_to(999);
        for (job, share) in USUAL {
            if drawn < share {
                return job;
            }
            drawn -= share;
        }
        Self::List
    }

    /// How often it may be repeated while it is not answered: submissions for ever, as phones do;
    /// other writes while somebody has the form open; reads are not.
    pub const fn repeats(self) -> u32 {
        match self {
            Self::Submit => u32::MAX,
            Self::Usage | Self::Fuel | Self::Note => 3,
            _ => 0,
        }
    }
}

/// A request that is ready to be sent, and what is to be noted when it is answered.
pub struct Order {
    /// What is done.
    pub job: Job,
    /// The request.
    pub ask: Ask,
    /// Of a write, its number in the history.
    pub write: Option<usize>,
    /// Of an application, the submissions: number in the history, and id.
    pub applied: Vec<(usize, String)>,
}

impl Order {
    /// Whether it goes through the browser's door.
    pub fn grpc_web(&self) -> bool {
        self.ask.kind == GRPC_WEB
    }
}

/// Makes the request of a job.
pub fn order(
    job: Job,
    company: &Company,
    history: &History,
    clock: &Clock,
    chance: &mut Chance,
) -> Order {
    let browser = chance.percent(50);
    let draft = Draft {
        company,
        history,
        clock,
        chance,
        browser,
    };
    draft.order(job)
}

struct Draft<'a> {
    company: &'a Company,
    history: &'a History,
    clock: &'a Clock,
    chance: &'a mut Chance,
    browser: bool,
}

impl Draft<'_> {
    fn order(mut self, job: Job) -> Order {
        let read = |ask| Order {
            job,
            ask,
            write: None,
            applied: Vec::new(),
        };
        match job {
            Job::List => read(self.list()),
            Job::Detail => read(self.detail()),
            Job::User => read(self.get("/api/auth/user")),
            Job::SignIn => read(self.company.sign_in()),
            Job::Review => read(self.review()),
            Job::Usage | Job::Fuel => self.usage(job),
            Job::Note => self.add_note(),
            Job::Submit => self.submit(),
            Job::Apply => self.apply(),
        }
    }

    fn get(&self, path: &str) -> Ask {
        let (company, path) = (self.company, path.to_owned());
        company.rest(&company.owner, Method::GET, path, None)
    }

    fn grpc(&self, cookie: &str, path: &str, message: &impl Message) -> Ask {
        let path = format!("/hourmeter.{path}");
        Ask {
            kind: GRPC_WEB,
            body: framed(message),
            ..self.company.rest(cookie, Method::POST, path, None)
        }
    }

    fn list(&self) -> Ask {
        if self.browser {
            let path = "equipment.v1.EquipmentService/ListEquipment";
            self.grpc(&self.company.owner, path, &ListEquipmentRequest::default())
        } else {
            self.get("/api/equipment")
        }
    }

    fn detail(&mut self) -> Ask {
        let machine = self.chance.place(self.company.machines.len());
        let id = self.company.machines[machine].id.clone();
        if self.browser {
            let path = "equipment.v1.EquipmentService/GetEquipment";
            self.grpc(&self.company.owner, path, &GetEquipmentRequest { id })
        } else {
            self.get(&format!("/api/equipment/{id}"))
        }
    }

    fn review(&self) -> Ask {
        if self.browser {
            let path = "operator_updates.v1.OperatorUpdatesService/ListReview";
            self.grpc(&self.company.owner, path, &ListReviewRequest::default())
        } else {
            self.get("/api/operator-updates/review")
        }
    }

    fn begin(&self, machine: usize, kind: Kind, usage: Option<i64>, fuel: i64) -> (usize, String) {
        let company = self.company.number;
        self.history.begin(|mark| Write {
            company,
            machine,
            kind,
            mark,
            usage,
            fuel,
            fate: Fate::Unknown,
            id: None,
            applied: false,
        })
    }

    fn usage(&mut self, job: Job) -> Order {
        let machine = self.chance.place(OFFICE);
        let amount = 1 + i64::try_from(self.chance.up_to(98)).unwrap_or(0);
        let (usage, fuel) = if job == Job::Usage {
            (Some(amount), 0)
        } else {
            (None, amount)
        };
        let (number, notes) = self.begin(machine, Kind::Entry, usage, fuel);
        let id = self.company.machines[machine].id.clone();
        let (usage, fuel) = (usage.map(number_of), (fuel > 0).then(|| number_of(fuel)));
        let ask = if self.browser {
            let kind = fuel.map_or(FuelKind::Unspecified, |_| FuelKind::Diesel);
            let message = RecordUsageRequest {
                id,
                usage_increase: usage,
                reading: None,
                fuel_added: fuel,
                fuel_kind: kind.into(),
                notes,
            };
            let path = "equipment.v1.EquipmentService/RecordUsage";
            self.grpc(&self.company.owner, path, &message)
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
            let owner = &self.company.owner;
            self.company.rest(owner, Method::PATCH, path, Some(&body))
        };
        keyed(job, number, ask)
    }

    fn add_note(&mut self) -> Order {
        let machine = self.chance.place(OFFICE);
        let (number, content) = self.begin(machine, Kind::Entry, None, 0);
        let id = self.company.machines[machine].id.clone();
        let owner = &self.company.owner;
        let ask = if self.browser {
            let message = AddNoteRequest {
                equipment_id: id,
                content,
                ..AddNoteRequest::default()
            };
            self.grpc(owner, "equipment.v1.EquipmentService/AddNote", &message)
        } else {
            let path = format!("/api/equipment/{id}/notes");
            let body = json!({"content": content});
            self.company.rest(owner, Method::POST, path, Some(&body))
        };
        keyed(Job::Note, number, ask)
    }

    fn submit(&mut self) -> Order {
        let field = self.company.machines.len() - OFFICE;
        let machine = OFFICE + self.chance.place(field);
        let reads = self.chance.percent(50);
        let reading = self.company.machines[machine].next_reading(self.clock);
        let (reading, at) = reading.unwrap_or((0, self.clock.now()));
        let reading = reads.then_some(reading);
        let fuel = 1 + i64::try_from(self.chance.up_to(98)).unwrap_or(0);
        let (number, client_id) = self.begin(machine, Kind::Submission, reading, fuel);
        let equipment_id = self.company.machines[machine].id.clone();
        let operator = &self.company.operator;
        let ask = if self.browser {
            let message = SubmitUpdateRequest {
                equipment_id,
                new_usage: reading.map(number_of),
                fuel_added: Some(number_of(fuel)),
                fuel_kind: FuelKind::Diesel.into(),
                notes: client_id.clone(),
                client_id,
                captured_at: Some(prost_types::Timestamp {
                    seconds: at.timestamp(),
                    nanos: i32::try_from(at.timestamp_subsec_nanos()).unwrap_or(0),
                }),
            };
            let path = "operator_updates.v1.OperatorUpdatesService/SubmitUpdate";
            self.grpc(operator, path, &message)
        } else {
            let body = json!({
                "clientId": client_id, "equipmentId": equipment_id, "notes": client_id,
                "newUsage": reading.map(number_of), "fuelAdded": number_of(fuel),
                "fuelType": "diesel",
                "capturedAt": at.to_rfc3339_opts(SecondsFormat::Millis, true),
            });
            let path = "/api/operator-updates".to_owned();
            self.company.rest(operator, Method::POST, path, Some(&body))
        };
        keyed(Job::Submit, number, ask)
    }

    fn apply(&self) -> Order {
        let mut applied = Vec::new();
        if let Ok(mut waiting) = self.company.waiting.lock() {
            let some = waiting.len().min(MOST_APPLIED);
            applied.extend(waiting.drain(..some));
        }
        let ids: Vec<&str> = applied.iter().map(|(_, id)| id.as_str()).collect();
        let ask = if applied.is_empty() {
            self.review()
        } else if self.browser {
            let ids = ids.into_iter().map(str::to_owned).collect();
            let path = "operator_updates.v1.OperatorUpdatesService/ApplyUpdates";
            self.grpc(&self.company.owner, path, &ApplyUpdatesRequest { ids })
        } else {
            let path = "/api/operator-updates/apply".to_owned();
            let (owner, body) = (&self.company.owner, json!({"ids": ids}));
            self.company.rest(owner, Method::POST, path, Some(&body))
        };
        Order {
            job: Job::Apply,
            ask,
            write: None,
            applied,
        }
    }
}

/// A write with a key of its own, the same whenever it is repeated.
fn keyed(job: Job, number: usize, ask: Ask) -> Order {
    Order {
        job,
        ask: Ask {
            key: Some(format!("key {number}")),
            ..ask
        },
        write: Some(number),
        applied: Vec::new(),
    }
}

/// Under which id a submission was stored.
pub fn stored_id(order: &Order, answer: &Answer) -> Option<String> {
    if !order.grpc_web() {
        let row: Value = serde_json::from_slice(&answer.body).ok()?;
        return row["id"].as_str().map(str::to_owned);
    }
    let message = frames::read(answer.body.clone()).0?;
    Some(SubmitUpdateResponse::decode(message).ok()?.update?.id)
}

/// Which submissions took effect.
pub fn effective(order: &Order, answer: &Answer) -> Vec<String> {
    if !order.grpc_web() {
        let rows: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let rows = rows.as_array().cloned().unwrap_or_default();
        let fine = rows.iter().filter(|row| row["ok"] == true);
        let ids = fine.filter_map(|row| row["id"].as_str());
        return ids.map(str::to_owned).collect();
    }
    let message = frames::read(answer.body.clone()).0.unwrap_or_default();
    let results = ApplyUpdatesResponse::decode(message).unwrap_or_default();
    let fine = results.results.into_iter().filter(|result| result.ok);
    fine.map(|ApplyResult { id, .. }| id).collect()
}

fn number_of(hundredths: i64) -> f64 {
    hourmeter_runtime::quantity::Quantity::from_hundredths(hundredths).to_f64()
}
