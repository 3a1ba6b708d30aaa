//! Twenty weeks of the demo company's history.

use anyhow::{Context as _, Result};
use chrono::{DateTime, Datelike, Duration, Utc, Weekday};
use hourmeter_proto::equipment::v1::equipment_service_client::EquipmentServiceClient;
use hourmeter_proto::equipment::v1::{
    AddNoteRequest, CalendarUnit, CreateEquipmentRequest, EquipmentFuel, EquipmentInput,
    EquipmentType, MarkServicedRequest, MeterUnit, ServicePart, ServiceParts,
};
use hourmeter_proto::operator_updates::v1::operator_updates_service_client::OperatorUpdatesServiceClient;
use hourmeter_proto::operator_updates::v1::{
    ApplyUpdateRequest, FuelKind, RejectUpdateRequest, SubmitUpdateRequest,
};
use hourmeter_runtime::clock::Clock;

use super::company::{Calls, DemoCompany};
use super::machines::{Data, FIRST_DAILY_WEEK, Machine, WEEKS};
use crate::product::Product;

/// Weekly factors; their average is 1.
const RHYTHM: [f64; 4] = [0.85, 1.1, 0.95, 1.1];
/// Daily factors; their average is 1.
const DAILY_RHYTHM: [f64; 5] = [0.8, 1.1, 1.25, 0.75, 1.1];

pub struct History<'a> {
    pub data: &'a Data,
    pub equipment: EquipmentServiceClient<Calls>,
    /// Calls of the owner.
    updates: OperatorUpdatesServiceClient<Calls>,
    /// Calls of each operator.
    operators: Vec<OperatorUpdatesServiceClient<Calls>>,
    /// Id and meter of each machine.
    pub meters: Vec<(String, f64)>,
}

/// Registers the machines, records the weeks and leaves submissions for review today.
pub async fn record(product: &Product, company: &DemoCompany, clock: &Clock) -> Result<()> {
    let first_workday = first_workday(clock.now())?;
    let backends = &product.backends;
    let updates = |who| {
        let calls = company.calls(&backends.operator_updates, who);
        OperatorUpdatesServiceClient::new(calls)
    };
    let operators = company.operators.iter();
    let mut history = History {
        data: &Data::read()?,
        equipment: EquipmentServiceClient::new(company.calls(&backends.equipment, &company.owner)),
        updates: updates(&company.owner),
        operators: operators.map(|one| updates(&one.identity)).collect(),
        meters: Vec::new(),
    };
    for (number, machine) in history.data.machines.iter().enumerate() {
        let id = history.register(machine, history.parts_of(number)).await?;
        history.meters.push((id, machine.start));
    }
    for week in 0..WEEKS {
        let end = first_workday + Duration::weeks(week.into());
        history.work_a_week(week, clock, end).await?;
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
    let zone = chrono_tz::America::Chicago;
    let day = (start + Duration::days(6)).with_timezone(&zone);
    let afternoon = day.date_naive().and_hms_opt(15, 40, 0);
    let local = afternoon.and_then(|time| time.and_local_timezone(zone).earliest());
    Ok(local.context("no such time")?.to_utc())
}

/// The working days of the week until `end`, which is always one, and each one's share of the week.
fn workdays(week: u32, end: DateTime<Utc>) -> Result<Vec<(DateTime<Utc>, f64)>> {
    let rhythm = RHYTHM[week as usize % RHYTHM.len()];
    if week < FIRST_DAILY_WEEK {
        return Ok(vec![(end, rhythm)]);
    }
    let is_free = |day: &DateTime<Utc>| matches!(day.weekday(), Weekday::Sat | Weekday::Sun);
    let days = (0..7).rev().map(|back| end - Duration::days(back));
    let days: Vec<_> = days.filter(|day| *day == end || !is_free(day)).collect();
    let share = rhythm / f64::from(u32::try_from(days.len())?);
    let shares = DAILY_RHYTHM.iter().cycle().map(|factor| share * factor);
    Ok(days.into_iter().zip(shares).collect())
}

impl History<'_> {
    /// Returns the id.
    pub async fn register(&mut self, machine: &Machine, parts: Vec<ServicePart>) -> Result<String> {
        let kind = EquipmentType::from_str_name(&format!("EQUIPMENT_TYPE_{}", machine.r#type));
        let unit = MeterUnit::from_str_name(&format!("METER_UNIT_{}", machine.unit));
        let fuel = EquipmentFuel::from_str_name(&format!("EQUIPMENT_FUEL_{}", machine.fuel));
        let mut input = EquipmentInput {
            name: Some(machine.name.clone()),
            r#type: Some(kind.context("unknown type")?.into()),
            unit_number: Some(machine.unit_number.clone()),
            group: Some(machine.group.clone()),
            serial_number: Some(machine.serial.clone()),
            unit: Some(unit.context("unknown unit")?.into()),
            current_usage: Some(machine.start),
            threshold: machine.lifespan,
            fuel: Some(fuel.context("unknown fuel")?.into()),
            service_interval: Some(machine.interval),
            description: Some(machine.description.clone()),
            service_parts: Some(ServiceParts { parts }),
            ..EquipmentInput::default()
        };
        if let Some((every, unit, days_ago)) = &machine.calendar {
            let start = (Clock::system().now() - Duration::days(*days_ago)).date_naive();
            input.has_scheduled_maintenance = Some(true);
            input.maintenance_start_date = Some(start.to_string());
            input.maintenance_interval = Some(*every);
            input.maintenance_interval_unit = Some(calendar_unit(unit)?);
        }
        let request = CreateEquipmentRequest {
            equipment: Some(input),
        };
        let created = self.equipment.create_equipment(request).await?.into_inner();
        Ok(created.equipment.context("no equipment")?.id)
    }

    fn parts_of(&self, machine: usize) -> Vec<ServicePart> {
        let parts = self.data.parts.iter().filter(|(of, ..)| *of == machine);
        let parts = parts.map(|(_, part, number, quantity)| ServicePart {
            part: part.clone(),
            part_number: (!number.is_empty()).then(|| number.clone()),
            quantity: Some(*quantity),
        });
        parts.collect()
    }

    async fn work_a_week(&mut self, week: u32, clock: &Clock, end: DateTime<Utc>) -> Result<()> {
        for (day, share) in workdays(week, end)? {
            for (number, machine) in self.data.machines.iter().enumerate() {
                if machine.unit == "NOT_APPLICABLE"
                    || machine.idle_from.is_some_and(|idle| week >= idle)
                {
                    continue;
                }
                clock.set(day + Duration::minutes(7 * i64::try_from(number)?));
                let worked = round_tenth(machine.weekly * share);
                if day != end {
                    self.entry(week, number, worked, 0.0, "").await?;
                    continue;
                }
                let mut notes = self.data.field_notes.iter();
                let note = notes.find(|(when, which, _)| (*when, *which) == (week, number));
                let note = note.map_or("", |(_, _, text)| text);
                let fuel = round_tenth(machine.weekly_fuel * RHYTHM[week as usize % RHYTHM.len()]);
                self.entry(week, number, worked, fuel, note).await?;
                if machine.serviced.contains(&(week + 1)) {
                    self.service(number).await?;
                }
            }
        }
        let notes = self.data.office_notes.iter();
        for (_, number, text) in notes.filter(|(when, ..)| *when == week) {
            let request = AddNoteRequest {
                equipment_id: self.meters[*number].0.clone(),
                content: text.clone(),
                r#type: 0,
            };
            self.equipment.add_note(request).await?;
        }
        Ok(())
    }

    /// An operator submits and the office applies.
    async fn entry(
        &mut self,
        week: u32,
        number: usize,
        worked: f64,
        fuel: f64,
        note: &str,
    ) -> Result<()> {
        let reading = round_tenth(self.meters[number].1 + worked);
        let operator = (week as usize + number) % 2;
        let id = self.submit(operator, number, reading, fuel, note).await?;
        let request = ApplyUpdateRequest {
            id,
            ..ApplyUpdateRequest::default()
        };
        self.updates.apply_update(request).await?;
        self.meters[number].1 = reading;
        Ok(())
    }

    async fn service(&mut self, number: usize) -> Result<()> {
        let request = MarkServicedRequest {
            id: self.meters[number].0.clone(),
            notes: "Oil and filters changed, greased, checked for leaks.".to_owned(),
            cost: Some(186.5),
            ..MarkServicedRequest::default()
        };
        self.equipment.mark_serviced(request).await?;
        Ok(())
    }

    async fn submit(
        &mut self,
        operator: usize,
        number: usize,
        reading: f64,
        fuel: f64,
        note: &str,
    ) -> Result<String> {
        let kind = match &*self.data.machines[number].fuel {
            "DIESEL" => FuelKind::Diesel,
            _ => FuelKind::Gas,
        };
        let request = SubmitUpdateRequest {
            equipment_id: self.meters[number].0.clone(),
            new_usage: Some(reading),
            fuel_added: (fuel > 0.0).then_some(fuel),
            fuel_kind: kind.into(),
            full_fill: fuel > 0.0,
            notes: note.to_owned(),
            ..SubmitUpdateRequest::default()
        };
        let answer = self.operators[operator].submit_update(request).await?;
        Ok(answer.into_inner().update.context("no update")?.id)
    }

    /// Today's submissions: three to review, one of them below the meter, and one rejected.
    async fn leave_for_review(&mut self) -> Result<()> {
        const MARIA: usize = 0;
        const LUIS: usize = 1;
        let meters: Vec<f64> = self.meters.iter().map(|(_, meter)| *meter).collect();
        let refused = self.submit(LUIS, 6, meters[6] + 500.0, 0.0, "").await?;
        let request = RejectUpdateRequest {
            id: refused,
            reason: "500 hours in a week? Please read the meter again.".to_owned(),
        };
        self.updates.reject_update(request).await?;
        let note = "Se prende la luz de temperatura en subida.";
        for (operator, number, worked, fuel, note) in [
            (MARIA, 0, 7.5, 41.0, note),
            (LUIS, 1, 5.2, 12.5, ""),
            (LUIS, 3, -12.0, 0.0, ""),
        ] {
            let reading = round_tenth(meters[number] + worked);
            self.submit(operator, number, reading, fuel, note).await?;
        }
        Ok(())
    }
}

pub fn calendar_unit(name: &str) -> Result<i32> {
    let unit = CalendarUnit::from_str_name(&format!("CALENDAR_UNIT_{name}"));
    Ok(unit.context("unknown calendar unit")?.into())
}

fn round_tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
