//! Separate processes do the main journey with metrics on their own admin ports and traces to one
//! collector.

use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Context as _, Result};
use hourmeter_lab::{Collector, Visitor, data_folder};
use hourmeter_proto::notifications::v1::{CountUnreadRequest, CountUnreadResponse};
use rustix::process::Signal;

use crate::{hourmeter, main_journey};

/// In the order of their admin ports.
const PROCESSES: [&str; 6] = [
    "gateway",
    "accounts",
    "equipment",
    "operator-updates",
    "billing",
    "notifications",
];

/// The first of six consecutive free ports below the ephemeral range.
fn free_ports() -> Option<u16> {
    let free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    // Concurrent tests start elsewhere.
    let begin = 20_000 + u16::try_from(std::process::id() % 1_000).unwrap_or(0) * 10;
    let mut rows = (begin..32_000).step_by(6);
    rows.find(|first| {
        let row: Result<Vec<TcpListener>, _> = (*first..first + 6).map(free).collect();
        row.is_ok()
    })
}

#[tokio::test]
async fn separate_processes_main_journey_with_metrics_and_traces() -> Result<()> {
    let (collector, url) = Collector::start().await?;
    let (data, port) = (data_folder()?, free_ports().context("no free ports")?);
    let admin = format!("127.0.0.1:{port}");
    let variables = [
        ("ADMIN_LISTEN", admin.as_str()),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &url),
        ("OTEL_TRACES_SAMPLER_ARG", "1"),
    ];
    let product = hourmeter()
        .start_with(data.path(), &["services"], &variables)
        .await?;
    main_journey(&product.origin).await;
    let manager = Visitor::sign_in(&product.origin, "Ridge Works").await;
    manager
        .call_rpc::<CountUnreadResponse>(
            "notifications.v1.NotificationsService/CountUnread",
            &CountUnreadRequest {},
        )
        .await?;
    for (port, process) in (port..).zip(PROCESSES) {
        let get = async |path: &str| {
            let answer = reqwest::get(format!("http://127.0.0.1:{port}{path}")).await?;
            assert_eq!(answer.status(), 200, "{process} {path}");
            answer.text().await
        };
        let metrics = get("/metrics").await?;
        let named = metrics.lines().any(|line| {
            line.starts_with("hourmeter_build_info{")
                && line.contains(&format!("process=\"{process}\""))
        });
        assert!(named, "{process}: {metrics}");
        get("/livez").await?;
        get("/readyz").await?;
    }
    product.stop(Signal::TERM).await?;
    let spans = collector.spans();
    for process in PROCESSES {
        let sent = spans.contains_key(&format!("hourmeter-{process}"));
        assert!(sent, "{process} sent no traces: {spans:?}");
    }
    Ok(())
}
