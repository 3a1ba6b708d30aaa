//! Rules for single fields.

use hourmeter_runtime::message::{Message, Reason};
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::{LineBreaks, clean};

use super::equipment::ServicePart;
use super::field_change::FieldChange;
use super::field_errors::FieldErrors;

use crate::refusals;

pub const MAX_NAME: usize = 200;
/// Fits a first and a last name of 100 characters each.
pub const MAX_PERSON_NAME: usize = 250;
pub const MAX_SERIAL_NUMBER: usize = 100;
pub const MAX_UNIT_NUMBER: usize = 50;
pub const MAX_GROUP: usize = 60;
pub const MAX_PART_TEXT: usize = 100;
pub const MAX_LONG_TEXT: usize = 5000;
pub const MAX_PARTS: usize = 100;
/// Allowed percentages left at which the lifespan alert starts.
pub const ALERT_THRESHOLDS: [u32; 4] = [10, 15, 20, 25];
pub const DEFAULT_ALERT_THRESHOLD: u32 = 20;

pub fn name(raw: &str) -> Result<String, Message> {
    required_name(raw, MAX_NAME)
}

pub fn required_name(raw: &str, max: usize) -> Result<String, Message> {
    let name = clean(raw, max, LineBreaks::Forbidden)?;
    if name.is_empty() {
        return Err(refusals::NAME_MISSING.into());
    }
    Ok(name)
}

/// Empty clears it.
pub fn optional_line(raw: &str, max: usize) -> Result<FieldChange<String>, Message> {
    let text = clean(raw, max, LineBreaks::Forbidden)?;
    Ok(if text.is_empty() {
        FieldChange::Clear
    } else {
        FieldChange::Set(text)
    })
}

pub fn long_text(raw: &str) -> Result<String, Message> {
    clean(raw, MAX_LONG_TEXT, LineBreaks::Allowed)
}

/// At least 1; 0 clears it.
pub fn lifespan(raw: f64) -> Result<FieldChange<Quantity>, Message> {
    let quantity = Quantity::from_input(raw)?;
    match quantity.hundredths() {
        0 => Ok(FieldChange::Clear),
        1..100 => Err(shared::NUMBER_BELOW_ONE.into()),
        _ => Ok(FieldChange::Set(quantity)),
    }
}

/// A whole number.
pub fn service_interval(raw: f64) -> Result<Quantity, Message> {
    let quantity = Quantity::from_input(raw)?;
    if quantity.is_whole() {
        Ok(quantity)
    } else {
        Err(shared::NOT_WHOLE.into())
    }
}

pub fn alert_threshold(raw: u32) -> Result<u32, Reason> {
    if ALERT_THRESHOLDS.contains(&raw) {
        Ok(raw)
    } else {
        Err(shared::ALERT_THRESHOLD_UNKNOWN)
    }
}

fn is_blank(row: &ServicePart) -> bool {
    let blank = |text: &String| text.trim().is_empty();
    let is_unnamed = blank(&row.part) && row.part_number.as_ref().is_none_or(blank);
    is_unnamed && row.quantity.is_none()
}

/// Reads rows as entered. Drops empty ones.
pub fn parts(rows: &[ServicePart], errors: &mut FieldErrors) -> Vec<ServicePart> {
    if rows.iter().filter(|row| !is_blank(row)).count() > MAX_PARTS {
        let message = refusals::AT_MOST_ROWS.with("max", MAX_PARTS);
        errors.add("serviceParts", message);
        return Vec::new();
    }
    rows.iter()
        .enumerate()
        .filter(|(_, row)| !is_blank(row))
        .filter_map(|(at, row)| part(at, row, errors))
        .collect()
}

fn part(at: usize, row: &ServicePart, errors: &mut FieldErrors) -> Option<ServicePart> {
    let field = |name: &str| format!("serviceParts[{at}].{name}");
    let text = |raw: &str| clean(raw, MAX_PART_TEXT, LineBreaks::Forbidden);
    let part = errors.keep(&field("part"), text(&row.part));
    if row.part.trim().is_empty() {
        errors.add(field("part"), refusals::PART_NAME_MISSING);
    }
    let number = row.part_number.as_deref().unwrap_or_default();
    let number = errors.keep(&field("partNumber"), text(number));
    match row.quantity {
        Some(0) => errors.add(field("qty"), shared::QUANTITY_TOO_SMALL),
        Some(1_000_000_001..) => errors.add(field("qty"), shared::NUMBER_TOO_LARGE),
        _ => {}
    }
    Some(ServicePart {
        part: part?,
        part_number: number.filter(|number| !number.is_empty()),
        quantity: row.quantity,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(part: &str, quantity: Option<u32>) -> ServicePart {
        ServicePart {
            part: part.to_owned(),
            part_number: None,
            quantity,
        }
    }

    #[test]
    fn name_bounds() {
        assert_eq!(name(" Loader "), Ok("Loader".to_owned()));
        assert_eq!(name("  "), Err(refusals::NAME_MISSING.into()));
        assert!(name(&"x".repeat(MAX_NAME)).is_ok());
        assert!(name(&"x".repeat(MAX_NAME + 1)).is_err());
    }

    #[test]
    fn long_text_bounds() {
        assert_eq!(long_text("a\nb"), Ok("a\nb".to_owned()));
        assert!(long_text(&"x".repeat(MAX_LONG_TEXT)).is_ok());
        assert!(long_text(&"x".repeat(MAX_LONG_TEXT + 1)).is_err());
    }

    #[test]
    fn service_interval_is_whole() {
        let whole = Quantity::from_hundredths(25_000);
        assert_eq!(service_interval(250.0), Ok(whole));
        assert!(service_interval(0.5).is_err());
    }

    #[test]
    fn alert_threshold_is_one_of_four() {
        for threshold in ALERT_THRESHOLDS {
            assert_eq!(alert_threshold(threshold), Ok(threshold));
        }
        assert!(alert_threshold(11).is_err());
    }

    #[test]
    fn part_keeps_number_and_quantity() {
        let mut errors = FieldErrors::default();
        let numbered = ServicePart {
            part_number: Some(" F-1 ".to_owned()),
            ..row("Filter", Some(1_000_000_000))
        };
        let kept = parts(&[numbered, row("Belt", None)], &mut errors);
        assert_eq!(errors, FieldErrors::default());
        assert_eq!(kept[0].part_number.as_deref(), Some("F-1"));
        assert_eq!(kept[0].quantity, Some(1_000_000_000));
        assert_eq!(kept[1].part_number, None);
        parts(&[row("Filter", Some(1_000_000_001))], &mut errors);
        assert!(errors.check().is_err());
    }

    #[test]
    fn lifespan_is_at_least_one() {
        assert_eq!(lifespan(0.0), Ok(FieldChange::Clear));
        assert!(lifespan(0.99).is_err());
        assert_eq!(
            lifespan(1.0),
            Ok(FieldChange::Set(Quantity::from_hundredths(100)))
        );
        assert!(lifespan(f64::NAN).is_err());
    }

    #[test]
    fn parts_drop_empty_rows() {
        let mut errors = FieldErrors::default();
        let blank = ServicePart {
            part_number: Some(" ".to_owned()),
            ..row(" ", None)
        };
        let parts = parts(&[blank, row("Filter", Some(1)), row("", None)], &mut errors);
        assert_eq!(parts.len(), 1);
        assert_eq!(errors, FieldErrors::default());
    }

    #[test]
    fn parts_without_name_are_rejected() {
        let numbered = ServicePart {
            part_number: Some("F-1".to_owned()),
            ..row(" ", None)
        };
        for nameless in [numbered, row("", Some(1))] {
            let mut errors = FieldErrors::default();
            parts(&[row("Filter", None), nameless], &mut errors);
            let expected = (
                "serviceParts[1].part".to_owned(),
                refusals::PART_NAME_MISSING.into(),
            );
            assert_eq!(errors.into_fields(), [expected]);
        }
    }

    #[test]
    fn parts_errors_name_the_row() {
        let mut errors = FieldErrors::default();
        let rows = [row("Filter", Some(0)), row("a\u{7}", Some(2_000_000_000))];
        parts(&rows, &mut errors);
        let fields: Vec<String> = errors
            .into_fields()
            .into_iter()
            .map(|(field, _)| field)
            .collect();
        assert_eq!(
            fields,
            [
                "serviceParts[0].qty",
                "serviceParts[1].part",
                "serviceParts[1].qty"
            ]
        );
    }

    #[test]
    fn parts_are_at_most_100() {
        let mut errors = FieldErrors::default();
        let mut rows = vec![row("Filter", None); MAX_PARTS];
        rows.push(row(" ", None));
        assert_eq!(parts(&rows, &mut errors).len(), MAX_PARTS);
        rows.push(row("Filter", None));
        parts(&rows, &mut errors);
        assert!(errors.check().is_err());
    }
}
