use std::net::IpAddr;

use chrono::TimeDelta;
use http::HeaderMap;

use super::*;
use crate::address::ClientAddress;

struct Desk {
    clock: Clock,
    limits: Limits,
}

fn desk() -> Desk {
    let clock = Clock::fixed("2026-03-01T03:00:00Z".parse().expect("a time"));
    let limits = Limits::new(clock.clone(), true).expect("limits");
    Desk { clock, limits }
}

impl Desk {
    fn wait(&self, seconds: i64) {
        self.clock
            .set(self.clock.now() + TimeDelta::seconds(seconds));
    }

    /// Seconds to wait, or 0 when the try is let through and fails.
    fn fail(&self, name: &str, from: &str) -> u64 {
        match self.limits.sign_in(name, address(from)) {
            Ok(_failed) => 0,
            Err(Refusal::TooMany(seconds)) => seconds,
            Err(other) => panic!("{other:?}"),
        }
    }
}

fn address(text: &str) -> ClientAddress {
    let peer: IpAddr = text.parse().expect("an address");
    ClientAddress::find(Some(peer), &HeaderMap::new(), &[])
}

#[test]
fn a_name_waits_after_five_failures_and_longer_each_time() {
    let desk = desk();
    for _ in 0..5 {
        assert_eq!(desk.fail("acme", "192.0.2.1"), 0);
    }
    for wait in [60, 120, 240, 480, 900, 900] {
        assert_eq!(desk.fail("acme", "192.0.2.1"), wait);
        desk.wait(i64::try_from(wait).expect("small") - 1);
        assert_eq!(desk.fail("acme", "192.0.2.1"), 1);
        desk.wait(1);
        assert_eq!(desk.fail("acme", "192.0.2.1"), 0);
    }
    // Other names and other addresses are not affected.
    assert_eq!(desk.fail("other", "192.0.2.1"), 0);
    assert_eq!(desk.fail("acme", "192.0.2.2"), 0);
    // A quiet quarter of an hour after the wait begins anew.
    desk.wait(1800);
    for _ in 0..5 {
        assert_eq!(desk.fail("acme", "192.0.2.1"), 0);
    }
}

#[test]
fn failures_older_than_the_window_are_forgotten() {
    let desk = desk();
    for _ in 0..4 {
        assert_eq!(desk.fail("acme", "192.0.2.1"), 0);
    }
    desk.wait(900);
    for _ in 0..5 {
        assert_eq!(desk.fail("acme", "192.0.2.1"), 0);
    }
    assert_eq!(desk.fail("acme", "192.0.2.1"), 60);
}

#[test]
fn success_clears_the_name() {
    let desk = desk();
    for _ in 0..20 {
        for _ in 0..4 {
            assert_eq!(desk.fail("acme", "192.0.2.1"), 0);
        }
        let attempt = desk.limits.sign_in("acme", address("192.0.2.1"));
        attempt.expect("let through").succeeded();
        desk.wait(60);
    }
}

#[test]
fn what_could_not_be_tried_does_not_count() {
    let desk = desk();
    for _ in 0..50 {
        let attempt = desk.limits.sign_in("acme", address("192.0.2.1"));
        attempt.expect("let through").not_tried();
    }
    assert_eq!(desk.fail("acme", "192.0.2.1"), 0);
}

#[test]
fn an_address_has_thirty_failures() {
    let desk = desk();
    for n in 0..30 {
        assert_eq!(desk.fail(&n.to_string(), "192.0.2.1"), 0);
    }
    assert_eq!(desk.fail("new", "192.0.2.1"), 300);
    assert_eq!(desk.fail("new", "192.0.2.2"), 0);
    desk.wait(300);
    assert_eq!(desk.fail("new", "192.0.2.1"), 0);
}

#[test]
fn an_address_has_three_hundred_sign_ins() {
    let desk = desk();
    for n in 0..300 {
        let attempt = desk.limits.sign_in(&n.to_string(), address("192.0.2.1"));
        attempt.expect("let through").succeeded();
    }
    assert_eq!(desk.fail("new", "192.0.2.1"), 300);
}

#[test]
fn an_address_has_five_sign_ups() {
    let desk = desk();
    for _ in 0..5 {
        let sign_up = desk.limits.sign_up(address("2001:db8::1"));
        assert!(sign_up.is_ok());
    }
    assert!(desk.limits.sign_up(address("2001:db8::2")).is_err());
    assert!(desk.limits.sign_up(address("2001:db8:0:1::2")).is_ok());
}

#[test]
fn sessions_and_companies_have_their_calls() {
    let desk = desk();
    let (company, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
    for session in 0..5 {
        for _ in 0..600 {
            let call = desk.limits.call(Uuid::from_u128(session), company);
            assert!(call.is_ok());
        }
        let one_more = desk.limits.call(Uuid::from_u128(session), other);
        assert!(matches!(one_more, Err(Refusal::TooMany(60))));
    }
    assert!(desk.limits.call(Uuid::from_u128(99), company).is_err());
    desk.wait(60);
    assert!(desk.limits.call(Uuid::from_u128(99), company).is_ok());
}

#[test]
fn companies_have_their_exports_and_password_resets() {
    for (limit, times, seconds) in [
        (CompanyLimit::Exports, 10, 60),
        (CompanyLimit::PasswordResets, 20, 3600),
    ] {
        let desk = desk();
        let (company, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        for _ in 0..times {
            assert!(desk.limits.company(limit, company).is_ok());
        }
        let refused = desk.limits.company(limit, company);
        assert!(matches!(refused, Err(Refusal::TooMany(wait)) if wait == seconds));
        assert!(desk.limits.company(limit, other).is_ok());
        desk.wait(i64::try_from(seconds).expect("small") - 1);
        assert!(desk.limits.company(limit, company).is_err());
        desk.wait(1);
        assert!(desk.limits.company(limit, company).is_ok());
    }
}

#[test]
fn a_company_has_thirty_two_at_once() {
    let desk = desk();
    let company = Uuid::from_u128(1);
    let call = || desk.limits.call(Uuid::from_u128(7), company);
    let running: Vec<InFlight> = (0..32).map(|_| call().expect("room")).collect();
    assert!(matches!(call(), Err(Refusal::TooMany(1))));
    drop(running);
    assert!(call().is_ok());
    assert!(lock(&desk.limits.in_flight).is_empty());
}
