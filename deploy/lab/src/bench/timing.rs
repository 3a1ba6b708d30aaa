//! Statistical test whether response times distinguish known from unknown names.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use fastrand::Rng;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::report;
use super::seed::Company;
use crate::visitor::Visitor;

/// Attempts with known names, and as many with unknown ones.
const ATTEMPTS: usize = 2000;
/// Warm-up attempts of each kind.
const WARM_UP: usize = 50;
/// Overload responses after which an attempt fails.
const MAX_REFUSALS: u32 = 60;
/// Accepted range of the AUC; 0.5 is chance.
const ACCEPTED: std::ops::RangeInclusive<f64> = 0.47..=0.53;
const FORGOT_PASSWORD: &str = "/api/auth/forgot-password";
/// A password that no account has.
const WRONG: &str = "gravel-and-sand-42";

/// Runs both kinds of attempts in random order, sequentially, and prints the AUC of each call.
pub async fn measure(origin: &str, companies: &[Company]) -> Result<()> {
    let (mut businesses, mut operators) = (Vec::new(), Vec::new());
    for company in companies {
        set_questions(&company.owner).await;
        businesses.push(company.name.clone());
        operators.push(company.owner.add_operator("Nora").await);
    }
    let visitor = Visitor::new(origin);
    let wrong = json!({"password": WRONG});
    let answers = json!({
        "securityAnswer1": "Red mill", "securityAnswer2": "New bridge", "newPassword": WRONG,
    });
    let owner = (&businesses, "emailOrBusinessName");
    let operator = (&operators, "operatorName");
    let calls = [
        ("sign-in", owner, "/api/auth/login", &wrong),
        ("recovery, questions", owner, FORGOT_PASSWORD, &json!({})),
        (
            "recovery, answers",
            owner,
            "/api/auth/reset-password",
            &answers,
        ),
        ("operator sign-in", operator, "/api/employee/login", &wrong),
    ];
    let mut rng = Rng::new();
    for (name, (known, name_field), path, rest) in calls {
        let mut times: [Vec<Duration>; 2] = Default::default();
        for number in 0..WARM_UP + ATTEMPTS {
            let real = &known[number % known.len()];
            let mut pair = [(0, real.clone()), (1, unknown_name(real, &mut rng))];
            rng.shuffle(&mut pair);
            for (kind, name) in pair {
                let mut body = rest.clone();
                body[name_field] = name.as_str().into();
                let (status, took) = attempt(&visitor, path, &body).await?;
                let is_refused = !status.is_success() || path == FORGOT_PASSWORD;
                ensure!(is_refused, "{path}: {name} was signed in");
                ensure!(status.as_u16() < 429, "{path}: {status}");
                if number >= WARM_UP {
                    times[kind].push(took);
                }
            }
        }
        print(name, times);
    }
    Ok(())
}

/// One attempt and its response time. Repeats overload responses.
async fn attempt(visitor: &Visitor, path: &str, body: &Value) -> Result<(StatusCode, Duration)> {
    let mut refusals = 0;
    loop {
        let begun = Instant::now();
        let answer = visitor.call(Method::POST, path).json(body).send().await?;
        let status = answer.status();
        answer.bytes().await?;
        let took = begun.elapsed();
        refusals += 1;
        if status != StatusCode::SERVICE_UNAVAILABLE || refusals > MAX_REFUSALS {
            return Ok((status, took));
        }
        sleep(Duration::from_secs(1)).await;
    }
}

async fn set_questions(owner: &Visitor) {
    let questions = owner.get("/api/auth/security-questions").await;
    let body = json!({
        "securityQuestion1": questions[0], "securityAnswer1": "Blue mill",
        "securityQuestion2": questions[1], "securityAnswer2": "Old bridge",
    });
    owner.post("/api/auth/setup-security-questions", body).await;
}

/// An unknown name of the same length and form, with other final letters.
fn unknown_name(name: &str, rng: &mut Rng) -> String {
    let kept = name.chars().count().saturating_sub(4);
    let letters = (0..4).map(|_| rng.lowercase());
    name.chars().take(kept).chain(letters).collect()
}

fn print(name: &str, [mut known, mut unknown]: [Vec<Duration>; 2]) {
    let auc = auc(&known, &unknown);
    known.sort_unstable();
    unknown.sort_unstable();
    let is_accepted = ACCEPTED.contains(&auc);
    let verdict = if is_accepted { "pass" } else { "FAIL" };
    let (least, most) = (ACCEPTED.start(), ACCEPTED.end());
    let [known, unknown] = [known, unknown].map(|times| report::milliseconds(&times, 50));
    report::fact(
        &format!("{verdict} known or unknown: {name}"),
        &format!(
            "AUC {auc:.3}, wanted {least} to {most}; p50 {known:.2} ms known, {unknown:.2} ms unknown",
        ),
    );
}

/// The probability that a time of the second kind exceeds one of the first; ties count half.
#[expect(clippy::cast_precision_loss, reason = "some thousands")]
fn auc(first: &[Duration], second: &[Duration]) -> f64 {
    let mut sorted = first.to_vec();
    sorted.sort_unstable();
    let wins = second.iter().map(|time| {
        let below = sorted.partition_point(|other| other < time);
        let not_above = sorted.partition_point(|other| other <= time);
        (below + not_above) as f64 / 2.0
    });
    wins.sum::<f64>() / (first.len() * second.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auc_of_equal_times_is_one_half() {
        let times = |all: &[u64]| -> Vec<Duration> {
            all.iter().copied().map(Duration::from_millis).collect()
        };
        for (first, second, expected) in [
            (&[1, 2, 3][..], &[1, 2, 3][..], 0.5),
            (&[1, 1], &[1, 1], 0.5),
            (&[1, 2], &[3, 4], 1.0),
            (&[3, 4], &[1, 2], 0.0),
            (&[1, 3], &[2, 4], 0.75),
        ] {
            let found = auc(&times(first), &times(second));
            assert!(
                (found - expected).abs() < 1e-9,
                "{first:?} {second:?}: {found}"
            );
        }
    }

    #[test]
    fn unknown_name_keeps_length_and_form() {
        let mut rng = Rng::with_seed(1);
        let name = unknown_name("Bench Company 7", &mut rng);
        assert!(
            name.starts_with("Bench Compa") && name.len() == 15,
            "{name}"
        );
        assert_ne!(name, "Bench Company 7");
    }
}
