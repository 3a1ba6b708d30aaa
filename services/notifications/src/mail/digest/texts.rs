//! Texts of the digest.

use chrono::{Locale, NaiveDate};
use hourmeter_proto::equipment::v1::{Equipment, MeterUnit, ServiceTask};

use crate::silent_phones::SilentPhone;
use crate::texts::{Texts, counted};

/// Tasks that a machine's row names.
const MAX_TASKS: usize = 3;

impl Texts {
    pub(super) fn silent_since(self, phone: &SilentPhone) -> String {
        let (people, day) = (phone.people.join(", "), self.short_day(phone.last_contact));
        self.pick(
            format!("{people}: no contact since {day}"),
            format!("{people}: sin conexión desde el {day}"),
        )
    }

    pub(super) fn until(self, day: NaiveDate) -> String {
        let day = self.short_day(day);
        self.pick(
            format!("access ends on {day}"),
            format!("el acceso termina el {day}"),
        )
    }

    pub(super) fn reports(self, pending: u32, flagged: u32) -> String {
        let words = self.pick(["report", "reports"], ["reporte", "reportes"]);
        let reports = counted(pending, words);
        if flagged == 0 {
            return reports;
        }
        let words_of_flagged = self.pick(["flagged"; 2], ["marcado", "marcados"]);
        format!("{reports}, {}", counted(flagged, words_of_flagged))
    }

    fn task(self, task: &ServiceTask) -> &str {
        match task.name.as_str() {
            "" => self.pick("Regular service", "Servicio regular"),
            name => name,
        }
    }

    /// The overdue tasks of a machine, the most urgent first.
    pub(super) fn overdue_tasks(self, machine: &Equipment) -> String {
        let tasks = machine.tasks.iter();
        let named = tasks.map(|task| self.overdue_by(machine, task));
        let named: Vec<_> = named.take(MAX_TASKS).collect();
        let named = named.join("; ");
        match machine.tasks.len().saturating_sub(MAX_TASKS) {
            0 => named,
            left => format!("{named}; {}", self.more(left)),
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

    pub(super) fn due(self, machine: &Equipment, task: &ServiceTask) -> String {
        let name = self.task(task);
        let day = task.projected_due_date.parse();
        let day = day.map_or_else(|_| String::new(), |day| self.short_day(day));
        // Without a known use there is no date: only the remaining usage is shown.
        let is_unknown = task.projected_due_date.is_empty()
            || (!task.order_date.is_empty() && task.order_date < task.projected_due_date);
        let left = task
            .remaining_usage
            .filter(|_| is_unknown || !task.projected_by_calendar);
        let Some(left) = left else {
            return format!("{name}, {day}");
        };
        if left <= 0.0 {
            return format!("{name}, {}", self.pick("due now", "ya toca"));
        }
        let left = amount(left, machine);
        if is_unknown {
            return self.pick(format!("{name}, in {left}"), format!("{name}, en {left}"));
        }
        self.pick(
            format!("{name}, in {left}, about {day}"),
            format!("{name}, en {left}, hacia el {day}"),
        )
    }

    pub(super) fn unread(self, days: u32) -> String {
        let days = self.days(days);
        self.pick(
            format!("No reading for {days}"),
            format!("{days} sin lectura"),
        )
    }

    fn days(self, count: u32) -> String {
        counted(count, self.pick(["day", "days"], ["día", "días"]))
    }

    pub(super) fn long_day(self, day: NaiveDate) -> String {
        let (format, locale) = self.pick(
            ("%A, %B %-d", Locale::en_US),
            ("%A %-d de %B", Locale::es_MX),
        );
        let text = day.format_localized(format, locale).to_string();
        let mut letters = text.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect()
    }

    pub(super) fn short_day(self, day: NaiveDate) -> String {
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

    /// At an unknown use, with or without a date of its own.
    fn unknown(projected: &str) -> ServiceTask {
        ServiceTask {
            projected_due_date: projected.to_owned(),
            order_date: "2026-11-24".to_owned(),
            ..due(Some(10.0), true)
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
            (unknown("2026-12-01"), "Oil, in 10 mi", "Oil, en 10 mi"),
            (unknown(""), "Oil, in 10 mi", "Oil, en 10 mi"),
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

    #[test]
    fn overdue_tasks_names_three_and_counts_others() {
        let text = |count, texts: Texts| {
            let task = |number: i32| ServiceTask {
                name: format!("T{number}"),
                days_until_due: Some(-number),
                ..ServiceTask::default()
            };
            texts.overdue_tasks(&Equipment {
                tasks: (2..2 + count).map(task).collect(),
                ..machine()
            })
        };
        assert_eq!(
            text(2, Texts(false)),
            "T2, 2 days overdue; T3, 3 days overdue"
        );
        assert!(text(3, Texts(false)).ends_with("; T4, 4 days overdue"));
        assert!(text(5, Texts(false)).ends_with("; T4, 4 days overdue; and 2 more"));
        assert!(text(4, Texts(true)).ends_with("; T4, vencido por 4 días; y 1 más"));
    }
}
