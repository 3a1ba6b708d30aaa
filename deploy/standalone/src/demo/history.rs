//! Twenty weeks of the demo company's history.

use anyhow::{Context as _, Result};
use chrono::{DateTime, Duration, Utc};
use hourmeter_proto::equipment::v1::equipment_service_client::EquipmentServiceClient;
use hourmeter_proto::equipment::v1::{
    AddNoteRequest, CreateEquipmentRequest, EquipmentFuel, EquipmentInput, FuelKind,
    MarkServicedRequest, MeterUnit, RecordUsageRequest, ServicePart, ServiceParts,
};
use hourmeter_proto::operator_updates::v1::operator_updates_service_client::OperatorUpdatesServiceClient;
use hourmeter_proto::operator_updates::v1::{
    ApplyUpdateRequest, FuelKind as UpdateFuelKind, RejectUpdateRequest, SubmitUpdateRequest,
};
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::identity::{Identity, Service};

use super::company::DemoCompany;
use super::machines::{MACHINES, Machine, PARTS, WEEKS};
use crate::product::Product;

/// Weekly factors; their average is 1.
const RHYTHM: [f64; 4] = [0.85, 1.1, 0.95, 1.1];

/// Operators' notes: week, machine index, text.
const FIELD_NOTES: [(u32, usize, &str); 7] = [
    (
        3,
        0,
        "Grease fitting on the boom pin was dry, greased it twice.",
    ),
    (
        7,
        3,
        "Pérdida leve de aceite en la manguera del estabilizador.",
    ),
    (
        10,
        5,
        "Two teeth on the chain are worn, will need a set soon.",
    ),
    (13, 1, "Left front tire low again, pumped it up."),
    (
        16,
        0,
        "Hace ruido al girar, hay que revisar el motor de giro.",
    ),
    (18, 8, "Hard to start in the morning, new spark plug?"),
    (19, 2, "Air filter light came on for a moment."),
];

/// Office notes: week, machine index, text.
const OFFICE_NOTES: [(u32, usize, &str); 3] = [
    (
        5,
        9,
        "Recall letter for the door latch; booked with the dealer.",
    ),
    (12, 11, "Registration renewed."),
    (17, 0, "Ordered a filter kit for the next service."),
];

pub struct History<'a> {
    company: &'a DemoCompany,
    pub equipment: EquipmentServiceClient<Backend>,
    updates: OperatorUpdatesServiceClient<Backend>,
    /// Id and meter of each machine in the order of [`MACHINES`].
    pub meters: Vec<(String, f64)>,
}

/// Registers the machines, records the weeks and leaves submissions for review today.
pub async fn record(product: &Product, company: &DemoCompany, clock: &Clock) -> Result<()> {
    let first_workday = first_workday(clock.now())?;
    let backends = product.backends.clone();
    let mut history = History {
        company,
        equipment: EquipmentServiceClient::new(backends.equipment),
        updates: OperatorUpdatesServiceClient::new(backends.operator_updates),
        meters: Vec::new(),
    };
    for number in 0..MACHINES.len() {
        history.register(number).await?;
    }
    for week in 0..WEEKS {
        history
            .work_a_week(week, clock, first_workday + Duration::weeks(week.into()))
            .await?;
    }
    clock.set(Clock::system().now() - Duration::hours(26));
    history.retire_the_old_saw().await?;
    history.plan_tasks().await?;
    history.void_a_typing_error().await?;
    clock.set(Clock::system().now() - Duration::minutes(95));
    history.leave_for_review().await
}

/// The end of a working day in the company's time zone in the first week before `start`.
fn first_workday(start: DateTime<Utc>) -> Result<DateTime<Utc>> {
    let day = (start + Duration::days(6))
        .with_timezone(&chrono_tz::America::Chicago)
        .date_naive();
    let afternoon = day.and_hms_opt(15, 40, 0).context("no such time")?;
    let local = afternoon
        .and_local_timezone(chrono_tz::America::Chicago)
        .earliest();
    Ok(local.context("no such time")?.to_utc())
}

impl History<'_> {
    async fn register(&mut self, number: usize) -> Result<()> {
        let (machine, now): (&Machine, _) = (&MACHINES[number], Clock::system().now());
        let mut input = EquipmentInput {
            name: Some(machine.name.to_owned()),
            r#type: Some(machine.kind.into()),
            unit_number: Some(machine.unit_number.to_owned()),
            serial_number: Some(machine.serial.to_owned()),
            unit: Some(machine.unit.into()),
            current_usage: Some(machine.start),
            threshold: machine.lifespan,
            fuel: Some(machine.fuel.into()),
            service_interval: Some(machine.interval),
            description: Some(machine.description.to_owned()),
            service_parts: Some(parts_of(number)),
            ..EquipmentInput::default()
        };
        if let Some((every, unit, days_ago)) = machine.schedule {
            let start = (now - Duration::days(days_ago)).date_naive();
            input.has_scheduled_maintenance = Some(true);
            input.maintenance_start_date = Some(start.to_string());
            input.maintenance_interval = Some(every);
            input.maintenance_interval_unit = Some(unit.into());
        }
        let request = CreateEquipmentRequest {
            equipment: Some(input),
        };
        let request = self.owner_request(request)?;
        let created = self.equipment.create_equipment(request).await?.into_inner();
        let id = created.equipment.context("no equipment")?.id;
        self.meters.push((id, machine.start));
        Ok(())
    }

    async fn work_a_week(&mut self, week: u32, clock: &Clock, end: DateTime<Utc>) -> Result<()> {
        let rhythm = RHYTHM[week as usize % RHYTHM.len()];
        for (number, machine) in MACHINES.iter().enumerate() {
            if machine.unit == MeterUnit::NotApplicable {
                continue;
            }
            clock.set(end + Duration::minutes(7 * i64::try_from(number)?));
            let worked = round_tenth(machine.weekly * rhythm);
            let fuel = round_tenth(machine.weekly_fuel * rhythm);
            if machine.unit == MeterUnit::Miles {
                self.office_entry(number, worked, fuel).await?;
            } else {
                let note = note_of(&FIELD_NOTES, week, number);
                self.field_entry(week, number, worked, fuel, note).await?;
            }
            if machine.serviced.contains(&(week + 1)) {
                self.service(number).await?;
            }
        }
        for (_, number, text) in OFFICE_NOTES.iter().filter(|(when, ..)| *when == week) {
            let (equipment_id, content) = (self.meters[*number].0.clone(), (*text).to_owned());
            let request = AddNoteRequest {
                equipment_id,
                content,
                r#type: 0,
            };
            let request = self.owner_request(request)?;
            self.equipment.add_note(request).await?;
        }
        Ok(())
    }

    async fn office_entry(&mut self, number: usize, worked: f64, fuel: f64) -> Result<()> {
        let request = RecordUsageRequest {
            id: self.meters[number].0.clone(),
            usage_increase: Some(worked),
            fuel_added: Some(fuel),
            ..RecordUsageRequest::default()
        };
        let request = self.owner_request(request)?;
        let answer = self.equipment.record_usage(request).await?.into_inner();
        self.meters[number].1 = answer.equipment.context("no equipment")?.current_usage;
        Ok(())
    }

    /// An operator submits and the office applies.
    async fn field_entry(
        &mut self,
        week: u32,
        number: usize,
        worked: f64,
        fuel: f64,
        note: &str,
    ) -> Result<()> {
        let reading = round_tenth(self.meters[number].1 + worked);
        let operator = &self.company.operators[(week as usize + number) % 2].identity;
        let id = self
            .submit(operator, number, Some(reading), fuel, note)
            .await?;
        let request = ApplyUpdateRequest {
            id,
            new_usage: None,
            meter_replacement: None,
        };
        let request = self
            .company
            .call(Service::OperatorUpdates, &self.company.owner, request)?;
        self.updates.apply_update(request).await?;
        self.meters[number].1 = reading;
        Ok(())
    }

    async fn service(&mut self, number: usize) -> Result<()> {
        let request = MarkServicedRequest {
            id: self.meters[number].0.clone(),
            notes: "Oil and filters changed, greased, checked for leaks.".to_owned(),
            cost: Some(186.5),
            performed_at: String::new(),
        };
        let request = self.owner_request(request)?;
        self.equipment.mark_serviced(request).await?;
        Ok(())
    }

    async fn submit(
        &mut self,
        operator: &Identity,
        number: usize,
        reading: Option<f64>,
        fuel: f64,
        note: &str,
    ) -> Result<String> {
        let diesel = MACHINES[number].fuel == EquipmentFuel::Diesel;
        debug_assert_eq!(FuelKind::Diesel as i32, UpdateFuelKind::Diesel as i32);
        let kind = if diesel {
            UpdateFuelKind::Diesel
        } else {
            UpdateFuelKind::Gas
        };
        let request = SubmitUpdateRequest {
            equipment_id: self.meters[number].0.clone(),
            new_usage: reading,
            fuel_added: (fuel > 0.0).then_some(fuel),
            fuel_kind: kind.into(),
            notes: note.to_owned(),
            ..SubmitUpdateRequest::default()
        };
        let request = self
            .company
            .call(Service::OperatorUpdates, operator, request)?;
        let answer = self.updates.submit_update(request).await?.into_inner();
        Ok(answer.update.context("no update")?.id)
    }

    /// A request of the owner to the equipment service.
    pub fn owner_request<T>(&self, message: T) -> Result<tonic::Request<T>> {
        self.company
            .call(Service::Equipment, &self.company.owner, message)
    }

    /// Today's submissions: three to review, one of them below the meter, and one rejected.
    async fn leave_for_review(&mut self) -> Result<()> {
        let [maria, luis] = [0, 1].map(|number| self.company.operators[number].identity.clone());
        let below = round_tenth(self.meters[3].1 - 12.0);
        let refused = self
            .submit(&luis, 6, Some(self.meters[6].1 + 500.0), 0.0, "")
            .await?;
        let request = RejectUpdateRequest {
            id: refused,
            reason: "500 hours in a week? Please read the meter again.".to_owned(),
        };
        let request = self
            .company
            .call(Service::OperatorUpdates, &self.company.owner, request)?;
        self.updates.reject_update(request).await?;
        let reading = round_tenth(self.meters[0].1 + 7.5);
        let note = "Se prende la luz de temperatura en subida.";
        self.submit(&maria, 0, Some(reading), 41.0, note).await?;
        let reading = round_tenth(self.meters[1].1 + 5.2);
        self.submit(&luis, 1, Some(reading), 12.5, "").await?;
        self.submit(&luis, 3, Some(below), 0.0, "").await?;
        Ok(())
    }
}

fn parts_of(machine: usize) -> ServiceParts {
    let parts = PARTS.iter().filter(|(of, ..)| *of == machine);
    let parts = parts.map(|(_, part, number, quantity)| ServicePart {
        part: (*part).to_owned(),
        part_number: (!number.is_empty()).then(|| (*number).to_owned()),
        quantity: Some(*quantity),
    });
    ServiceParts {
        parts: parts.collect(),
    }
}

fn note_of(notes: &[(u32, usize, &'static str)], week: u32, number: usize) -> &'static str {
    notes
        .iter()
        .find(|(when, which, _)| (*when, *which) == (week, number))
        .map_or("", |(_, _, text)| *text)
}

fn round_tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
