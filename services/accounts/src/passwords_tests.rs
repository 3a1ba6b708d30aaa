use super::*;

const FILE: &str = r#"{"active":"ACTIVE","keys":{
    "1":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    "2":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="}}"#;

fn peppers(active: &str) -> Peppers {
    Peppers::parse(&FILE.replace("ACTIVE", active)).expect("peppers")
}

fn passwords(settings: PasswordSettings, active: &str) -> Passwords {
    Passwords::new(settings, peppers(active))
}

fn text(password: &str) -> Zeroizing<String> {
    Zeroizing::new(password.to_owned())
}

#[tokio::test]
async fn check_accepts_only_the_password() {
    let passwords = passwords(PasswordSettings::for_tests(), "1");
    let stored = passwords.hash(text("correct horse")).await.expect("a hash");
    let check = async |password: &str| {
        let against = [Some(stored.clone()), None];
        passwords
            .check(text(password), against)
            .await
            .expect("verdicts")
    };
    assert_eq!(
        check("correct horse").await,
        [PasswordCheck::Right, PasswordCheck::Wrong]
    );
    assert_eq!(
        check("correct horsf").await,
        [PasswordCheck::Wrong, PasswordCheck::Wrong]
    );
    assert_eq!(
        check("").await,
        [PasswordCheck::Wrong, PasswordCheck::Wrong]
    );
    let others = vec![stored.clone()];
    assert!(
        passwords
            .is_one_of(text("correct horse"), others)
            .await
            .expect("an answer")
    );
    assert!(
        !passwords
            .is_one_of(text("correct horse"), vec![])
            .await
            .expect("an answer")
    );
}

#[tokio::test]
async fn hashes_are_salted_and_peppered_argon2id() {
    let settings = PasswordSettings::default();
    let passwords = passwords(settings, "1");
    let one = passwords.hash(text("correct horse")).await.expect("a hash");
    let other = passwords.hash(text("correct horse")).await.expect("a hash");
    assert_ne!(one.hash, other.hash);
    assert!(
        one.hash.starts_with("$argon2id$v=19$m=47104,t=1,p=1$"),
        "{}",
        one.hash
    );
    let unpeppered = Argon2::from(settings.params().expect("parameters"));
    let hash = PasswordHash::new(&one.hash).expect("a PHC string");
    assert_eq!(hash.hash.expect("an output").as_bytes().len(), 32);
    assert_eq!(hash.salt.expect("a salt").len(), 16);
    assert!(unpeppered.verify_password(b"correct horse", &hash).is_err());
    assert_eq!(format!("{one:?}"), "[redacted]");
}

#[tokio::test]
async fn check_detects_outdated_hashes() {
    let weak = passwords(PasswordSettings::for_tests(), "1");
    let stored = weak.hash(text("correct horse")).await.expect("a hash");
    let stronger = PasswordSettings {
        iterations: 2,
        ..PasswordSettings::for_tests()
    };
    for later in [
        passwords(stronger, "1"),
        passwords(PasswordSettings::for_tests(), "2"),
    ] {
        let verdicts = later
            .check(text("correct horse"), [Some(stored.clone())])
            .await;
        assert_eq!(
            verdicts.expect("verdicts"),
            [PasswordCheck::RightButOutdated]
        );
        let verdicts = later
            .check(text("another horse"), [Some(stored.clone())])
            .await;
        assert_eq!(verdicts.expect("verdicts"), [PasswordCheck::Wrong]);
    }
}

#[tokio::test]
async fn check_rejects_broken_hashes() {
    let passwords = passwords(PasswordSettings::for_tests(), "1");
    let good = passwords.hash(text("correct horse")).await.expect("a hash");
    let broken = Hashed {
        hash: "$argon2id$".to_owned(),
        ..good
    };
    let verdicts = passwords.check(text("correct horse"), [Some(broken), None]);
    assert_eq!(
        verdicts.await.expect("verdicts"),
        [PasswordCheck::Wrong, PasswordCheck::Wrong]
    );
}

#[tokio::test]
async fn check_with_unknown_pepper_is_unavailable() {
    let passwords = passwords(PasswordSettings::for_tests(), "1");
    let good = passwords.hash(text("correct horse")).await.expect("a hash");
    let elsewhere = Hashed {
        pepper_id: "9".to_owned(),
        ..good.clone()
    };
    for against in [
        [Some(elsewhere.clone()), None],
        [None, Some(elsewhere.clone())],
        [Some(good.clone()), Some(elsewhere.clone())],
    ] {
        let refused = passwords.check(text("correct horse"), against).await;
        assert_eq!(refused.expect_err("a refusal").kind, Kind::Unavailable);
    }
    let stored = vec![elsewhere, good];
    let refused = passwords.is_one_of(text("correct horse"), stored).await;
    assert_eq!(refused.expect_err("a refusal").kind, Kind::Unavailable);
}

#[tokio::test]
async fn hash_fails_when_the_queue_is_full() {
    let passwords = passwords(PasswordSettings::for_tests(), "1");
    let all = passwords.queue.available_permits();
    let queue = passwords
        .queue
        .clone()
        .acquire_many_owned(u32::try_from(all).unwrap_or(1));
    let queue = queue.await.expect("all queue");
    let refused = passwords
        .hash(text("correct horse"))
        .await
        .expect_err("a refusal");
    assert_eq!(refused.kind, hourmeter_runtime::error::Kind::Unavailable);
    let metrics = hourmeter_runtime::telemetry::metrics_text();
    let line = "hourmeter_password_hashes_refused_total 1";
    assert!(metrics.lines().any(|found| found == line), "{metrics}");
    drop(queue);
    assert!(passwords.hash(text("correct horse")).await.is_ok());
}

#[tokio::test]
async fn metrics_count_waiting_and_finished_hashes() {
    let passwords = passwords(PasswordSettings::for_tests(), "1");
    let metrics = hourmeter_runtime::telemetry::metrics_text;
    let assert_metric = |text: String, name: &str, value: u8| {
        let line = format!("hourmeter_password_{name} {value}");
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    };
    let all = passwords.cores.available_permits();
    let cores = passwords.cores.clone();
    let cores = cores.acquire_many_owned(u32::try_from(all).unwrap_or(1));
    let cores = cores.await.expect("all cores");
    let mut hash = Box::pin(passwords.hash(text("correct horse")));
    assert!(futures::poll!(&mut hash).is_pending());
    assert_metric(metrics(), "hashes_waiting", 1);
    assert_metric(metrics(), "hashes_running", 0);
    drop(cores);
    assert!(hash.await.is_ok());
    assert_metric(metrics(), "hashes_waiting", 0);
    assert_metric(metrics(), "hash_duration_seconds_count", 1);
    let meanwhile = passwords.run(move |_| metrics()).await;
    assert_metric(meanwhile.expect("an answer"), "hashes_running", 1);
    assert_metric(metrics(), "hashes_running", 0);
}

#[tokio::test]
async fn check_always_takes_the_same_work() {
    let passwords = passwords(PasswordSettings::for_tests(), "1");
    let right = passwords.hash(text("correct horse")).await.expect("a hash");
    let unknown_pepper = Hashed {
        pepper_id: "9".to_owned(),
        ..right.clone()
    };
    let broken = Hashed {
        hash: String::new(),
        ..right.clone()
    };
    let cases = [None, Some(right), Some(unknown_pepper), Some(broken)];
    for (typed, stored) in ["correct horse", "another horse", ""]
        .into_iter()
        .flat_map(|typed| cases.clone().map(|stored| (typed, stored)))
    {
        let before = passwords.runs();
        let knows = stored.as_ref().is_none_or(|stored| stored.pepper_id != "9");
        let verdicts = passwords.check(text(typed), [stored.clone(), None]).await;
        assert_eq!(verdicts.is_ok(), knows);
        assert_eq!(passwords.runs() - before, 2, "{typed}");
    }
}

/// Takes all of these permits.
async fn take_all(semaphore: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    let all = u32::try_from(semaphore.available_permits()).unwrap_or(1);
    let permits = semaphore.clone().acquire_many_owned(all).await;
    permits.expect("all permits")
}

#[tokio::test]
async fn cancelled_calls_stop_hashing() {
    let passwords = passwords(PasswordSettings::for_tests(), "1");
    let stored = passwords.hash(text("correct horse")).await.expect("a hash");
    let before = passwords.runs();
    let all = u32::try_from(passwords.cores.available_permits()).unwrap_or(1);
    let cores = take_all(&passwords.cores).await;
    let managers = vec![stored; 1000];
    let mut call = Box::pin(passwords.is_one_of(text("another horse"), managers));
    assert!(futures::poll!(&mut call).is_pending());
    drop(cores);
    // The first hash runs in a thread; the others wait for permits.
    assert!(futures::poll!(&mut call).is_pending());
    drop(call);
    // A running hash completes.
    let idle = passwords.cores.clone().acquire_many_owned(all).await;
    assert!(idle.is_ok() && passwords.runs() - before < 100);
}

#[tokio::test]
async fn company_queue_allows_two_concurrent_hashes() {
    let all = passwords(PasswordSettings::for_tests(), "1");
    let (one, other) = (Uuid::now_v7(), Uuid::now_v7());
    let queue = all.queue.available_permits();
    let cores = take_all(&all.cores).await;
    let (ours, again, theirs) = (
        all.for_company(one),
        all.for_company(one),
        all.for_company(other),
    );
    let hash = |passwords| Box::pin(Passwords::hash(passwords, text("correct horse")));
    let mut calls: Vec<_> = (0..32).map(|_| hash(&ours)).collect();
    for call in &mut calls {
        assert!(futures::poll!(call).is_pending());
    }
    assert_eq!(queue - all.queue.available_permits(), 2);
    // Callers of one company share a queue; another company has its own.
    let mut again = hash(&again);
    assert!(futures::poll!(&mut again).is_pending());
    assert_eq!(queue - all.queue.available_permits(), 2);
    let mut theirs = hash(&theirs);
    assert!(futures::poll!(&mut theirs).is_pending());
    assert_eq!(queue - all.queue.available_permits(), 3);
    drop(cores);
    calls.extend([again, theirs]);
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().all(Result::is_ok));
}

#[tokio::test]
async fn half_of_the_queue_is_reserved_for_sign_in() {
    let all = passwords(PasswordSettings::for_tests(), "1");
    let queue = all.queue.available_permits();
    let cores = take_all(&all.cores).await;
    let companies: Vec<_> = (0..queue)
        .map(|_| all.for_company(Uuid::now_v7()))
        .collect();
    let mut calls: Vec<_> = companies
        .iter()
        .map(|company| Box::pin(company.hash(text("correct horse"))))
        .collect();
    let mut refused = 0;
    for call in &mut calls {
        if let std::task::Poll::Ready(answer) = futures::poll!(call) {
            assert_eq!(answer.expect_err("a refusal").kind, Kind::Unavailable);
            refused += 1;
        }
    }
    assert_eq!(refused, queue - queue / 2);
    let recovery = all.for_others().hash(text("correct horse")).await;
    assert_eq!(recovery.expect_err("a refusal").kind, Kind::Unavailable);
    let mut sign_in = Box::pin(all.check(text("correct horse"), [None]));
    assert!(futures::poll!(&mut sign_in).is_pending());
    drop((calls, cores));
    assert!(sign_in.await.is_ok());
}
