use super::*;

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
            attempt.expect("admitted").take_back().await;
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
async fn sign_up_that_is_taken_back_does_not_count() {
    for limits in [TestLimits::local(), TestLimits::with_redis()] {
        for _ in 0..6 {
            let attempt = limits.next().sign_up(address(HERE)).await;
            attempt.expect("admitted").take_back().await;
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
        attempt.expect("admitted").take_back().await;
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
