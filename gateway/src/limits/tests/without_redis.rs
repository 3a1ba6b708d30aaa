use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use super::*;

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
