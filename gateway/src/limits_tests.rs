use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::TimeDelta;
use http::HeaderMap;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use super::*;
use crate::address::ClientAddress;

/// Limits as one process or several have them.
struct Desk {
    clock: Clock,
    processes: Vec<Limits>,
    turn: AtomicUsize,
}

impl Desk {
    fn new(processes: usize, redis: Option<&SecretString>) -> Self {
        let clock = Clock::fixed("2026-03-01T03:00:00Z".parse().expect("a time"));
        let mut salt = [0; 32];
        getrandom::fill(&mut salt).expect("randomness");
        let process = |_| Limits::new(clock.clone(), true, salt, redis).expect("limits");
        Self {
            processes: (0..processes).map(process).collect(),
            clock,
            turn: AtomicUsize::new(0),
        }
    }

    /// One process that counts for itself.
    fn alone() -> Self {
        Self::new(1, None)
    }

    /// Two that count in one Redis and take turns.
    fn together() -> Self {
        Self::new(2, Some(&hourmeter_runtime::testing::redis_url()))
    }

    /// One whose Redis is not there.
    fn cut_off() -> Self {
        // Nothing listens on the discard port.
        Self::new(1, Some(&"redis://127.0.0.1:9/".to_owned().into()))
    }

    fn limits(&self) -> &Limits {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        &self.processes[turn % self.processes.len()]
    }

    fn wait(&self, seconds: i64) {
        self.clock
            .set(self.clock.now() + TimeDelta::seconds(seconds));
    }

    /// Seconds to wait, or 0 when the try is let through and fails.
    async fn fail(&self, name: &str, from: &str) -> u64 {
        seconds(self.limits().sign_in(Login::Own, name, address(from)).await)
    }
}

fn seconds<T>(answer: Result<T, Refusal>) -> u64 {
    match answer {
        Ok(_) => 0,
        Err(Refusal::TooMany(seconds)) => seconds,
        Err(other) => panic!("{other:?}"),
    }
}

fn address(text: &str) -> ClientAddress {
    let peer: IpAddr = text.parse().expect("an address");
    ClientAddress::find(Some(peer), &HeaderMap::new(), &[])
}

const HERE: &str = "192.0.2.1";
const THERE: &str = "192.0.2.2";

#[tokio::test]
async fn a_name_waits_after_five_failures_and_longer_each_time() {
    for desk in [Desk::alone(), Desk::together()] {
        for _ in 0..5 {
            assert_eq!(desk.fail("acme", HERE).await, 0);
        }
        for wait in [60, 120, 240, 480, 900, 900] {
            assert_eq!(desk.fail("acme", HERE).await, wait);
            desk.wait(i64::try_from(wait).expect("small") - 1);
            assert_eq!(desk.fail("acme", HERE).await, 1);
            desk.wait(1);
            assert_eq!(desk.fail("acme", HERE).await, 0);
        }
        // Other names and other addresses are not affected.
        assert_eq!(desk.fail("other", HERE).await, 0);
        assert_eq!(desk.fail("acme", THERE).await, 0);
        // A quiet quarter of an hour after the wait begins anew.
        desk.wait(1800);
        for _ in 0..5 {
            assert_eq!(desk.fail("acme", HERE).await, 0);
        }
        assert_eq!(desk.fail("acme", HERE).await, 60);
    }
}

#[tokio::test]
async fn failures_older_than_the_window_are_forgotten() {
    for desk in [Desk::alone(), Desk::together()] {
        for _ in 0..4 {
            assert_eq!(desk.fail("acme", HERE).await, 0);
        }
        desk.wait(900);
        for _ in 0..5 {
            assert_eq!(desk.fail("acme", HERE).await, 0);
        }
        assert_eq!(desk.fail("acme", HERE).await, 60);
    }
}

#[tokio::test]
async fn failures_within_the_window_count_together() {
    for desk in [Desk::alone(), Desk::together()] {
        for _ in 0..4 {
            assert_eq!(desk.fail("acme", HERE).await, 0);
        }
        desk.wait(899);
        assert_eq!(desk.fail("acme", HERE).await, 0);
        assert_eq!(desk.fail("acme", HERE).await, 60);
    }
}

#[tokio::test]
async fn not_tried_takes_back_the_wait_it_began() {
    for desk in [Desk::alone(), Desk::together()] {
        for wait in [0, 0, 0, 0, 0, 60, 120] {
            desk.wait(wait);
            assert_eq!(desk.fail("acme", HERE).await, 0);
        }
        desk.wait(240);
        let attempt = desk
            .limits()
            .sign_in(Login::Own, "acme", address(HERE))
            .await;
        attempt.expect("let through").not_tried().await;
        assert_eq!(desk.fail("acme", HERE).await, 0);
        assert_eq!(desk.fail("acme", HERE).await, 480);
    }
}

#[tokio::test]
async fn spellings_of_one_name_count_together() {
    let desk = Desk::alone();
    for name in ["acme", " ACME ", "\u{ff21}cme", "Acme", "acme"] {
        assert_eq!(desk.fail(name, HERE).await, 0);
    }
    assert_eq!(desk.fail("aCmE", HERE).await, 60);
}

#[tokio::test]
async fn sign_in_padding_makes_no_other_name() {
    let desk = Desk::alone();
    for spaces in [0, 300, 299, 298, 3000] {
        let padded = format!("{}owner@a.example", " ".repeat(spaces));
        assert_eq!(desk.fail(&padded, HERE).await, 0);
        let answered = desk.limits().recovery(&padded, address(THERE)).await;
        assert_eq!(seconds(answered), 0);
    }
    let padded = format!("{}Owner@a.example\u{3000}", " ".repeat(297));
    assert_eq!(desk.fail(&padded, HERE).await, 60);
    let answered = desk.limits().recovery(&padded, address(THERE)).await;
    assert_eq!(seconds(answered), 3600);
}

#[tokio::test]
async fn sign_in_texts_that_are_no_name_count_together() {
    let desk = Desk::alone();
    for n in 0..5 {
        let endless = n.to_string().repeat(1_000_000);
        assert_eq!(desk.fail(&endless, HERE).await, 0);
    }
    let long = "x".repeat(255);
    assert_eq!(desk.fail(&long, HERE).await, 60);
    assert_eq!(desk.fail(&long[1..], HERE).await, 0);
}

#[tokio::test]
async fn sign_in_with_a_persons_id_does_not_lock_the_session() {
    let desk = Desk::alone();
    let id = Uuid::from_u128(7).to_string();
    for _ in 0..5 {
        assert_eq!(desk.fail(&id, HERE).await, 0);
    }
    assert_eq!(desk.fail(&id, HERE).await, 60);
    let confirm = async || {
        let attempt = desk.limits().sign_in(Login::Session, &id, address(HERE));
        seconds(attempt.await)
    };
    for _ in 0..5 {
        assert_eq!(confirm().await, 0);
    }
    assert_eq!(confirm().await, 60);
}

#[tokio::test]
async fn success_clears_the_name() {
    for desk in [Desk::alone(), Desk::together()] {
        for _ in 0..20 {
            for _ in 0..4 {
                assert_eq!(desk.fail("acme", HERE).await, 0);
            }
            let attempt = desk
                .limits()
                .sign_in(Login::Own, "acme", address(HERE))
                .await;
            attempt.expect("let through").succeeded().await;
            desk.wait(60);
        }
    }
}

#[tokio::test]
async fn what_could_not_be_tried_does_not_count() {
    for desk in [Desk::alone(), Desk::together()] {
        for _ in 0..50 {
            let attempt = desk
                .limits()
                .sign_in(Login::Own, "acme", address(HERE))
                .await;
            attempt.expect("let through").not_tried().await;
        }
        let attempt = desk
            .limits()
            .sign_in(Login::Own, "acme", address(HERE))
            .await;
        assert!(!attempt.expect("let through").known_addresses_only);
    }
}

#[tokio::test]
async fn an_address_has_thirty_failures() {
    for desk in [Desk::alone(), Desk::together()] {
        for n in 0..30 {
            assert_eq!(desk.fail(&n.to_string(), HERE).await, 0);
        }
        assert_eq!(desk.fail("new", HERE).await, 300);
        assert_eq!(desk.fail("new", THERE).await, 0);
        desk.wait(299);
        assert_eq!(desk.fail("new", HERE).await, 1);
        desk.wait(1);
        assert_eq!(desk.fail("new", HERE).await, 0);
    }
}

#[tokio::test]
async fn an_address_has_three_hundred_sign_ins() {
    for desk in [Desk::alone(), Desk::together()] {
        for n in 0..300 {
            let attempt = desk
                .limits()
                .sign_in(Login::Own, &n.to_string(), address(HERE))
                .await;
            attempt.expect("let through").succeeded().await;
        }
        assert_eq!(desk.fail("new", HERE).await, 300);
    }
}

#[tokio::test]
async fn after_a_hundred_failures_in_a_row_only_known_addresses_may_try() {
    for desk in [Desk::alone(), Desk::together()] {
        let known_only = async |from: &str| {
            let attempt = desk
                .limits()
                .sign_in(Login::Own, "acme", address(from))
                .await;
            attempt.expect("let through").known_addresses_only
        };
        for n in 0..100 {
            assert!(!known_only(&format!("192.0.2.{n}")).await, "{n}");
        }
        assert!(known_only("198.51.100.1").await);
        // The name elsewhere, or another name, does not matter.
        let other = desk
            .limits()
            .sign_in(Login::Own, "other", address(HERE))
            .await;
        assert!(!other.expect("let through").known_addresses_only);
        // A day in which nobody tried ends it.
        desk.wait(86_399);
        assert!(known_only("198.51.100.2").await);
        desk.wait(86_400);
        assert!(!known_only("198.51.100.3").await);
    }
}

#[tokio::test]
async fn a_success_ends_the_row() {
    let desk = Desk::together();
    for n in 0..101 {
        desk.fail("acme", &format!("192.0.2.{n}")).await;
    }
    let attempt = desk
        .limits()
        .sign_in(Login::Own, "acme", address("203.0.113.1"))
        .await;
    let attempt = attempt.expect("let through");
    assert!(attempt.known_addresses_only);
    attempt.succeeded().await;
    let attempt = desk
        .limits()
        .sign_in(Login::Own, "acme", address("203.0.113.2"))
        .await;
    assert!(!attempt.expect("let through").known_addresses_only);
}

#[tokio::test]
async fn the_shared_password_forgives_no_guesses_at_the_owners() {
    for desk in [Desk::alone(), Desk::together()] {
        let shared = async || {
            let attempt = desk
                .limits()
                .sign_in(Login::Operator, "acme", address(HERE));
            attempt.await.expect("let through").shared_succeeded().await;
        };
        for _ in 0..4 {
            assert_eq!(desk.fail("acme", HERE).await, 0);
            shared().await;
        }
        // Neither does it count as a guess.
        assert_eq!(desk.fail("acme", HERE).await, 0);
        assert_eq!(desk.fail("acme", HERE).await, 60);
        // Nor does it end the row of guesses from wherever.
        for n in 0..95 {
            desk.fail("acme", &format!("10.9.8.{n}")).await;
        }
        let attempt = desk
            .limits()
            .sign_in(Login::Operator, "acme", address(THERE));
        let attempt = attempt.await.expect("let through");
        assert!(!attempt.known_addresses_only);
        attempt.shared_succeeded().await;
        let attempt = desk.limits().sign_in(Login::Own, "acme", address(THERE));
        assert!(attempt.await.expect("let through").known_addresses_only);
    }
}

#[tokio::test]
async fn shared_succeeded_keeps_the_row_of_guesses_at_the_owners_password() {
    for desk in [Desk::alone(), Desk::together()] {
        let operate = async |from: &str| {
            let attempt = desk
                .limits()
                .sign_in(Login::Operator, "acme", address(from));
            attempt.await.expect("let through")
        };
        for n in 0..100 {
            let attempt = operate(&format!("192.0.2.{n}")).await;
            assert!(!attempt.own_password_known_addresses_only, "{n}");
            drop(attempt);
            operate(&format!("192.0.2.{n}"))
                .await
                .shared_succeeded()
                .await;
        }
        let attempt = operate("198.51.100.1").await;
        assert!(attempt.own_password_known_addresses_only);
        // The crew may still come from anywhere.
        assert!(!attempt.known_addresses_only);
        attempt.succeeded().await;
        let attempt = operate("198.51.100.1").await;
        assert!(!attempt.own_password_known_addresses_only);
        // At the other login no password is shared.
        let own = desk.limits().sign_in(Login::Own, "acme", address(THERE));
        assert!(
            !own.await
                .expect("let through")
                .own_password_known_addresses_only
        );
    }
}

#[tokio::test]
async fn ipv6_network_has_twenty_times_the_figure_of_a_block() {
    for desk in [Desk::alone(), Desk::together()] {
        let block = |n: u32| address(&format!("2001:db8:1:{n:x}::1"));
        let next_door = address("2001:db8:2::1");
        for n in 0..100 {
            assert_eq!(seconds(desk.limits().sign_up(block(n)).await), 0);
        }
        assert_eq!(seconds(desk.limits().sign_up(block(100)).await), 3600);
        assert_eq!(seconds(desk.limits().sign_up(next_door).await), 0);
        for n in 0..60 {
            assert!(desk.limits().may_tell_miss(block(n)).await);
        }
        assert!(!desk.limits().may_tell_miss(block(60)).await);
        assert!(desk.limits().may_tell_miss(next_door).await);
        for n in 0..200 {
            let started = desk.limits().start_recovery(block(n)).await;
            assert_eq!(seconds(started), 0);
            let answered = desk.limits().recovery(&n.to_string(), block(n)).await;
            assert_eq!(seconds(answered), 0);
        }
        let started = desk.limits().start_recovery(block(200)).await;
        assert_eq!(seconds(started), 3600);
        let answered = desk.limits().recovery("new", block(200)).await;
        assert_eq!(seconds(answered), 3600);
        let sign_in = async |n: u32, from| {
            let name = n.to_string();
            seconds(desk.limits().sign_in(Login::Own, &name, from).await)
        };
        for n in 0..600 {
            assert_eq!(sign_in(n, block(n)).await, 0);
        }
        assert_eq!(sign_in(600, block(600)).await, 300);
        assert_eq!(sign_in(600, next_door).await, 0);
    }
}

#[tokio::test]
async fn ipv6_refused_block_does_not_count_for_its_network() {
    let desk = Desk::alone();
    let sign_up = async |from: &str| seconds(desk.limits().sign_up(address(from)).await);
    for n in 0..200 {
        let expected = if n < 5 { 0 } else { 3600 };
        assert_eq!(sign_up("2001:db8:1:1::1").await, expected);
    }
    for n in 0..95 {
        assert_eq!(sign_up(&format!("2001:db8:1:1{n:x}::1")).await, 0);
    }
    assert_eq!(sign_up("2001:db8:1:2::1").await, 3600);
}

#[tokio::test]
async fn new_name_in_use_counts_ten_an_hour_by_company_and_address() {
    for desk in [Desk::alone(), Desk::together()] {
        let (company, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let new_name = async |company, from: &str| {
            let attempt = desk.limits().new_name(company, address(from)).await;
            seconds(attempt)
        };
        for _ in 0..20 {
            let attempt = desk.limits().new_name(company, address(HERE)).await;
            attempt.expect("let through").not_in_use().await;
        }
        for n in 0..10 {
            assert_eq!(new_name(company, &format!("10.0.0.{n}")).await, 0);
        }
        assert_eq!(new_name(company, HERE).await, 3600);
        // What the company may not do does not count for the address.
        for _ in 0..10 {
            assert_eq!(new_name(other, HERE).await, 0);
        }
        assert_eq!(new_name(Uuid::from_u128(3), HERE).await, 3600);
        assert_eq!(new_name(Uuid::from_u128(3), THERE).await, 0);
        desk.wait(3600);
        assert_eq!(new_name(company, HERE).await, 0);
    }
}

#[tokio::test]
async fn closed_login_counts_by_address() {
    for desk in [Desk::alone(), Desk::together()] {
        let closed = async |from: &str| desk.limits().closed_login(address(from)).await;
        assert_eq!(closed(HERE).await, None);
        desk.limits().met_closed_login(address(HERE), 90).await;
        desk.wait(10);
        assert_eq!(closed(HERE).await, Some(80));
        assert_eq!(closed(THERE).await, None);
        // Another closed company gets the same answer.
        desk.limits().met_closed_login(address(HERE), 3000).await;
        assert_eq!(closed(HERE).await, Some(80));
        desk.wait(80);
        assert_eq!(closed(HERE).await, None);
        desk.limits().met_closed_login(address(HERE), 86_400).await;
        assert_eq!(closed(HERE).await, Some(3600));
    }
}

#[tokio::test]
async fn an_address_has_five_sign_ups() {
    for desk in [Desk::alone(), Desk::together()] {
        let sign_up = async |from: &str| seconds(desk.limits().sign_up(address(from)).await);
        for _ in 0..5 {
            assert_eq!(sign_up("2001:db8::1").await, 0);
        }
        assert_eq!(sign_up("2001:db8::2").await, 3600);
        assert_eq!(sign_up("2001:db8:0:1::2").await, 0);
    }
}

#[tokio::test]
async fn sign_up_that_was_not_tried_does_not_count() {
    for desk in [Desk::alone(), Desk::together()] {
        for _ in 0..6 {
            let attempt = desk.limits().sign_up(address(HERE)).await;
            attempt.expect("let through").not_tried().await;
        }
    }
}

#[tokio::test]
async fn recovery_has_ten_tries_an_hour_from_one_address() {
    for desk in [Desk::alone(), Desk::together()] {
        for n in 0..10 {
            let started = desk.limits().start_recovery(address(HERE)).await;
            assert_eq!(seconds(started), 0);
            let name = n.to_string();
            let answered = desk.limits().recovery(&name, address(HERE)).await;
            assert_eq!(seconds(answered), 0);
        }
        let started = desk.limits().start_recovery(address(HERE)).await;
        assert_eq!(seconds(started), 3600);
        let answered = desk.limits().recovery("new", address(HERE)).await;
        assert_eq!(seconds(answered), 3600);
        let elsewhere = desk.limits().recovery("new", address(THERE)).await;
        assert_eq!(seconds(elsewhere), 0);
    }
}

#[tokio::test]
async fn wrong_answers_are_five_an_hour_and_ten_a_day() {
    for desk in [Desk::alone(), Desk::together()] {
        let wrong = async |from: u8| {
            let from = format!("192.0.2.{from}");
            seconds(desk.limits().recovery("Acme", address(&from)).await)
        };
        for n in 0..5 {
            assert_eq!(wrong(n).await, 0);
        }
        assert_eq!(wrong(10).await, 3600);
        // Signing in is not affected.
        assert_eq!(desk.fail("Acme", HERE).await, 0);
        desk.wait(3600);
        for n in 20..25 {
            assert_eq!(wrong(n).await, 0);
        }
        desk.wait(3600);
        assert_eq!(wrong(30).await, 86_400 - 7200);
        desk.wait(86_400 - 7200);
        assert_eq!(wrong(40).await, 0);
    }
}

#[tokio::test]
async fn right_answers_do_not_count() {
    let desk = Desk::together();
    for n in 0..20 {
        let from = address(&format!("192.0.2.{n}"));
        let attempt = desk.limits().recovery("Acme", from).await;
        attempt.expect("let through").not_failed().await;
    }
}

#[tokio::test]
async fn three_misses_a_day_are_told() {
    for desk in [Desk::alone(), Desk::together()] {
        for _ in 0..3 {
            assert!(desk.limits().may_tell_miss(address(HERE)).await);
        }
        assert!(!desk.limits().may_tell_miss(address(HERE)).await);
        assert!(desk.limits().may_tell_miss(address(THERE)).await);
        desk.wait(86_399);
        assert!(!desk.limits().may_tell_miss(address(HERE)).await);
        desk.wait(1);
        assert!(desk.limits().may_tell_miss(address(HERE)).await);
    }
}

#[tokio::test]
async fn sessions_and_companies_have_their_calls() {
    for desk in [Desk::alone(), Desk::together()] {
        let (company, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        for session in 0..5 {
            for _ in 0..600 {
                let call = desk.limits().call(Uuid::from_u128(session), company);
                assert!(call.await.is_ok());
            }
            let one_more = desk.limits().call(Uuid::from_u128(session), company).await;
            assert_eq!(seconds(one_more), 60);
            // It is the session's limit, not the company's.
            let elsewhere = desk.limits().call(Uuid::from_u128(session), other).await;
            assert_eq!(seconds(elsewhere), 0);
        }
        let new = Uuid::from_u128(99);
        assert_eq!(seconds(desk.limits().call(new, company).await), 60);
        desk.wait(60);
        assert_eq!(seconds(desk.limits().call(new, company).await), 0);
    }
}

#[tokio::test]
async fn companies_have_their_exports_resets_and_reveals() {
    for desk in [Desk::alone(), Desk::together()] {
        for (limit, times, window) in [
            (CompanyLimit::Exports, 10, 60),
            (CompanyLimit::PasswordResets, 20, 3600),
            (CompanyLimit::Reveals, 10, 3600),
            (CompanyLimit::OperatorPasswords, 10, 3600),
            (CompanyLimit::PasswordWork, 30, 60),
            (CompanyLimit::Checkouts, 10, 3600),
        ] {
            let (company, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
            let count = async |company| seconds(desk.limits().company(limit, company).await);
            for _ in 0..times {
                assert_eq!(count(company).await, 0);
            }
            assert_eq!(count(company).await, window);
            assert_eq!(count(other).await, 0);
            desk.wait(i64::try_from(window).expect("small") - 1);
            assert_eq!(count(company).await, 1);
            desk.wait(1);
            assert_eq!(count(company).await, 0);
        }
    }
}

#[tokio::test]
async fn a_company_has_thirty_two_at_once() {
    for desk in [Desk::alone(), Desk::together()] {
        let company = Uuid::from_u128(1);
        let call = || desk.limits().call(Uuid::from_u128(7), company);
        let mut running = Vec::new();
        for _ in 0..32 {
            running.push(call().await.expect("room"));
        }
        assert_eq!(seconds(call().await), 1);
        drop(running);
        // Redis is told in a task of its own.
        let mut tries = 0;
        while call().await.is_err() {
            tries += 1;
            assert!(tries < 100, "nothing ends");
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_while_it_is_counted_does_not_stay() {
    let desk = Desk::together();
    let company = Uuid::from_u128(7);
    let first = [
        desk.limits().enter(company).await,
        desk.limits().enter(company).await,
    ];
    assert!(first.iter().all(Result::is_ok));
    drop(first);
    for _ in 0..40 {
        // Long enough to ask Redis, too short for its answer.
        let moment = async {
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            _ = desk.limits().enter(company) => {}
            () = moment => {}
        }
    }
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let mut running = Vec::new();
    for _ in 0..32 {
        running.push(desk.limits().enter(company).await.expect("let through"));
    }
    assert_eq!(seconds(desk.limits().enter(company).await), 1);
}

#[tokio::test]
async fn without_redis_a_process_allows_half_and_calls_are_open() {
    let desk = Desk::cut_off();
    for _ in 0..2 {
        assert_eq!(desk.fail("acme", HERE).await, 0);
    }
    assert_eq!(desk.fail("acme", HERE).await, 60);
    for n in 0..13 {
        assert_eq!(desk.fail(&n.to_string(), HERE).await, 0);
    }
    assert_eq!(desk.fail("one more", HERE).await, 300);
    for _ in 0..2 {
        assert_eq!(seconds(desk.limits().sign_up(address(HERE)).await), 0);
    }
    assert_eq!(seconds(desk.limits().sign_up(address(HERE)).await), 3600);
    for _ in 0..5 {
        let started = desk.limits().start_recovery(address(HERE)).await;
        assert_eq!(seconds(started), 0);
    }
    let started = desk.limits().start_recovery(address(HERE)).await;
    assert_eq!(seconds(started), 3600);
    // Nobody is told of a miss while it can't be known how many there were.
    assert!(!desk.limits().may_tell_miss(address(THERE)).await);
    let company = Uuid::from_u128(1);
    for limit in [CompanyLimit::Reveals, CompanyLimit::PasswordResets] {
        let half = if limit == CompanyLimit::Reveals {
            5
        } else {
            10
        };
        for n in 0..=half {
            let counted = desk.limits().company(limit, company).await;
            assert_eq!(seconds(counted), if n < half { 0 } else { 3600 });
        }
    }
    for _ in 0..700 {
        let call = desk.limits().call(Uuid::from_u128(7), company).await;
        assert_eq!(seconds(call), 0);
        let export = desk.limits().company(CompanyLimit::Exports, company).await;
        assert_eq!(seconds(export), 0);
    }
}

#[tokio::test]
async fn failures_in_a_row_count_twice_without_redis() {
    let desk = Desk::cut_off();
    for n in 0..=50 {
        let from = address(&format!("192.0.2.{n}"));
        let attempt = desk.limits().sign_in(Login::Own, "acme", from).await;
        let known_only = attempt.expect("let through").known_addresses_only;
        assert_eq!(known_only, n == 50, "{n}");
    }
}

#[tokio::test]
async fn miss_is_not_told_by_the_call_that_finds_redis_away() {
    let desk = Desk::cut_off();
    assert!(!desk.limits().may_tell_miss(address(HERE)).await);
}

/// A Redis whose memory is full: it answers, and takes no more writes.
async fn full_redis() -> SecretString {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (reader, mut writer) = stream.into_split();
                let mut lines = BufReader::new(reader).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    // Each command begins with the number of its words.
                    if line.starts_with('*') {
                        let refused =
                            b"-OOM command not allowed when used memory > 'maxmemory'.\r\n";
                        writer.write_all(refused).await.expect("a reader");
                    }
                }
            });
        }
    });
    format!("redis://127.0.0.1:{port}/").into()
}

#[tokio::test]
async fn redis_without_room_leaves_half_the_figures_to_each_process() {
    let desk = Desk::new(1, Some(&full_redis().await));
    for _ in 0..2 {
        assert_eq!(desk.fail("acme", HERE).await, 0);
    }
    assert_eq!(desk.fail("acme", HERE).await, 60);
    assert!(!desk.limits().may_tell_miss(address(THERE)).await);
}

#[tokio::test]
async fn keys_tell_no_name_or_address() {
    let desk = Desk::together();
    desk.fail("acme@example.com", HERE).await;
    let (limits, company) = (desk.limits(), Uuid::from_u128(1));
    let key = limits.key("name", &["acme@example.com", HERE]);
    assert!(key.starts_with("limit:"));
    assert!(!key.contains("acme") && !key.contains(HERE));
    // Keys of a company begin with it.
    let key = limits.company_key(company, "export", &[]);
    assert!(key.starts_with(&company.to_string()));
}

#[tokio::test]
async fn strangers_of_an_address_have_a_limit() {
    let desk = Desk::alone();
    let stranger = |from| desk.limits().stranger(address(from));
    for _ in 0..300 {
        // With a session it does not count.
        stranger(HERE).expect("let through").uncount();
        assert_eq!(seconds(stranger(HERE)), 0);
    }
    assert_eq!(seconds(stranger(HERE)), 60);
    assert_eq!(seconds(stranger(THERE)), 0);
    desk.wait(60);
    assert_eq!(seconds(stranger(HERE)), 0);
}

#[tokio::test]
async fn webhook_of_an_address_counts_until_it_is_taken() {
    for desk in [Desk::alone(), Desk::together()] {
        let webhook = async |from: &str| desk.limits().webhook(address(from)).await;
        for _ in 0..600 {
            webhook(HERE).await.expect("let through").not_forged().await;
            assert_eq!(seconds(webhook(HERE).await), 0);
        }
        assert_eq!(seconds(webhook(HERE).await), 60);
        assert_eq!(seconds(webhook(THERE).await), 0);
        desk.wait(60);
        assert_eq!(seconds(webhook(HERE).await), 0);
    }
}

#[tokio::test]
async fn staff_calls_have_the_limit_of_a_session() {
    let desk = Desk::alone();
    let call = async |session| seconds(desk.limits().staff_call(Uuid::from_u128(session)).await);
    for _ in 0..600 {
        assert_eq!(call(1).await, 0);
    }
    assert_eq!(call(1).await, 60);
    assert_eq!(call(2).await, 0);
}

#[tokio::test]
async fn limits_that_are_off_refuse_nothing() {
    let clock = Clock::fixed("2026-03-01T03:00:00Z".parse().expect("a time"));
    let limits = Limits::new(clock, false, [0; 32], None).expect("limits");
    let mut calls = Vec::new();
    for _ in 0..=COMPANY_IN_FLIGHT {
        calls.push(limits.enter(Uuid::nil()).await.expect("let through"));
    }
    for _ in 0..=101 {
        let attempt = limits.sign_in(Login::Own, "acme", address(HERE)).await;
        assert!(!attempt.expect("let through").known_addresses_only);
        assert!(limits.may_tell_miss(address(HERE)).await);
    }
    limits.met_closed_login(address(HERE), 90).await;
    assert_eq!(limits.closed_login(address(HERE)).await, None);
}

#[tokio::test]
async fn large_answers_of_a_company_have_a_limit() {
    const KIB: usize = 1024;
    let desk = Desk::alone();
    let company = Uuid::from_u128(1);
    let call = async |number| {
        let call = desk
            .limits()
            .call(Uuid::from_u128(9), Uuid::from_u128(number));
        seconds(call.await)
    };
    for _ in 0..2000 {
        desk.limits().answered(company, 64 * KIB - 1);
    }
    assert_eq!(call(1).await, 0, "small answers do not count");
    for _ in 0..2 {
        for _ in 0..15 {
            desk.limits().answered(company, 1024 * KIB);
        }
        assert_eq!(call(1).await, 0);
        for _ in 0..16 {
            desk.limits().answered(company, 64 * KIB);
        }
        assert_eq!(call(1).await, 15);
        assert_eq!(call(2).await, 0, "each company has its own");
        desk.wait(15);
        assert_eq!(call(1).await, 0);
    }
}
