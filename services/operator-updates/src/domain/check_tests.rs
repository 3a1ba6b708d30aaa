use serde_json::Value;

use super::*;

const VECTORS: &str = include_str!("../../../../proto/testdata/reading-checks.json");

fn quantity(value: &Value) -> Option<Quantity> {
    value
        .as_f64()
        .map(|number| Quantity::from_input(number).expect("a quantity"))
}

fn time(value: &Value) -> Option<DateTime<Utc>> {
    value.as_str().map(|text| text.parse().expect("a time"))
}

fn unit(value: &Value) -> Option<Unit> {
    value
        .as_str()
        .map(|name| Unit::parse(name).expect("a unit"))
}

/// The meter as a phone knows it, or as the case describes it.
fn meter(value: &Value, case: &Value) -> Meter {
    let reading = quantity(&value["meterReading"]).expect("a reading");
    let read_at = time(&value["meterReadAt"]);
    let late = read_at.is_some_and(|read_at| report(&case["entry"]).captured_at < read_at);
    let known = Reading {
        value: reading,
        at: read_at,
    };
    let before = case
        .get("before")
        .map_or((!late).then_some(known), |before| {
            let value = quantity(&before["reading"])?;
            let at = time(&before["at"]);
            Some(Reading { value, at })
        });
    Meter {
        unit: unit(&value["unit"]).expect("a unit"),
        fuel: match value["fuelType"].as_str() {
            Some("gasoline") => Some(FuelKind::Gas),
            Some("diesel") => Some(FuelKind::Diesel),
            Some("n/a") | None => None,
            other => panic!("no fuel {other:?}"),
        },
        read_at,
        before,
        after: case.get("after").map_or(late.then_some(reading), quantity),
        contradicted: false,
        usual_daily_use: quantity(&value["usualDailyUse"]),
        usual_fill: quantity(&value["usualFill"]),
    }
}

fn report(value: &Value) -> Report {
    Report {
        reading: quantity(&value["reading"]),
        increase: quantity(&value["increase"]),
        unit: unit(&value["unit"]),
        fuel_added: quantity(&value["fuelAdded"]).expect("an amount"),
        fuel_kind: match value["fuelType"].as_str() {
            Some("diesel") => FuelKind::Diesel,
            _ => FuelKind::Gas,
        },
        captured_at: time(&value["capturedAt"]).expect("a time"),
        repeated: value["repeatedSecondsAgo"]
            .as_i64()
            .is_some_and(|seconds| seconds <= REPEATED_WITHIN.into()),
    }
}

#[test]
fn check_follows_the_test_vectors() {
    let table: Value = serde_json::from_str(VECTORS).expect("a table");
    let cases = table["cases"].as_array().expect("cases");
    assert!(cases.len() >= 100);
    for case in cases {
        let known = &table["meters"][case["meter"].as_str().expect("a name")];
        let result = check(&meter(known, case), &report(&case["entry"]));
        let flags: Vec<_> = case["flags"]
            .as_array()
            .expect("flags")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(result.flags, flags, "{}", case["name"]);
        assert_eq!(Value::from(result.late), case["late"], "{}", case["name"]);
        assert_eq!(result.below_meter(), flags.contains(&BELOW_METER));
    }
}

#[test]
fn check_does_not_overflow() {
    let at = |text: &str| text.parse::<DateTime<Utc>>().expect("a time");
    let meter = Meter {
        unit: Unit::NotApplicable,
        fuel: None,
        read_at: Some(at("2000-01-01T00:00:00Z")),
        before: Some(Reading {
            value: Quantity::ZERO,
            at: Some(at("2000-01-01T00:00:00Z")),
        }),
        after: None,
        contradicted: false,
        usual_daily_use: Some(Quantity::MAX_INPUT),
        usual_fill: Some(Quantity::from_hundredths(i64::MAX)),
    };
    let report = Report {
        reading: Some(Quantity::MAX_INPUT),
        increase: None,
        unit: None,
        fuel_added: Quantity::MAX_INPUT,
        fuel_kind: FuelKind::Gas,
        captured_at: at("2099-01-01T00:00:00Z"),
        repeated: false,
    };
    assert_eq!(check(&meter, &report), CheckResult::default());
}

#[test]
fn with_waiting_folds_readings_around_the_capture_time() {
    let hour = |hour: i64| DateTime::UNIX_EPOCH + chrono::TimeDelta::hours(hour);
    let whole = |number: i64| Quantity::from_hundredths(number * 100);
    let report = Report {
        reading: Some(whole(104)),
        increase: None,
        unit: None,
        fuel_added: Quantity::ZERO,
        fuel_kind: FuelKind::Gas,
        captured_at: hour(10),
        repeated: false,
    };
    let known = Meter {
        unit: Unit::Hours,
        fuel: None,
        read_at: Some(hour(5)),
        before: Some(Reading {
            value: whole(100),
            at: Some(hour(5)),
        }),
        after: None,
        contradicted: false,
        usual_daily_use: None,
        usual_fill: None,
    };
    let flags = |waiting: &[(i64, i64)]| {
        let waiting: Vec<_> = waiting
            .iter()
            .map(|(at, value)| (hour(*at), whole(*value)))
            .collect();
        check(&known.with_waiting(&report, &waiting), &report).flags
    };
    for (waiting, expected) in [
        (&[][..], &[][..]),
        (&[(9, 104)], &[]),
        (&[(9, 105)], &["below_meter"]),
        // In any order; a reading below an earlier one is not the meter.
        (&[(9, 103), (8, 105)], &["below_meter"]),
        (&[(9, 12)], &[]),
        // Older than what the meter is known to have shown.
        (&[(4, 900)], &[]),
        (&[(11, 104)], &[]),
        (&[(11, 103)], &["contradicts"]),
        (&[(12, 200), (11, 103)], &["contradicts"]),
        // Below the meter itself, so it does not contradict this one.
        (&[(11, 12)], &[]),
        (&[(10, 104)], &[]),
        (&[(10, 106)], &["contradicts"]),
        (&[(9, 105), (11, 106)], &["below_meter"]),
    ] {
        assert_eq!(flags(waiting), expected, "{waiting:?}");
    }
}
