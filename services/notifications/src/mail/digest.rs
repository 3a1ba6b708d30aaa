//! Content of the digest.

use hourmeter_proto::accounts::v1::{Contact, Language};
use hourmeter_proto::equipment::v1::{DigestMachines, Equipment, ServiceTask};
use lettre::Address;
use lettre::message::Mailbox;
use maud::{Markup, html};
use uuid::Uuid;

use super::content::{Mail, Row, one_line, page};
use crate::payment::Payment;
use crate::silent_phones::SilentPhone;
use crate::sources::Facts;

mod texts;

use texts::Texts;

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
        @if facts.watched_only { p style="margin-top:24px;font-size:14px" { (texts.watched()) } }
        p style="margin-top:32px;font-size:14px" {
            (texts.why()) " "
            a href=(settings) { (texts.settings()) } " · " a href=(stop) { (texts.stop()) }
        }
    };
    Mail {
        html: page(language, &subject, &content),
        to: Mailbox::new(Some(one_line(&contact.name)), address),
        plain: plain(
            texts,
            &title,
            (&sections, facts),
            origin,
            (&settings, &stop),
        ),
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
    (sections, facts): (&[Section], &Facts),
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
    if facts.watched_only {
        lines.extend([String::new(), texts.watched().to_owned()]);
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
        |machine, _| texts.overdue_tasks(machine),
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

fn silent_phones(texts: Texts, phones: &[SilentPhone]) -> Option<Section> {
    let count = phones.len();
    let left = count.saturating_sub(ROWS);
    let rows = phones.iter().take(ROWS).map(|phone| Row {
        name: one_line(&phone.label),
        detail: one_line(&texts.silent_since(phone)),
        path: "/employees".to_owned(),
    });
    (count > 0).then(|| Section {
        count: texts.count_silent(count),
        heading: format!("{} ({count})", texts.silent()),
        is_late: false,
        rows: rows.collect(),
        more: (left > 0).then(|| Row {
            name: texts.more(u32::try_from(left).unwrap_or(u32::MAX)),
            detail: String::new(),
            path: "/employees".to_owned(),
        }),
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
        more: None,
    }
}

/// Unit number and name.
fn label(machine: &Equipment) -> String {
    let number = machine.unit_number.as_deref().unwrap_or_default();
    one_line(&format!("{number} {}", machine.name))
}
