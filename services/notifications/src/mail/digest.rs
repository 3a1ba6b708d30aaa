//! Content of the digest.

use chrono::{Locale, NaiveDate};
use hourmeter_proto::accounts::v1::{Contact, Language};
use hourmeter_proto::equipment::v1::{DigestMachines, Equipment, MeterUnit, ServiceTask};
use lettre::Address;
use lettre::message::Mailbox;
use maud::{Markup, html};
use uuid::Uuid;

use super::content::{Mail, Row, one_line, page};
use crate::payment::Payment;
use crate::sources::Facts;

/// Rows of a list; the outlook of Mondays has more.
const ROWS: usize = 5;
const ROWS_OF_OUTLOOK: usize = 10;
const DAYS_OF_WEEK: u32 = 7;

/// Some lines under a heading.
struct Section {
    /// For the subject.
    count: String,
    heading: String,
    is_late: bool,
    rows: Vec<Row>,
    more: Option<Row>,
}

/// The digest for one person.
pub fn digest(
    origin: &str,
    (contact, address): (&Contact, Address),
    key: Uuid,
    facts: &Facts,
) -> Mail {
    let language = contact.language();
    let texts = Texts(language == Language::Spanish);
    let sections = sections(texts, facts);
    let counts: Vec<_> = sections.iter().map(|section| &*section.count).collect();
    let subject = match counts.as_slice() {
        [] => format!("Hourmeter: {}", texts.nothing()),
        counts => format!("Hourmeter: {}", counts.join(", ")),
    };
    let title = texts.long_day(facts.today);
    let stop = format!("{origin}/unsubscribe#{key}");
    let settings = format!("{origin}/profile");
    let content = html! {
        h1 style="margin:0 0 16px;font-size:20px" { (title) }
        @if sections.is_empty() { p { (texts.nothing_long()) } }
        @for section in &sections { (section.html(origin)) }
        p style="margin-top:32px;font-size:14px" {
            (texts.why()) " "
            a href=(settings) { (texts.settings()) } " · " a href=(stop) { (texts.stop()) }
        }
    };
    Mail {
        html: page(language, &subject, &content),
        to: Mailbox::new(Some(one_line(&contact.name)), address),
        plain: plain(texts, &title, &sections, origin, (&settings, &stop)),
        subject,
        unsubscribe: Some(format!("{origin}/api/unsubscribe/{key}")),
    }
}

impl Section {
    fn html(&self, origin: &str) -> Markup {
        html! {
            h2 class=[self.is_late.then_some("late")] style="margin:24px 0 4px;font-size:16px" {
                (self.heading)
            }
            @for row in self.rows.iter().chain(&self.more) { (row.html(origin)) }
        }
    }
}

fn plain(
    texts: Texts,
    title: &str,
    sections: &[Section],
    origin: &str,
    (settings, stop): (&str, &str),
) -> String {
    let mut lines = vec![title.to_owned()];
    if sections.is_empty() {
        lines.extend([String::new(), texts.nothing_long().to_owned()]);
    }
    for section in sections {
        lines.extend([String::new(), section.heading.clone()]);
        let rows = section.rows.iter().chain(&section.more);
        lines.extend(rows.map(|row| row.plain(origin)));
    }
    lines.extend([
        String::new(),
        texts.why().to_owned(),
        format!("{}: {settings}", texts.settings()),
        format!("{}: {stop}", texts.stop()),
        String::new(),
    ]);
    lines.join("\n")
}

/// Most urgent first; without empty ones.
fn sections(texts: Texts, facts: &Facts) -> Vec<Section> {
    let found = &facts.equipment;
    let is_outlook = facts.due_within_days > DAYS_OF_WEEK;
    let rows_due = if is_outlook { ROWS_OF_OUTLOOK } else { ROWS };
    let (pending, flagged) = (facts.review.pending, facts.review.flagged);
    let review = (pending > 0).then(|| Section {
        count: texts.count_review(pending),
        heading: texts.review().to_owned(),
        is_late: false,
        rows: vec![Row {
            name: texts.reports(pending, flagged),
            detail: String::new(),
            path: "/review".to_owned(),
        }],
        more: None,
    });
    let overdue = list(
        texts,
        (found.overdue.as_ref(), ROWS),
        (texts.overdue(), Texts::count_overdue, "/equipment/overdue"),
        |machine, task| texts.overdue_by(machine, task),
    )
    .map(|section| Section {
        is_late: true,
        ..section
    });
    let (heading, count): (_, fn(Texts, u32) -> String) = if is_outlook {
        (texts.outlook(), Texts::count_outlook)
    } else {
        (texts.this_week(), Texts::count_this_week)
    };
    let due = list(
        texts,
        (found.due.as_ref(), rows_due),
        (heading, count, "/service"),
        |machine, task| texts.due(machine, task),
    );
    let stale = list(
        texts,
        (found.stale.as_ref(), ROWS),
        (
            texts.stale(),
            Texts::count_stale,
            "/equipment-list?stale=true",
        ),
        |machine, _| texts.unread(machine.meter_age_days.unwrap_or_default()),
    );
    let payment = facts.payment.map(|payment| texts.payment(payment));
    [payment, overdue, due, review, stale]
        .into_iter()
        .flatten()
        .collect()
}

fn list(
    texts: Texts,
    (machines, at_most): (Option<&DigestMachines>, usize),
    (heading, count, path): (&str, fn(Texts, u32) -> String, &str),
    detail: impl Fn(&Equipment, &ServiceTask) -> String,
) -> Option<Section> {
    let machines = machines.filter(|machines| machines.total > 0)?;
    let shown = machines.machines.iter().take(at_most);
    let none = ServiceTask::default();
    let rows: Vec<_> = shown
        .map(|machine| Row {
            name: label(machine),
            detail: detail(machine, machine.tasks.first().unwrap_or(&none)),
            path: format!("/equipment/item/{}", machine.id),
        })
        .collect();
    let left = machines
        .total
        .saturating_sub(u32::try_from(rows.len()).unwrap_or_default());
    Some(Section {
        count: count(texts, machines.total),
        heading: format!("{heading} ({})", machines.total),
        is_late: false,
        rows,
        more: (left > 0).then(|| Row {
            name: texts.more(left),
            detail: String::new(),
            path: path.to_owned(),
        }),
    })
}

/// Unit number and name.
fn label(machine: &Equipment) -> String {
    let number = machine.unit_number.as_deref().unwrap_or_default();
    one_line(&format!("{number} {}", machine.name))
}

/// Texts in Spanish (true) or English.
#[derive(Clone, Copy)]
struct Texts(bool);

impl Texts {
    fn pick<T>(self, english: T, spanish: T) -> T {
        if self.0 { spanish } else { english }
    }

    fn nothing(self) -> &'static str {
        self.pick("nothing needs you today", "hoy no hay pendientes")
    }

    fn nothing_long(self) -> &'static str {
        self.pick(
            "Nothing is overdue, due this week or waiting for review, and all meters were read in time.",
            "No hay nada vencido, nada que toque esta semana ni por revisar, y todos los medidores se leyeron a tiempo.",
        )
    }

    fn why(self) -> &'static str {
        self.pick(
            "You get this digest because you use Hourmeter.",
            "Recibes este resumen porque usas Hourmeter.",
        )
    }

    fn settings(self) -> &'static str {
        self.pick("Change days and time", "Cambiar días y hora")
    }

    fn stop(self) -> &'static str {
        self.pick("Stop the digest", "Dejar de recibirlo")
    }

    fn overdue(self) -> &'static str {
        self.pick("Overdue", "Vencidos")
    }

    fn this_week(self) -> &'static str {
        self.pick("Due this week", "Toca esta semana")
    }

    fn outlook(self) -> &'static str {
        self.pick(
            "Due in the next four weeks",
            "Toca en las próximas cuatro semanas",
        )
    }

    fn review(self) -> &'static str {
        self.pick("Waiting for review", "Por revisar")
    }

    fn stale(self) -> &'static str {
        self.pick("Not read in time", "Sin lectura reciente")
    }

    fn payment(self, payment: Payment) -> Section {
        let (count, name, detail) = match payment {
            Payment::Failed(day) => (
                self.pick("payment failed", "pago rechazado"),
                self.pick("The payment failed", "El pago no se pudo cobrar"),
                self.until(day),
            ),
            Payment::TrialEnds(day) => (
                self.pick("trial ends", "termina la prueba"),
                self.pick("The trial ends", "La prueba termina"),
                self.short_day(day),
            ),
            Payment::TrialEnded(day) => (
                self.pick("trial has ended", "terminó la prueba"),
                self.pick("The trial has ended", "La prueba terminó"),
                self.short_day(day),
            ),
            Payment::PlanEnds(day) => (
                self.pick("plan ends", "termina el plan"),
                self.pick("The plan ends", "El plan termina"),
                self.short_day(day),
            ),
            Payment::PlanEnded(day) => (
                self.pick("plan has ended", "terminó el plan"),
                self.pick("The plan has ended", "El plan terminó"),
                self.short_day(day),
            ),
        };
        Section {
            count: count.to_owned(),
            heading: self.pick("Your subscription", "Tu suscripción").to_owned(),
            is_late: true,
            rows: vec![Row {
                name: name.to_owned(),
                detail,
                path: "/subscription".to_owned(),
            }],
            more: None,
        }
    }

    fn until(self, day: NaiveDate) -> String {
        let day = self.short_day(day);
        self.pick(
            format!("access ends on {day}"),
            format!("el acceso termina el {day}"),
        )
    }

    fn count_overdue(self, count: u32) -> String {
        match count {
            1 => self.pick("1 overdue", "1 vencido").to_owned(),
            count => format!("{count} {}", self.pick("overdue", "vencidos")),
        }
    }

    fn count_this_week(self, count: u32) -> String {
        format!("{count} {}", self.pick("due this week", "esta semana"))
    }

    fn count_outlook(self, count: u32) -> String {
        format!(
            "{count} {}",
            self.pick("due in four weeks", "en cuatro semanas")
        )
    }

    fn count_review(self, count: u32) -> String {
        format!("{count} {}", self.pick("to review", "por revisar"))
    }

    fn count_stale(self, count: u32) -> String {
        format!("{count} {}", self.pick("not read", "sin lectura"))
    }

    fn more(self, count: u32) -> String {
        self.pick(format!("and {count} more"), format!("y {count} más"))
    }

    fn reports(self, pending: u32, flagged: u32) -> String {
        let reports = match pending {
            1 => self.pick("1 report", "1 reporte").to_owned(),
            count => format!("{count} {}", self.pick("reports", "reportes")),
        };
        match flagged {
            0 => reports,
            1 => format!("{reports}, 1 {}", self.pick("flagged", "marcado")),
            count => format!("{reports}, {count} {}", self.pick("flagged", "marcados")),
        }
    }

    fn task(self, task: &ServiceTask) -> &str {
        match task.name.as_str() {
            "" => self.pick("Regular service", "Servicio regular"),
            name => name,
        }
    }

    fn overdue_by(self, machine: &Equipment, task: &ServiceTask) -> String {
        let name = self.task(task);
        let over = task.next_due_usage.map(|due| machine.current_usage - due);
        let late = match over.filter(|over| *over > 0.0) {
            Some(over) => amount(over, machine),
            None => self.days(task.days_until_due.unwrap_or_default().unsigned_abs()),
        };
        self.pick(
            format!("{name}, {late} overdue"),
            format!("{name}, vencido por {late}"),
        )
    }

    fn due(self, machine: &Equipment, task: &ServiceTask) -> String {
        let name = self.task(task);
        let day = task.projected_due_date.parse();
        let day = day.map_or_else(|_| String::new(), |day| self.short_day(day));
        let left = task.remaining_usage.filter(|_| !task.projected_by_calendar);
        let Some(left) = left else {
            return format!("{name}, {day}");
        };
        if left <= 0.0 {
            return format!("{name}, {}", self.pick("due now", "ya toca"));
        }
        let left = amount(left, machine);
        self.pick(
            format!("{name}, in {left}, about {day}"),
            format!("{name}, en {left}, hacia el {day}"),
        )
    }

    fn unread(self, days: u32) -> String {
        let days = self.days(days);
        self.pick(
            format!("No reading for {days}"),
            format!("{days} sin lectura"),
        )
    }

    fn days(self, count: u32) -> String {
        match count {
            1 => self.pick("1 day", "1 día").to_owned(),
            count => format!("{count} {}", self.pick("days", "días")),
        }
    }

    fn long_day(self, day: NaiveDate) -> String {
        let (format, locale) = self.pick(
            ("%A, %B %-d", Locale::en_US),
            ("%A %-d de %B", Locale::es_MX),
        );
        let text = day.format_localized(format, locale).to_string();
        let mut letters = text.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect()
    }

    fn short_day(self, day: NaiveDate) -> String {
        let (format, locale) =
            self.pick(("%a, %b %-d", Locale::en_US), ("%a %-d %b", Locale::es_MX));
        day.format_localized(format, locale).to_string()
    }
}

/// A usage with one decimal at most, such as "12.5 h".
fn amount(usage: f64, machine: &Equipment) -> String {
    let unit = match machine.unit() {
        MeterUnit::Miles => "mi",
        MeterUnit::Kilometers => "km",
        _ => "h",
    };
    format!("{} {unit}", (usage * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Equipment {
        Equipment {
            unit: MeterUnit::Miles.into(),
            current_usage: 1_500.0,
            ..Equipment::default()
        }
    }

    fn due(left: Option<f64>, by_calendar: bool) -> ServiceTask {
        ServiceTask {
            name: "Oil".to_owned(),
            projected_due_date: "2026-12-01".to_owned(),
            projected_by_calendar: by_calendar,
            remaining_usage: left,
            ..ServiceTask::default()
        }
    }

    #[test]
    fn due_is_by_usage_or_calendar_or_now() {
        for (task, english, spanish) in [
            (
                due(Some(10.04), false),
                "Oil, in 10 mi, about Tue, Dec 1",
                "Oil, en 10 mi, hacia el mar 1 dic",
            ),
            (due(Some(0.0), false), "Oil, due now", "Oil, ya toca"),
            (due(Some(5.0), true), "Oil, Tue, Dec 1", "Oil, mar 1 dic"),
            (due(None, true), "Oil, Tue, Dec 1", "Oil, mar 1 dic"),
        ] {
            assert_eq!(Texts(false).due(&machine(), &task), english);
            assert_eq!(Texts(true).due(&machine(), &task), spanish);
        }
    }

    #[test]
    fn overdue_is_by_usage_or_days() {
        let by = |next_due_usage, days| {
            let task = ServiceTask {
                next_due_usage,
                days_until_due: days,
                ..ServiceTask::default()
            };
            Texts(false).overdue_by(&machine(), &task)
        };
        assert_eq!(
            by(Some(1_400.0), Some(-3)),
            "Regular service, 100 mi overdue"
        );
        assert_eq!(
            by(Some(1_600.0), Some(-1)),
            "Regular service, 1 day overdue"
        );
        assert_eq!(by(None, Some(-3)), "Regular service, 3 days overdue");
    }
}
