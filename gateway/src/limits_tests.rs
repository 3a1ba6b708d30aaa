use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::TimeDelta;
use http::HeaderMap;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use super::*;
use crate::address::ClientAddress;

/// Limits of one process, or of several that take requests alternately.
struct TestLimits {
    clock: Clock,
    processes: Vec<Limits>,
    next_process: AtomicUsize,
}

impl TestLimits {
    fn new(processes: usize, redis: Option<&SecretString>) -> Self {
        let clock = Clock::fixed("2026-03-01T03:00:00Z".parse().expect("a time"));
        let mut salt = [0; 32];
        getrandom::fill(&mut salt).expect("randomness");
        let process = |_| Limits::new(clock.clone(), true, salt, redis).expect("limits");
        Self {
            processes: (0..processes).map(process).collect(),
            clock,
            next_process: AtomicUsize::new(0),
        }
    }

    fn local() -> Self {
        Self::new(1, None)
    }

    /// Two processes with one Redis.
    fn with_redis() -> Self {
        Self::new(2, Some(&hourmeter_runtime::testing::redis_url()))
    }

    /// One process whose Redis is unreachable.
    fn without_redis() -> Self {
        // Nothing listens on the discard port.
        Self::new(1, Some(&"redis://127.0.0.1:9/".to_owned().into()))
    }

    fn next(&self) -> &Limits {
        let next_process = self.next_process.fetch_add(1, Ordering::Relaxed);
        &self.processes[next_process % self.processes.len()]
    }

    fn wait(&self, seconds: i64) {
        self.clock
            .set(self.clock.now() + TimeDelta::seconds(seconds));
    }

    /// Seconds to wait, or 0 if the attempt is admitted and fails.
    async fn fail(&self, name: &str, from: &str) -> u64 {
        seconds(self.next().sign_in(Login::Own, name, address(from)).await)
    }
}

fn seconds<T>(response: Result<T, ApiError>) -> u64 {
    match response {
        Ok(_) => 0,
        Err(ApiError::RateLimited(seconds)) => seconds,
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
async fn sign_in_locks_name_after_5_failures_and_longer_each_time() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for _ in 0..5 {
            assert_eq!(limits.fail("acme", HERE).await, 0);
        }
        for wait in [60, 120, 240, 480, 900, 900] {
            assert_eq!(limits.fail("acme", HERE).await, wait);
            limits.wait(i64::try_from(wait).expect("small") - 1);
            assert_eq!(limits.fail("acme", HERE).await, 1);
            limits.wait(1);
            assert_eq!(limits.fail("acme", HERE).await, 0);
        }
        // Other names and other addresses are not affected.
        assert_eq!(limits.fail("other", HERE).await, 0);
        assert_eq!(limits.fail("acme", THERE).await, 0);
        // 15 quiet minutes after the lock reset it.
        limits.wait(1800);
        for _ in 0..5 {
            assert_eq!(limits.fail("acme", HERE).await, 0);
        }
        assert_eq!(limits.fail("acme", HERE).await, 60);
    }
}

#[tokio::test]
async fn sign_in_forgets_failures_older_than_the_window() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for _ in 0..4 {
            assert_eq!(limits.fail("acme", HERE).await, 0);
        }
        limits.wait(900);
        for _ in 0..5 {
            assert_eq!(limits.fail("acme", HERE).await, 0);
        }
        assert_eq!(limits.fail("acme", HERE).await, 60);
    }
}

#[tokio::test]
async fn sign_in_counts_failures_within_the_window() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for _ in 0..4 {
            assert_eq!(limits.fail("acme", HERE).await, 0);
        }
        limits.wait(899);
        assert_eq!(limits.fail("acme", HERE).await, 0);
        assert_eq!(limits.fail("acme", HERE).await, 60);
    }
}

#[tokio::test]
async fn not_tried_takes_back_its_lock() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for wait in [0, 0, 0, 0, 0, 60, 120] {
            limits.wait(wait);
            assert_eq!(limits.fail("acme", HERE).await, 0);
        }
        limits.wait(240);
        let attempt = limits
            .next()
            .sign_in(Login::Own, "acme", address(HERE))
            .await;
        attempt.expect("admitted").not_tried().await;
        assert_eq!(limits.fail("acme", HERE).await, 0);
        assert_eq!(limits.fail("acme", HERE).await, 480);
    }
}

#[tokio::test]
async fn sign_in_counts_spellings_of_a_name_together() {
    let limits = TestLimits::local();
    for name in ["acme", " ACME ", "\u{ff21}cme", "Acme", "acme"] {
        assert_eq!(limits.fail(name, HERE).await, 0);
    }
    assert_eq!(limits.fail("aCmE", HERE).await, 60);
}

#[tokio::test]
async fn sign_in_ignores_padding_of_a_name() {
    let limits = TestLimits::local();
    for spaces in [0, 300, 299, 298, 3000] {
        let padded = format!("{}owner@a.example", " ".repeat(spaces));
        assert_eq!(limits.fail(&padded, HERE).await, 0);
        let answered = limits.next().recovery(&padded, address(THERE)).await;
        assert_eq!(seconds(answered), 0);
    }
    let padded = format!("{}Owner@a.example\u{3000}", " ".repeat(297));
    assert_eq!(limits.fail(&padded, HERE).await, 60);
    let answered = limits.next().recovery(&padded, address(THERE)).await;
    assert_eq!(seconds(answered), 3600);
}

#[tokio::test]
async fn sign_in_counts_invalid_names_together() {
    let limits = TestLimits::local();
    for n in 0..5 {
        let endless = n.to_string().repeat(1_000_000);
        assert_eq!(limits.fail(&endless, HERE).await, 0);
    }
    let long = "x".repeat(255);
    assert_eq!(limits.fail(&long, HERE).await, 60);
    assert_eq!(limits.fail(&long[1..], HERE).await, 0);
}

#[tokio::test]
async fn sign_in_with_a_persons_id_does_not_lock_the_session() {
    let limits = TestLimits::local();
    let id = Uuid::from_u128(7).to_string();
    for _ in 0..5 {
        assert_eq!(limits.fail(&id, HERE).await, 0);
    }
    assert_eq!(limits.fail(&id, HERE).await, 60);
    let confirm = async || {
        let attempt = limits.next().sign_in(Login::Session, &id, address(HERE));
        seconds(attempt.await)
    };
    for _ in 0..5 {
        assert_eq!(confirm().await, 0);
    }
    assert_eq!(confirm().await, 60);
}

#[tokio::test]
async fn succeeded_resets_the_name() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for _ in 0..20 {
            for _ in 0..4 {
                assert_eq!(limits.fail("acme", HERE).await, 0);
            }
            let attempt = limits
                .next()
                .sign_in(Login::Own, "acme", address(HERE))
                .await;
            attempt.expect("admitted").succeeded().await;
            limits.wait(60);
        }
    }
}

#[tokio::test]
async fn not_tried_does_not_count() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for _ in 0..50 {
            let attempt = limits
                .next()
                .sign_in(Login::Own, "acme", address(HERE))
                .await;
            attempt.expect("admitted").not_tried().await;
        }
        let attempt = limits
            .next()
            .sign_in(Login::Own, "acme", address(HERE))
            .await;
        assert!(!attempt.expect("admitted").known_addresses_only);
    }
}

#[tokio::test]
async fn sign_in_limits_address_to_30_failures() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for n in 0..30 {
            assert_eq!(limits.fail(&n.to_string(), HERE).await, 0);
        }
        assert_eq!(limits.fail("new", HERE).await, 300);
        assert_eq!(limits.fail("new", THERE).await, 0);
        limits.wait(299);
        assert_eq!(limits.fail("new", HERE).await, 1);
        limits.wait(1);
        assert_eq!(limits.fail("new", HERE).await, 0);
    }
}

#[tokio::test]
async fn sign_in_limits_address_to_300_attempts() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for n in 0..300 {
            let attempt = limits
                .next()
                .sign_in(Login::Own, &n.to_string(), address(HERE))
                .await;
            attempt.expect("admitted").succeeded().await;
        }
        assert_eq!(limits.fail("new", HERE).await, 300);
    }
}

#[tokio::test]
async fn sign_in_admits_only_known_addresses_after_100_failures() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        let known_only = async |from: &str| {
            let attempt = limits
                .next()
                .sign_in(Login::Own, "acme", address(from))
                .await;
            attempt.expect("admitted").known_addresses_only
        };
        for n in 0..100 {
            assert!(!known_only(&format!("192.0.2.{n}")).await, "{n}");
        }
        assert!(known_only("198.51.100.1").await);
        // The name elsewhere, or another name, does not matter.
        let other = limits
            .next()
            .sign_in(Login::Own, "other", address(HERE))
            .await;
        assert!(!other.expect("admitted").known_addresses_only);
        // A day without attempts ends the row.
        limits.wait(86_399);
        assert!(known_only("198.51.100.2").await);
        limits.wait(86_400);
        assert!(!known_only("198.51.100.3").await);
    }
}

#[tokio::test]
async fn succeeded_ends_the_row_of_failures() {
    let limits = TestLimits::with_redis();
    for n in 0..101 {
        limits.fail("acme", &format!("192.0.2.{n}")).await;
    }
    let attempt = limits
        .next()
        .sign_in(Login::Own, "acme", address("203.0.113.1"))
        .await;
    let attempt = attempt.expect("admitted");
    assert!(attempt.known_addresses_only);
    attempt.succeeded().await;
    let attempt = limits
        .next()
        .sign_in(Login::Own, "acme", address("203.0.113.2"))
        .await;
    assert!(!attempt.expect("admitted").known_addresses_only);
}

#[tokio::test]
async fn shared_succeeded_keeps_guesses_at_the_owners_password() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        let shared = async || {
            let attempt = limits
                .next()
                .sign_in(Login::Operator, "acme", address(HERE));
            attempt.await.expect("admitted").shared_succeeded().await;
        };
        for _ in 0..4 {
            assert_eq!(limits.fail("acme", HERE).await, 0);
            shared().await;
        }
        // Nor does it count as a guess.
        assert_eq!(limits.fail("acme", HERE).await, 0);
        assert_eq!(limits.fail("acme", HERE).await, 60);
        // Nor does it end the row of guesses from any address.
        for n in 0..95 {
            limits.fail("acme", &format!("10.9.8.{n}")).await;
        }
        let attempt = limits
            .next()
            .sign_in(Login::Operator, "acme", address(THERE));
        let attempt = attempt.await.expect("admitted");
        assert!(!attempt.known_addresses_only);
        attempt.shared_succeeded().await;
        let attempt = limits.next().sign_in(Login::Own, "acme", address(THERE));
        assert!(attempt.await.expect("admitted").known_addresses_only);
    }
}

#[tokio::test]
async fn shared_succeeded_keeps_the_row_of_guesses() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        let operate = async |from: &str| {
            let attempt = limits
                .next()
                .sign_in(Login::Operator, "acme", address(from));
            attempt.await.expect("admitted")
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
        // Operators may still sign in from anywhere.
        assert!(!attempt.known_addresses_only);
        attempt.succeeded().await;
        let attempt = operate("198.51.100.1").await;
        assert!(!attempt.own_password_known_addresses_only);
        // The other login has no shared password.
        let own = limits.next().sign_in(Login::Own, "acme", address(THERE));
        assert!(
            !own.await
                .expect("admitted")
                .own_password_known_addresses_only
        );
    }
}

#[tokio::test]
async fn ipv6_network_has_twenty_times_the_figure_of_a_block() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        let block = |n: u32| address(&format!("2001:db8:1:{n:x}::1"));
        let next_door = address("2001:db8:2::1");
        for n in 0..100 {
            assert_eq!(seconds(limits.next().sign_up(block(n)).await), 0);
        }
        assert_eq!(seconds(limits.next().sign_up(block(100)).await), 3600);
        assert_eq!(seconds(limits.next().sign_up(next_door).await), 0);
        for n in 0..60 {
            assert!(limits.next().may_reveal_miss(block(n)).await);
        }
        assert!(!limits.next().may_reveal_miss(block(60)).await);
        assert!(limits.next().may_reveal_miss(next_door).await);
        for n in 0..200 {
            let started = limits.next().count_recovery_start(block(n)).await;
            assert_eq!(seconds(started), 0);
            let answered = limits.next().recovery(&n.to_string(), block(n)).await;
            assert_eq!(seconds(answered), 0);
        }
        let started = limits.next().count_recovery_start(block(200)).await;
        assert_eq!(seconds(started), 3600);
        let answered = limits.next().recovery("new", block(200)).await;
        assert_eq!(seconds(answered), 3600);
        let sign_in = async |n: u32, from| {
            let name = n.to_string();
            seconds(limits.next().sign_in(Login::Own, &name, from).await)
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
    let limits = TestLimits::local();
    let sign_up = async |from: &str| seconds(limits.next().sign_up(address(from)).await);
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
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        let (company, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let new_name = async |company, from: &str| {
            let attempt = limits.next().new_name(company, address(from)).await;
            seconds(attempt)
        };
        for _ in 0..20 {
            let attempt = limits.next().new_name(company, address(HERE)).await;
            attempt.expect("admitted").not_in_use().await;
        }
        for n in 0..10 {
            assert_eq!(new_name(company, &format!("10.0.0.{n}")).await, 0);
        }
        assert_eq!(new_name(company, HERE).await, 3600);
        // A rejection for the company does not count for the address.
        for _ in 0..10 {
            assert_eq!(new_name(other, HERE).await, 0);
        }
        assert_eq!(new_name(Uuid::from_u128(3), HERE).await, 3600);
        assert_eq!(new_name(Uuid::from_u128(3), THERE).await, 0);
        limits.wait(3600);
        assert_eq!(new_name(company, HERE).await, 0);
    }
}

#[tokio::test]
async fn closed_login_counts_by_address() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        let closed = async |from: &str| limits.next().closed_login(address(from)).await;
        assert_eq!(closed(HERE).await, None);
        limits.next().record_closed_login(address(HERE), 90).await;
        limits.wait(10);
        assert_eq!(closed(HERE).await, Some(80));
        assert_eq!(closed(THERE).await, None);
        // Another closed company gets the same response.
        limits.next().record_closed_login(address(HERE), 3000).await;
        assert_eq!(closed(HERE).await, Some(80));
        limits.wait(80);
        assert_eq!(closed(HERE).await, None);
        limits
            .next()
            .record_closed_login(address(HERE), 86_400)
            .await;
        assert_eq!(closed(HERE).await, Some(3600));
    }
}

#[tokio::test]
async fn sign_up_limits_address_to_5() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        let sign_up = async |from: &str| seconds(limits.next().sign_up(address(from)).await);
        for _ in 0..5 {
            assert_eq!(sign_up("2001:db8::1").await, 0);
        }
        assert_eq!(sign_up("2001:db8::2").await, 3600);
        assert_eq!(sign_up("2001:db8:0:1::2").await, 0);
    }
}

#[tokio::test]
async fn sign_up_that_was_not_tried_does_not_count() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for _ in 0..6 {
            let attempt = limits.next().sign_up(address(HERE)).await;
            attempt.expect("admitted").not_tried().await;
        }
    }
}

#[tokio::test]
async fn recovery_limits_address_to_10_an_hour() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for n in 0..10 {
            let started = limits.next().count_recovery_start(address(HERE)).await;
            assert_eq!(seconds(started), 0);
            let name = n.to_string();
            let answered = limits.next().recovery(&name, address(HERE)).await;
            assert_eq!(seconds(answered), 0);
        }
        let started = limits.next().count_recovery_start(address(HERE)).await;
        assert_eq!(seconds(started), 3600);
        let answered = limits.next().recovery("new", address(HERE)).await;
        assert_eq!(seconds(answered), 3600);
        let elsewhere = limits.next().recovery("new", address(THERE)).await;
        assert_eq!(seconds(elsewhere), 0);
    }
}

#[tokio::test]
async fn recovery_limits_name_to_5_an_hour_and_10_a_day() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        let wrong = async |from: u8| {
            let from = format!("192.0.2.{from}");
            seconds(limits.next().recovery("Acme", address(&from)).await)
        };
        for n in 0..5 {
            assert_eq!(wrong(n).await, 0);
        }
        assert_eq!(wrong(10).await, 3600);
        // Signing in is not affected.
        assert_eq!(limits.fail("Acme", HERE).await, 0);
        limits.wait(3600);
        for n in 20..25 {
            assert_eq!(wrong(n).await, 0);
        }
        limits.wait(3600);
        assert_eq!(wrong(30).await, 86_400 - 7200);
        limits.wait(86_400 - 7200);
        assert_eq!(wrong(40).await, 0);
    }
}

#[tokio::test]
async fn recovery_does_not_count_right_answers() {
    let limits = TestLimits::with_redis();
    for n in 0..20 {
        let from = address(&format!("192.0.2.{n}"));
        let attempt = limits.next().recovery("Acme", from).await;
        attempt.expect("admitted").not_failed().await;
    }
}

#[tokio::test]
async fn may_reveal_miss_three_times_a_day() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for _ in 0..3 {
            assert!(limits.next().may_reveal_miss(address(HERE)).await);
        }
        assert!(!limits.next().may_reveal_miss(address(HERE)).await);
        assert!(limits.next().may_reveal_miss(address(THERE)).await);
        limits.wait(86_399);
        assert!(!limits.next().may_reveal_miss(address(HERE)).await);
        limits.wait(1);
        assert!(limits.next().may_reveal_miss(address(HERE)).await);
    }
}

#[tokio::test]
async fn call_limits_sessions_and_companies() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        let (company, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        for session in 0..5 {
            for _ in 0..600 {
                let call = limits.next().call(Uuid::from_u128(session), company);
                assert!(call.await.is_ok());
            }
            let one_more = limits.next().call(Uuid::from_u128(session), company).await;
            assert_eq!(seconds(one_more), 60);
            // It is the session's limit, not the company's.
            let elsewhere = limits.next().call(Uuid::from_u128(session), other).await;
            assert_eq!(seconds(elsewhere), 0);
        }
        let new = Uuid::from_u128(99);
        assert_eq!(seconds(limits.next().call(new, company).await), 60);
        limits.wait(60);
        assert_eq!(seconds(limits.next().call(new, company).await), 0);
    }
}

#[tokio::test]
async fn company_limits_have_their_rates() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for (limit, times, window) in [
            (CompanyLimit::Exports, 10, 60),
            (CompanyLimit::PasswordResets, 20, 3600),
            (CompanyLimit::Reveals, 10, 3600),
            (CompanyLimit::OperatorPasswords, 10, 3600),
            (CompanyLimit::PasswordWork, 30, 60),
            (CompanyLimit::Checkouts, 10, 3600),
        ] {
            let (company, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
            let count = async |company| seconds(limits.next().company(limit, company).await);
            for _ in 0..times {
                assert_eq!(count(company).await, 0);
            }
            assert_eq!(count(company).await, window);
            assert_eq!(count(other).await, 0);
            limits.wait(i64::try_from(window).expect("small") - 1);
            assert_eq!(count(company).await, 1);
            limits.wait(1);
            assert_eq!(count(company).await, 0);
        }
    }
}

#[tokio::test]
async fn call_limits_company_to_32_in_flight() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        let company = Uuid::from_u128(1);
        let call = || limits.next().call(Uuid::from_u128(7), company);
        let mut running = Vec::new();
        for _ in 0..32 {
            running.push(call().await.expect("admitted"));
        }
        assert_eq!(seconds(call().await), 1);
        drop(running);
        // Redis is updated in a separate task.
        let mut tries = 0;
        while call().await.is_err() {
            tries += 1;
            assert!(tries < 100, "calls did not end");
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn enter_removes_a_call_that_is_dropped_meanwhile() {
    let limits = TestLimits::with_redis();
    let company = Uuid::from_u128(7);
    let first = [
        limits.next().enter(company).await,
        limits.next().enter(company).await,
    ];
    assert!(first.iter().all(Result::is_ok));
    drop(first);
    for _ in 0..40 {
        // Long enough to send the command, too short for the reply.
        let moment = async {
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            _ = limits.next().enter(company) => {}
            () = moment => {}
        }
    }
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let mut running = Vec::new();
    for _ in 0..32 {
        running.push(limits.next().enter(company).await.expect("admitted"));
    }
    assert_eq!(seconds(limits.next().enter(company).await), 1);
}

#[tokio::test]
async fn limits_are_halved_and_calls_unlimited_without_redis() {
    let limits = TestLimits::without_redis();
    for _ in 0..2 {
        assert_eq!(limits.fail("acme", HERE).await, 0);
    }
    assert_eq!(limits.fail("acme", HERE).await, 60);
    for n in 0..13 {
        assert_eq!(limits.fail(&n.to_string(), HERE).await, 0);
    }
    assert_eq!(limits.fail("one more", HERE).await, 300);
    for _ in 0..2 {
        assert_eq!(seconds(limits.next().sign_up(address(HERE)).await), 0);
    }
    assert_eq!(seconds(limits.next().sign_up(address(HERE)).await), 3600);
    for _ in 0..5 {
        let started = limits.next().count_recovery_start(address(HERE)).await;
        assert_eq!(seconds(started), 0);
    }
    let started = limits.next().count_recovery_start(address(HERE)).await;
    assert_eq!(seconds(started), 3600);
    // No miss is revealed while the total number is unknown.
    assert!(!limits.next().may_reveal_miss(address(THERE)).await);
    let company = Uuid::from_u128(1);
    for limit in [CompanyLimit::Reveals, CompanyLimit::PasswordResets] {
        let half = if limit == CompanyLimit::Reveals {
            5
        } else {
            10
        };
        for n in 0..=half {
            let counted = limits.next().company(limit, company).await;
            assert_eq!(seconds(counted), if n < half { 0 } else { 3600 });
        }
    }
    for _ in 0..700 {
        let call = limits.next().call(Uuid::from_u128(7), company).await;
        assert_eq!(seconds(call), 0);
        let export = limits.next().company(CompanyLimit::Exports, company).await;
        assert_eq!(seconds(export), 0);
    }
}

#[tokio::test]
async fn sign_in_counts_failures_in_a_row_twice_without_redis() {
    let limits = TestLimits::without_redis();
    for n in 0..=50 {
        let from = address(&format!("192.0.2.{n}"));
        let attempt = limits.next().sign_in(Login::Own, "acme", from).await;
        let known_only = attempt.expect("admitted").known_addresses_only;
        assert_eq!(known_only, n == 50, "{n}");
    }
}

#[tokio::test]
async fn may_reveal_miss_is_false_when_the_call_finds_redis_unavailable() {
    let limits = TestLimits::without_redis();
    assert!(!limits.next().may_reveal_miss(address(HERE)).await);
}

/// A Redis whose memory is full: it responds and refuses writes.
async fn full_redis() -> SecretString {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (reader, mut writer) = stream.into_split();
                let mut lines = BufReader::new(reader).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    // Each command begins with the number of its arguments.
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
async fn limits_are_halved_when_redis_is_full() {
    let limits = TestLimits::new(1, Some(&full_redis().await));
    for _ in 0..2 {
        assert_eq!(limits.fail("acme", HERE).await, 0);
    }
    assert_eq!(limits.fail("acme", HERE).await, 60);
    assert!(!limits.next().may_reveal_miss(address(THERE)).await);
}

#[tokio::test]
async fn keys_contain_no_name_or_address() {
    let limits = TestLimits::with_redis();
    limits.fail("acme@example.com", HERE).await;
    let (limits, company) = (limits.next(), Uuid::from_u128(1));
    let key = limits.key("name", &["acme@example.com", HERE]);
    assert!(key.starts_with("limit:"));
    assert!(!key.contains("acme") && !key.contains(HERE));
    // Keys of a company begin with it.
    let key = limits.company_key(company, "export", &[]);
    assert!(key.starts_with(&company.to_string()));
}

#[tokio::test]
async fn unauthenticated_limits_an_address() {
    let limits = TestLimits::local();
    let unauthenticated = |from| limits.next().unauthenticated(address(from));
    for _ in 0..300 {
        // Requests with a session do not count.
        unauthenticated(HERE).expect("admitted").uncount();
        assert_eq!(seconds(unauthenticated(HERE)), 0);
    }
    assert_eq!(seconds(unauthenticated(HERE)), 60);
    assert_eq!(seconds(unauthenticated(THERE)), 0);
    limits.wait(60);
    assert_eq!(seconds(unauthenticated(HERE)), 0);
}

#[tokio::test]
async fn webhook_counts_until_known_to_be_valid() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        let webhook = async |from: &str| limits.next().webhook(address(from)).await;
        for _ in 0..600 {
            webhook(HERE).await.expect("admitted").not_forged().await;
            assert_eq!(seconds(webhook(HERE).await), 0);
        }
        assert_eq!(seconds(webhook(HERE).await), 60);
        assert_eq!(seconds(webhook(THERE).await), 0);
        limits.wait(60);
        assert_eq!(seconds(webhook(HERE).await), 0);
    }
}

#[tokio::test]
async fn staff_call_limits_a_session() {
    let limits = TestLimits::local();
    let call = async |session| seconds(limits.next().staff_call(Uuid::from_u128(session)).await);
    for _ in 0..600 {
        assert_eq!(call(1).await, 0);
    }
    assert_eq!(call(1).await, 60);
    assert_eq!(call(2).await, 0);
}

#[tokio::test]
async fn limits_reject_nothing_when_off() {
    let clock = Clock::fixed("2026-03-01T03:00:00Z".parse().expect("a time"));
    let limits = Limits::new(clock, false, [0; 32], None).expect("limits");
    let mut calls = Vec::new();
    for _ in 0..=COMPANY_IN_FLIGHT {
        calls.push(limits.enter(Uuid::nil()).await.expect("admitted"));
    }
    for _ in 0..=101 {
        let attempt = limits.sign_in(Login::Own, "acme", address(HERE)).await;
        assert!(!attempt.expect("admitted").known_addresses_only);
        assert!(limits.may_reveal_miss(address(HERE)).await);
    }
    limits.record_closed_login(address(HERE), 90).await;
    assert_eq!(limits.closed_login(address(HERE)).await, None);
}

#[tokio::test]
async fn call_limits_large_responses_of_a_company() {
    const KIB: usize = 1024;
    let limits = TestLimits::local();
    let company = Uuid::from_u128(1);
    let call = async |number| {
        let call = limits
            .next()
            .call(Uuid::from_u128(9), Uuid::from_u128(number));
        seconds(call.await)
    };
    for _ in 0..2000 {
        limits.next().record_response(company, 64 * KIB - 1);
    }
    assert_eq!(call(1).await, 0, "small responses do not count");
    for _ in 0..2 {
        for _ in 0..15 {
            limits.next().record_response(company, 1024 * KIB);
        }
        assert_eq!(call(1).await, 0);
        for _ in 0..16 {
            limits.next().record_response(company, 64 * KIB);
        }
        assert_eq!(call(1).await, 15);
        assert_eq!(call(2).await, 0, "each company has its own limit");
        limits.wait(15);
        assert_eq!(call(1).await, 0);
    }
}
