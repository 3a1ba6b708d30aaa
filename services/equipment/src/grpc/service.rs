//! Mark as Serviced.

use chrono::NaiveDate;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::{Failure, Kind};
use hourmeter_runtime::idempotency::{Begun, Key, begin};
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::quantity::Quantity;
use tonic::Request;

use super::{Api, id, input, manager, read};
use crate::domain::calendar::{DATE_MESSAGE, read_date};
use crate::domain::equipment::ServiceTask;
use crate::domain::ledger::{Entry, EntryKind, MeterMove};
use crate::domain::problems::Problems;
use crate::domain::usage::serviced;
use crate::store;
use crate::store::meter::Posting;

/// `MarkServiced`.
pub async fn mark_serviced(
    api: &Api,
    request: Request<v1::MarkServicedRequest>,
) -> Result<v1::MarkServicedResponse, Failure> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "MarkServiced")?;
    let request = request.into_inner();
    let id = id(&request.id)?;
    let today = api.today(&identity);
    let done = Done::read(&request, today)?;
    let now = api.clock.now();

    let tx = api.database.tenant(identity.tenant()).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Begun::New(work) => work,
        Begun::Repeat(answer) => return Ok(answer),
    };
    let company = identity.company_id;
    let meter = store::meter::lock(&mut tx, company, id).await?;
    let meter = meter.ok_or_else(Failure::not_found)?;
    let found = store::equipment::find(&mut tx, company, id).await?;
    let task = found.ok_or_else(Failure::not_found)?.body.task;
    if !has_plan(&task) {
        return Err(no_service_plan());
    }
    let task = serviced(task, meter.usage, done.day);
    store::equipment::update_task(&mut tx, company, id, &task).await?;
    store::meter::post(&mut tx, company, id, Posting::default(), now).await?;
    let mut entry = Entry::new(meter.subject, EntryKind::Service, manager(&identity), now);
    entry.usage = Some(MeterMove {
        before: meter.usage,
        after: meter.usage,
    });
    entry.content = done.content(today);
    entry.cost = done.cost;
    entry.performed_on = Some(done.day);
    store::ledger::insert(&mut tx, company, &entry).await?;
    let equipment = read::whole(api, &mut tx, &identity, id).await?;
    let answer = v1::MarkServicedResponse {
        equipment: Some(equipment),
    };
    tx.finish(&answer).await?;
    Ok(answer)
}

const fn has_plan(task: &ServiceTask) -> bool {
    !task.interval.is_zero() || task.schedule.is_some()
}

fn no_service_plan() -> Failure {
    let message = "This equipment has no service interval and no maintenance schedule.";
    Failure::new(Kind::Conflict, message).with_reason("NO_SERVICE_PLAN")
}

/// A service as a person tells it.
struct Done {
    day: NaiveDate,
    notes: String,
    cost: Option<Quantity>,
}

impl Done {
    fn read(request: &v1::MarkServicedRequest, today: NaiveDate) -> Result<Self, Failure> {
        let mut problems = Problems::default();
        let notes = input::long_text(&request.notes, "notes", &mut problems);
        let cost = request.cost.map(Quantity::from_input).transpose();
        let cost = problems.keep("cost", cost).flatten();
        let day = match request.performed_at.trim() {
            "" => Some(today),
            text => problems.keep("performedAt", read_date(text).ok_or(DATE_MESSAGE)),
        };
        let day = day.unwrap_or(today);
        if day > today {
            problems.add("performedAt", "Must not be in the future.");
        }
        problems.check()?;
        Ok(Self { day, notes, cost })
    }

    /// Notes and cost, and the day when it was another one.
    fn content(&self, today: NaiveDate) -> String {
        let mut lines = Vec::new();
        if !self.notes.is_empty() {
            lines.push(self.notes.clone());
        }
        if let Some(cost) = self.cost {
            let (dollars, cents) = (cost.hundredths() / 100, cost.hundredths() % 100);
            lines.push(format!("Cost: ${dollars}.{cents:02}"));
        }
        if self.day != today {
            lines.push(format!("Performed on {}", self.day));
        }
        lines.join("\n")
    }
}
