//! What alerts take for granted of the cluster: limits, replicas, certificates.

use std::collections::BTreeSet;

use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;

use super::rule_file;
use super::rules::Alert;
use crate::kubernetes::overlay::Overlay;
use crate::kubernetes::process_names;

const MIB: u64 = 1024 * 1024;
/// Hours.
const DAY: u64 = 24;

fn alerts(name: &str) -> Vec<Alert> {
    let all = rule_file().groups.into_iter().flat_map(|group| group.rules);
    let alerts = all.filter_map(|rule| match rule {
        super::Rule::Alert(alert) if alert.name == name => Some(alert),
        _ => None,
    });
    let alerts: Vec<_> = alerts.collect();
    assert!(!alerts.is_empty(), "{name}");
    alerts
}

/// The number that stands after these words, each time they are there.
fn numbers_after(text: &str, words: &str) -> Vec<u64> {
    let rests = text.split(words).skip(1);
    let numbers = rests.map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let number = rest[..end.unwrap_or(rest.len())].parse();
        number.unwrap_or_else(|_| panic!("no number after {words}: {rest}"))
    });
    numbers.collect()
}

/// Memory in bytes, of a quantity such as `512Mi`.
fn bytes(quantity: &str) -> u64 {
    let number = quantity.strip_suffix("Mi").expect("Mi");
    number.parse::<u64>().expect("a number") * MIB
}

#[test]
fn memory_is_high_just_below_the_limits_of_the_pods() {
    let [alert] = &alerts("HourmeterMemoryHigh")[..] else {
        panic!("one alert")
    };
    let parts: Vec<_> = alert.expr.split("\nor\n").collect();
    let [of_accounts, of_others] = parts[..] else {
        panic!("two limits: {}", alert.expr)
    };
    assert!(of_accounts.contains(r#"{process="accounts"}"#));
    assert!(of_others.contains(r#"{process!~"accounts|all"}"#));
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let limits = work.container().resources.clone();
            let limits = limits.and_then(|all| all.limits).expect("limits");
            let said = if work.name == "accounts" {
                of_accounts
            } else {
                of_others
            };
            let said = numbers_after(said, "> 0.85 * ");
            let limit = bytes(&limits["memory"].0);
            assert_eq!(said, [limit / MIB], "{} in {}", work.name, overlay.name);
        }
    }
}

#[test]
fn a_certificate_is_late_only_after_it_should_have_been_renewed() {
    let mut told = Vec::new();
    for alert in alerts("HourmeterCertificateExpiring") {
        let days = numbers_after(&alert.expr, "time() < ");
        let [days] = days[..] else {
            panic!("{}", alert.expr)
        };
        told.push((alert.labels["severity"].clone(), days));
    }
    told.sort();
    let [(_, page), (_, ticket)] = &told[..] else {
        panic!("{told:?}")
    };
    assert!(page < ticket, "{told:?}");
    let overlay = Overlay::of("production");
    let certificates = overlay.kind("Certificate");
    assert_eq!(certificates.len(), process_names().len() + 1);
    for certificate in certificates {
        let hours = |field: &str| -> u64 {
            let text = certificate["spec"][field].as_str().expect("a time");
            let hours = text.strip_suffix('h').and_then(|text| text.parse().ok());
            hours.expect("hours")
        };
        let name = &certificate["metadata"]["name"];
        // A day for whoever renews to come round.
        assert!(hours("renewBefore") > (ticket + 1) * DAY, "{name}");
        assert!(hours("renewBefore") < hours("duration"), "{name}");
    }
}

#[test]
fn alerts_on_processes_are_about_each_of_them() {
    let expected = process_names();
    let expected: BTreeSet<_> = expected.iter().map(String::as_str).collect();
    for name in ["HourmeterProcessDown", "HourmeterTooFewReplicas"] {
        for alert in alerts(name) {
            let lists = super::between(&alert.expr, r#"job=~""#, "\"");
            let lists: Vec<BTreeSet<_>> = lists.map(|list| list.split('|').collect()).collect();
            assert!(!lists.is_empty(), "{name}");
            for list in lists {
                assert_eq!(list, expected, "{name}");
            }
        }
    }
    let [few] = &alerts("HourmeterTooFewReplicas")[..] else {
        panic!("one alert")
    };
    let absent = super::between(&few.expr, r#"absent(up{job=""#, "\"");
    // The last says that this is no installation of one process for all.
    let absent: BTreeSet<_> = absent.filter(|job| *job != "all").collect();
    assert_eq!(absent, expected);
    let least = numbers_after(&few.expr, ") < ");
    for overlay in Overlay::all() {
        for scaler in overlay.typed::<HorizontalPodAutoscaler>("HorizontalPodAutoscaler") {
            let replicas = scaler.spec.and_then(|spec| spec.min_replicas);
            let replicas = u64::try_from(replicas.expect("a least")).expect("some");
            assert_eq!(least, [replicas], "{}", overlay.name);
        }
    }
}
