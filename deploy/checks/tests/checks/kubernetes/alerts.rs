//! What alerts assume about the cluster: limits, replicas, certificates.

use std::collections::BTreeSet;

use super::Overlay;
use crate::observability::alerts;
use crate::observability::expressions::between;
use crate::{number, process_names, text};

/// The number after these words, each time.
fn numbers_after(text: &str, words: &str) -> Vec<i64> {
    let numbers = text.split(words).skip(1).map(|rest| {
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..end].parse().expect("a number")
    });
    numbers.collect()
}

#[test]
fn alerts_assume_the_limits_replicas_and_certificates_of_the_cluster() {
    let memory = alerts(Some("HourmeterMemoryHigh"));
    let (of_accounts, of_others) = text(&memory[0]["expr"])
        .split_once("\nor\n")
        .expect("two limits");
    assert!(of_accounts.contains(r#"{process="accounts"}"#));
    assert!(of_others.contains(r#"{process!~"accounts|all"}"#));

    let processes = process_names();
    let few = alerts(Some("HourmeterTooFewReplicas"));
    let few = text(&few[0]["expr"]);
    let down = alerts(Some("HourmeterProcessDown"));
    for expr in [few, text(&down[0]["expr"])] {
        let list = between(expr, r#"job=~""#, "\"").next().expect("a list");
        assert_eq!(list.split('|').collect::<BTreeSet<_>>(), processes);
    }
    let mut absent: BTreeSet<_> = between(few, r#"absent(up{job=""#, "\"").collect();
    // There is no installation of one process for all.
    assert!(absent.remove("all"));
    assert_eq!(absent, processes);

    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let limit = number(&work.container()["resources"]["limits"]["memory"]);
            let expr = if work.name == "accounts" {
                of_accounts
            } else {
                of_others
            };
            assert_eq!(
                numbers_after(expr, "> 0.85 * "),
                [limit],
                "{} in {}",
                work.name,
                overlay.name
            );
            let scaler = &overlay.named("HorizontalPodAutoscaler", &work.name)["spec"];
            assert_eq!(
                numbers_after(few, ") < "),
                [number(&scaler["minReplicas"])],
                "{}",
                work.name
            );
        }
    }

    let mut days: Vec<_> = alerts(Some("HourmeterCertificateExpiring"))
        .iter()
        .map(|alert| {
            let severity = text(&alert["labels"]["severity"]).to_owned();
            (severity, numbers_after(text(&alert["expr"]), "time() < "))
        })
        .collect();
    days.sort();
    let [(_, page), (_, ticket)] = &days[..] else {
        panic!("{days:?}")
    };
    assert!(page < ticket, "{days:?}");
    for certificate in Overlay::of("production").kind("Certificate") {
        // In hours, with a day for the renewal.
        let [before, duration] =
            ["renewBefore", "duration"].map(|field| number(&certificate["spec"][field]));
        assert!(
            before > (ticket[0] + 1) * 24 && before < duration,
            "{certificate}"
        );
    }
}
