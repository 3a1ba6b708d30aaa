use super::*;

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
            webhook(HERE).await.expect("admitted").take_back().await;
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
    let receiver = QuotaKey::Company(Uuid::from_u128(1));
    let call = async |number| {
        let call = limits
            .next()
            .call(Uuid::from_u128(9), Uuid::from_u128(number));
        seconds(call.await)
    };
    for _ in 0..2000 {
        limits.next().record_response(&receiver, 64 * KIB - 1);
    }
    assert_eq!(call(1).await, 0, "small responses do not count");
    for _ in 0..2 {
        for _ in 0..15 {
            limits.next().record_response(&receiver, 1024 * KIB);
        }
        assert_eq!(call(1).await, 0);
        for _ in 0..16 {
            limits.next().record_response(&receiver, 64 * KIB);
        }
        assert_eq!(call(1).await, 15);
        assert_eq!(call(2).await, 0, "each company has its own limit");
        limits.wait(15);
        assert_eq!(call(1).await, 0);
    }
}
