//! Assumptions of alerts about the cluster: limits, replicas, certificates.

use super::Overlay;
use crate::observability::alerts;
use crate::{number, text};

/// Numbers after each occurrence of `words`.
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
fn alerts_match_cluster_limits() {
    let memory = alerts(Some("HourmeterMemoryHigh"));
    let (of_accounts, of_others) = text(&memory[0]["expr"])
        .split_once("\nor\n")
        .expect("two limits");
    assert!(of_accounts.contains(r#"{process="accounts"}"#));
    assert!(of_others.contains(r#"{process!~"accounts|all"}"#));

    let few = alerts(Some("HourmeterTooFewReplicas"));
    let few = text(&few[0]["expr"]);
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let (name, limits) = (&work.name, &work.container()["resources"]["limits"]);
            let is_accounts = name == "accounts";
            let expr = if is_accounts { of_accounts } else { of_others };
            let memory = numbers_after(expr, "> 0.85 * ");
            assert_eq!(
                memory,
                [number(&limits["memory"])],
                "{name} in {}",
                overlay.name
            );
            let scaler = &overlay.named("HorizontalPodAutoscaler", name)["spec"];
            let least = number(&scaler["minReplicas"]);
            assert_eq!(numbers_after(few, ") < "), [least], "{name}");
        }
    }

    let mut days = Vec::new();
    for alert in alerts(Some("HourmeterCertificateExpiring")) {
        let number = numbers_after(text(&alert["expr"]), "time() < ")[0];
        days.push((text(&alert["labels"]["severity"]).to_owned(), number));
    }
    days.sort();
    let [page, ticket] = [days[0].1, days[1].1];
    assert!(page < ticket && days.len() == 2, "{days:?}");
    for certificate in Overlay::of("production").kind("Certificate") {
        // In hours, with a day for the renewal.
        let [before, duration] =
            ["renewBefore", "duration"].map(|field| number(&certificate["spec"][field]));
        let in_time = before > (ticket + 1) * 24 && before < duration;
        assert!(in_time, "{certificate}");
    }
}
