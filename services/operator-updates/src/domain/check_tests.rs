use std::collections::BTreeMap;

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

fn meter(value: &Value) -> Meter {
    Meter {
        unit: match value["unit"].as_str() {
            Some("hours") => Unit::Hours,
            Some("miles") => Unit::Miles,
            Some("kilometers") => Unit::Kilometers,
            Some("n/a") => Unit::NotApplicable,
            other => panic!("no unit {other:?}"),
        },
        reading: quantity(&value["meterReading"]).expect("a reading"),
        read_at: time(&value["meterReadAt"]),
        usual_daily_use: quantity(&value["usualDailyUse"]),
        usual_fill: quantity(&value["usualFill"]),
    }
}

fn report(value: &Value) -> Report {
    Report {
        reading: quantity(&value["reading"]),
        fuel_added: quantity(&value["fuelAdded"]).expect("an amount"),
        captured_at: time(&value["capturedAt"]).expect("a time"),
        repeated_seconds_ago: value["repeatedSecondsAgo"].as_i64(),
    }
}

#[test]
fn check_follows_the_test_vectors() {
    let table: Value = serde_json::from_str(VECTORS).expect("a table");
    let meters: BTreeMap<&str, Meter> = table["meters"]
        .as_object()
        .expect("meters")
        .iter()
        .map(|(name, value)| (name.as_str(), meter(value)))
        .collect();
    let cases = table["cases"].as_array().expect("cases");
    assert!(cases.len() >= 100);
    for case in cases {
        let meter = &meters[case["meter"].as_str().expect("a name")];
        let result = check(meter, &report(&case["entry"]));
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
        reading: Quantity::ZERO,
        read_at: Some(at("2000-01-01T00:00:00Z")),
        usual_daily_use: Some(Quantity::MAX_INPUT),
        usual_fill: Some(Quantity::from_hundredths(i64::MAX)),
    };
    let report = Report {
        reading: Some(Quantity::MAX_INPUT),
        fuel_added: Quantity::MAX_INPUT,
        captured_at: at("2099-01-01T00:00:00Z"),
        repeated_seconds_ago: None,
    };
    assert_eq!(check(&meter, &report), CheckResult::default());
}
