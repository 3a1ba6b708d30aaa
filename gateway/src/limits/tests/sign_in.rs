use super::*;

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
