//! Content of the digest.

use hourmeter_proto::accounts::v1::Contact;
use hourmeter_proto::equipment::v1::{DigestMachines, Equipment, ServiceTask};
use maud::{Markup, html};
use uuid::Uuid;

use super::content::{Mail, Row, one_line};
use crate::payment::Payment;
use crate::silent_phones::SilentPhone;
use crate::sources::Facts;
use crate::texts::{Texts, counted};

mod texts;

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
}

/// The digest for one person. None: the address is invalid.
pub fn digest(origin: &str, contact: &Contact, key: Uuid, facts: &Facts) -> Option<Mail> {
    let texts = Texts::of(contact);
    let sections = sections(texts, facts);
    let counts: Vec<_> = sections.iter().map(|section| &*section.count).collect();
    let subject = match counts.as_slice() {
        [] => texts
            .pick("nothing needs you today", "hoy no hay pendientes")
            .to_owned(),
        counts => counts.join(", "),
    };
    let subject = format!("Hourmeter: {subject}");
    let title = texts.long_day(facts.today);
    let nothing = sections.is_empty().then(|| {
        texts.pick(
            "Nothing is overdue, due this week or waiting for review, and no reading is late.",
            "No hay nada vencido, nada que toque esta semana ni por revisar, y ninguna lectura está atrasada.",
        )
    });
    let watched = facts.watched_only.then(|| {
        texts.pick(
            "Only the machines that you watch are listed; reports for review are those of all machines.",
            "Solo aparecen los equipos que sigues; los reportes por revisar son de todos los equipos.",
        )
    });
    let why = texts.pick(
        "You get this digest because you use Hourmeter.",
        "Recibes este resumen porque usas Hourmeter.",
    );
    let settings = texts.pick("Change days and time", "Cambiar días y hora");
    let settings_link = format!("{origin}/profile");
    let stop = texts.pick("Stop the digest", "Dejar de recibirlo");
    let stop_link = format!("{origin}/unsubscribe#{key}");
    let content = html! {
        h1 style="margin:0 0 16px;font-size:20px" { (title) }
        @if let Some(nothing) = nothing { p { (nothing) } }
        @for section in &sections { (section.html(origin)) }
        @if let Some(watched) = watched { p style="margin-top:24px;font-size:14px" { (watched) } }
        p style="margin-top:32px;font-size:14px" {
            (why) " "
            a href=(settings_link) { (settings) } " · " a href=(stop_link) { (stop) }
        }
    };
    let mut blocks = vec![title];
    blocks.extend(nothing.map(str::to_owned));
    blocks.extend(sections.iter().map(|section| section.plain(origin)));
    blocks.extend(watched.map(str::to_owned));
    blocks.push(format!(
        "{why}\n{settings}: {settings_link}\n{stop}: {stop_link}\n"
    ));
    Some(Mail {
        unsubscribe: Some(format!("{origin}/api/unsubscribe/{key}")),
        ..Mail::to(contact, &subject, &content, blocks.join("\n\n"))?
    })
}

impl Section {
    fn html(&self, origin: &str) -> Markup {
        html! {
            h2 class=[self.is_late.then_some("late")] style="margin:24px 0 4px;font-size:16px" {
                (self.heading)
            }
            @for row in &self.rows { (row.html(origin)) }
        }
    }

    fn plain(&self, origin: &str) -> String {
        let rows: Vec<_> = self.rows.iter().map(|row| row.plain(origin)).collect();
        format!("{}\n{}", self.heading, rows.join("\n"))
    }
}

/// Most urgent first; without empty ones.
fn sections(texts: Texts, facts: &Facts) -> Vec<Section> {
    let found = &facts.equipment;
    let is_outlook = facts.due_within_days > DAYS_OF_WEEK;
    let rows_due = if is_outlook { ROWS_OF_OUTLOOK } else { ROWS };
    let (pending, flagged) = (facts.review.pending, facts.review.flagged);
    let review = (pending > 0).then(|| Section {
        count: format!("{pending} {}", texts.pick("to review", "por revisar")),
        heading: texts.pick("Waiting for review", "Por revisar").to_owned(),
        is_late: false,
        rows: vec![Row {
            name: texts.reports(pending, flagged),
            detail: String::new(),
            path: "/review".to_owned(),
        }],
    });
    let overdue = list(
        texts,
        (found.overdue.as_ref(), ROWS),
        (
            texts.pick("Overdue", "Vencidos"),
            texts.pick(["overdue"; 2], ["vencido", "vencidos"]),
            "/equipment/overdue",
        ),
        |machine, _| texts.overdue_tasks(machine),
    )
    .map(|section| Section {
        is_late: true,
        ..section
    });
    let (heading, words) = if is_outlook {
        texts.pick(
            ("Due in the next four weeks", "due in four weeks"),
            ("Toca en las próximas cuatro semanas", "en cuatro semanas"),
        )
    } else {
        texts.pick(
            ("Due this week", "due this week"),
            ("Toca esta semana", "esta semana"),
        )
    };
    let due = list(
        texts,
        (found.due.as_ref(), rows_due),
        (heading, [words; 2], "/service"),
        |machine, task| texts.due(machine, task),
    );
    let stale = list(
        texts,
        (found.stale.as_ref(), ROWS),
        (
            texts.pick("Not read in time", "Sin lectura reciente"),
            texts.pick(["not read"; 2], ["sin lectura"; 2]),
            "/equipment-list?stale=true",
        ),
        |machine, _| texts.unread(machine.meter_age_days.unwrap_or_default()),
    );
    let payment = facts.payment.map(|found| payment(texts, found));
    let phones = silent_phones(texts, &facts.silent_phones);
    [payment, overdue, due, review, stale, phones]
        .into_iter()
        .flatten()
        .collect()
}

fn list(
    texts: Texts,
    (machines, at_most): (Option<&DigestMachines>, usize),
    (heading, words, path): (&str, [&str; 2], &str),
    detail: impl Fn(&Equipment, &ServiceTask) -> String,
) -> Option<Section> {
    let machines = machines.filter(|machines| machines.total > 0)?;
    let shown = machines.machines.iter().take(at_most);
    let none = ServiceTask::default();
    let mut rows: Vec<_> = shown
        .map(|machine| Row {
            name: label(machine),
            detail: detail(machine, machine.tasks.first().unwrap_or(&none)),
            path: format!("/equipment/item/{}", machine.id),
        })
        .collect();
    let left = (machines.total as usize).saturating_sub(rows.len());
    rows.extend(Row::more(texts, left, path));
    Some(Section {
        count: counted(machines.total, words),
        heading: format!("{heading} ({})", machines.total),
        is_late: false,
        rows,
    })
}

fn silent_phones(texts: Texts, phones: &[SilentPhone]) -> Option<Section> {
    let count = u32::try_from(phones.len()).unwrap_or(u32::MAX);
    let path = "/employees";
    let shown = phones.iter().take(ROWS).map(|phone| Row {
        name: one_line(&phone.label),
        detail: one_line(&texts.silent_since(phone)),
        path: path.to_owned(),
    });
    let left = phones.len().saturating_sub(ROWS);
    let words = texts.pick(
        ["phone without contact", "phones without contact"],
        ["teléfono sin conexión", "teléfonos sin conexión"],
    );
    let heading = texts.pick(
        "Phones without contact, maybe with unsent reports",
        "Teléfonos sin conexión, tal vez con reportes sin enviar",
    );
    (count > 0).then(|| Section {
        count: counted(count, words),
        heading: format!("{heading} ({count})"),
        is_late: false,
        rows: shown.chain(Row::more(texts, left, path)).collect(),
    })
}

fn payment(texts: Texts, payment: Payment) -> Section {
    let (count, name, detail) = match payment {
        Payment::Failed(day) => (
            texts.pick("payment failed", "pago rechazado"),
            texts.pick("The payment failed", "El pago no se pudo cobrar"),
            texts.until(day),
        ),
        Payment::TrialEnds(day) => (
            texts.pick("trial ends", "termina la prueba"),
            texts.pick("The trial ends", "La prueba termina"),
            texts.short_day(day),
        ),
        Payment::TrialEnded(day) => (
            texts.pick("trial has ended", "terminó la prueba"),
            texts.pick("The trial has ended", "La prueba terminó"),
            texts.short_day(day),
        ),
        Payment::PlanEnds(day) => (
            texts.pick("plan ends", "termina el plan"),
            texts.pick("The plan ends", "El plan termina"),
            texts.short_day(day),
        ),
        Payment::PlanEnded(day) => (
            texts.pick("plan has ended", "terminó el plan"),
            texts.pick("The plan has ended", "El plan terminó"),
            texts.short_day(day),
        ),
    };
    Section {
        count: count.to_owned(),
        heading: texts.pick("Your subscription", "Tu suscripción").to_owned(),
        is_late: true,
        rows: vec![Row {
            name: name.to_owned(),
            detail,
            path: "/subscription".to_owned(),
        }],
    }
}

/// Unit number and name.
fn label(machine: &Equipment) -> String {
    let number = machine.unit_number.as_deref().unwrap_or_default();
    one_line(&format!("{number} {}", machine.name))
}
