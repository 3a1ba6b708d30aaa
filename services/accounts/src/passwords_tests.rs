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
async fn only_the_password_is_right() {
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
        [Verdict::Right, Verdict::Wrong]
    );
    assert_eq!(
        check("correct horsf").await,
        [Verdict::Wrong, Verdict::Wrong]
    );
    assert_eq!(check("").await, [Verdict::Wrong, Verdict::Wrong]);
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
async fn older_parameters_and_peppers_are_noticed() {
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
        assert_eq!(verdicts.expect("verdicts"), [Verdict::RightButOld]);
        let verdicts = later
            .check(text("another horse"), [Some(stored.clone())])
            .await;
        assert_eq!(verdicts.expect("verdicts"), [Verdict::Wrong]);
    }
}

#[tokio::test]
async fn broken_hashes_admit_nobody() {
    let passwords = passwords(PasswordSettings::for_tests(), "1");
    let good = passwords.hash(text("correct horse")).await.expect("a hash");
    let broken = Hashed {
        hash: "$argon2id$".to_owned(),
        ..good
    };
    let verdicts = passwords.check(text("correct horse"), [Some(broken), None]);
    assert_eq!(
        verdicts.await.expect("verdicts"),
        [Verdict::Wrong, Verdict::Wrong]
    );
}

#[tokio::test]
async fn a_pepper_that_only_others_have_makes_no_password_wrong() {
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
async fn a_full_wait_list_turns_away() {
    let passwords = passwords(PasswordSettings::for_tests(), "1");
    let all = passwords.places.available_permits();
    let places = passwords
        .places
        .clone()
        .acquire_many_owned(u32::try_from(all).unwrap_or(1));
    let places = places.await.expect("all places");
    let refused = passwords
        .hash(text("correct horse"))
        .await
        .expect_err("a refusal");
    assert_eq!(refused.kind, hourmeter_runtime::error::Kind::Unavailable);
    let told = hourmeter_runtime::telemetry::metrics_text();
    let line = "hourmeter_password_hashes_refused_total 1";
    assert!(told.lines().any(|told| told == line), "{told}");
    drop(places);
    assert!(passwords.hash(text("correct horse")).await.is_ok());
}

#[tokio::test]
async fn the_queue_tells_who_waits_and_what_was_done() {
    let passwords = passwords(PasswordSettings::for_tests(), "1");
    let metrics = hourmeter_runtime::telemetry::metrics_text;
    let told = |told: String, name: &str, value: u8| {
        let line = format!("hourmeter_password_{name} {value}");
        assert!(told.lines().any(|told| told == line), "{line}\n{told}");
    };
    let all = passwords.cores.available_permits();
    let cores = passwords.cores.clone();
    let cores = cores.acquire_many_owned(u32::try_from(all).unwrap_or(1));
    let cores = cores.await.expect("all cores");
    let mut hash = Box::pin(passwords.hash(text("correct horse")));
    assert!(futures::poll!(&mut hash).is_pending());
    told(metrics(), "hashes_waiting", 1);
    told(metrics(), "hashes_running", 0);
    drop(cores);
    assert!(hash.await.is_ok());
    told(metrics(), "hashes_waiting", 0);
    told(metrics(), "hash_duration_seconds_count", 1);
    let meanwhile = passwords.run(move |_| metrics()).await;
    told(meanwhile.expect("an answer"), "hashes_running", 1);
    told(metrics(), "hashes_running", 0);
}

#[tokio::test]
async fn a_check_is_the_same_work_whatever_it_finds() {
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
async fn work_ends_with_its_caller() {
    let passwords = passwords(PasswordSettings::for_tests(), "1");
    let stored = passwords.hash(text("correct horse")).await.expect("a hash");
    let before = passwords.runs();
    let all = u32::try_from(passwords.cores.available_permits()).unwrap_or(1);
    let cores = take_all(&passwords.cores).await;
    let managers = vec![stored; 1000];
    let mut call = Box::pin(passwords.is_one_of(text("another horse"), managers));
    assert!(futures::poll!(&mut call).is_pending());
    drop(cores);
    // The first hash is handed to a thread; the others wait for their own permits.
    assert!(futures::poll!(&mut call).is_pending());
    drop(call);
    // What runs goes on to its end.
    let idle = passwords.cores.clone().acquire_many_owned(all).await;
    assert!(idle.is_ok() && passwords.runs() - before < 100);
}

#[tokio::test]
async fn one_company_has_two_hashes_under_way() {
    let all = passwords(PasswordSettings::for_tests(), "1");
    let (one, other) = (Uuid::now_v7(), Uuid::now_v7());
    let places = all.places.available_permits();
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
    assert_eq!(places - all.places.available_permits(), 2);
    // Whoever asks for the company's queue gets the same one; another company has its own.
    let mut again = hash(&again);
    assert!(futures::poll!(&mut again).is_pending());
    assert_eq!(places - all.places.available_permits(), 2);
    let mut theirs = hash(&theirs);
    assert!(futures::poll!(&mut theirs).is_pending());
    assert_eq!(places - all.places.available_permits(), 3);
    drop(cores);
    calls.extend([again, theirs]);
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().all(Result::is_ok));
}

#[tokio::test]
async fn half_of_the_queue_is_kept_for_signing_in() {
    let all = passwords(PasswordSettings::for_tests(), "1");
    let places = all.places.available_permits();
    let cores = take_all(&all.cores).await;
    let companies: Vec<_> = (0..places)
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
    assert_eq!(refused, places - places / 2);
    let recovery = all.for_others().hash(text("correct horse")).await;
    assert_eq!(recovery.expect_err("a refusal").kind, Kind::Unavailable);
    let mut sign_in = Box::pin(all.check(text("correct horse"), [None]));
    assert!(futures::poll!(&mut sign_in).is_pending());
    drop((calls, cores));
    assert!(sign_in.await.is_ok());
}
