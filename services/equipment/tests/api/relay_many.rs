//! `ApplyOperatorUpdates`.

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1;
use hourmeter_proto::equipment::v1::apply_operator_update_result::Outcome;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_relay;
use tonic::Code;
use uuid::Uuid;

use crate::relay::{captured, reading, submission};
use crate::support::{World, fold, increase, invalid_fields, named, unknown_id, with_usage};

/// Short texts of the outcomes.
pub fn outcomes_of(results: &[v1::ApplyOperatorUpdateResult]) -> Vec<String> {
    let outcomes = results
        .iter()
        .map(|result| match result.outcome.as_ref().unwrap() {
            Outcome::Applied(done) => {
                let show =
                    |value: Option<f64>| value.map_or("-".to_owned(), |value| value.to_string());
                let (before, after) = (show(done.usage_before), show(done.usage_after));
                let again = if done.repeated { " again" } else { "" };
                format!("{before} {after}{again}")
            }
            Outcome::Refused(refusal) => {
                assert!(!refusal.message.is_empty());
                let code = match Code::from_i32(refusal.code) {
                    Code::InvalidArgument => "INVALID_ARGUMENT",
                    Code::NotFound => "NOT_FOUND",
                    Code::FailedPrecondition => "FAILED_PRECONDITION",
                    other => panic!("{other}"),
                };
                format!("{code} {}", refusal.reason)
            }
        });
    outcomes.collect()
}

fn fuel(id: &str, amount: f64) -> v1::ApplyOperatorUpdateRequest {
    v1::ApplyOperatorUpdateRequest {
        fuel_added: amount,
        ..submission(id)
    }
}

fn new_meter(id: &str, first: f64, shows: f64) -> v1::ApplyOperatorUpdateRequest {
    v1::ApplyOperatorUpdateRequest {
        meter_replacement: Some(v1::MeterReplacement {
            change: v1::MeterChange::Replaced.into(),
            final_reading: None,
            start_reading: first,
        }),
        ..reading(id, shows)
    }
}

#[tokio::test]
async fn apply_updates_are_independent() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let other = world.create(with_usage("B", 10.0)).await.unwrap();
    let retired = world.create(with_usage("C", 1.0)).await.unwrap();
    world.retire(&retired.id, "").await.unwrap();
    let id = made.id.as_str();
    let before = world.apply(reading(id, 101.0));
    before.await.unwrap();
    let known = reading(id, 102.0);
    world.apply(known.clone()).await.unwrap();
    let later = world.clock.now() - TimeDelta::hours(2);
    let twice = reading(id, 105.0);
    let below = reading(id, 103.0);
    let updates = vec![
        twice.clone(),
        below.clone(),
        known,
        fuel(&other.id, 2.5),
        twice,
        reading("", 1.0),
        reading(&unknown_id(), 1.0),
        reading(&retired.id, 2.0),
        v1::ApplyOperatorUpdateRequest {
            update_id: "x".to_owned(),
            ..reading(id, 500.0)
        },
        reading(id, f64::NAN),
        submission(id),
        v1::ApplyOperatorUpdateRequest {
            captured_at: Some(captured(later)),
            ..reading(id, 999.0)
        },
        new_meter(id, 0.0, 1.5),
        reading(id, 4.0),
        below,
        reading(id, 3.0),
        reading(&other.id, 11.0),
    ];
    let answer = world.apply_all(updates).await.unwrap();
    assert_eq!(
        outcomes_of(&answer),
        [
            "102 105",
            "FAILED_PRECONDITION BELOW_CURRENT",
            "101 102 again",
            "- -",
            "102 105 again",
            "NOT_FOUND NOT_FOUND",
            "NOT_FOUND NOT_FOUND",
            "NOT_FOUND NOT_FOUND",
            "INVALID_ARGUMENT NOT_AN_ID",
            "INVALID_ARGUMENT NOT_A_NUMBER",
            "INVALID_ARGUMENT UPDATE_EMPTY",
            "999 999",
            "105 1.5",
            "1.5 4",
            // The refused reading is refused again: the new meter's reading is lower.
            "4 103",
            "FAILED_PRECONDITION BELOW_CURRENT",
            "10 11",
        ]
    );
    let found = world.get(id).await.unwrap();
    assert_eq!((found.current_usage, found.meter_reading), (208.0, 103.0));
    // A batch with a late entry raises the version once.
    assert_eq!(found.version, 4);
    assert_eq!(world.history(id).await.unwrap().len(), 7);
    let found = world.get(&other.id).await.unwrap();
    assert_eq!(found.total_fuel_used.to_string(), "2.5");
    world.check_projections().await;
}

#[tokio::test]
async fn apply_updates_refusals_equal_those_of_apply_update() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let saw = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::NotApplicable.into()),
        ..named("Saw")
    };
    let saw = world.create(saw).await.unwrap();
    let mut backwards = new_meter(&made.id, 0.0, 1.0);
    if let Some(replacement) = &mut backwards.meter_replacement {
        replacement.final_reading = Some(99.0);
    }
    let updates = vec![
        reading(&made.id, 99.0),
        reading(&made.id, -1.0),
        reading(&unknown_id(), 1.0),
        new_meter(&saw.id, 0.0, 1.0),
        new_meter(&made.id, 5.0, 1.0),
        backwards,
    ];
    let before = world.state(&made.id).await;
    let many = world.apply_all(updates.clone()).await.unwrap();
    for (update, result) in updates.into_iter().zip(many) {
        let message = update.clone();
        let request = as_relay(Service::Equipment, world.owner.company_id, message);
        let status = world.client().apply_operator_update(request).await;
        let code = status.unwrap_err().code();
        let one = world.apply(update).await.unwrap_err();
        let Some(Outcome::Refused(refusal)) = result.outcome else {
            panic!("{result:?}");
        };
        assert_eq!(refusal.code, i32::from(code));
        assert_eq!(refusal.reason, one.reason);
        assert_eq!(refusal.message, *one.message);
        assert_eq!(refusal.text_code, one.message.code);
        let parameters = one.message.parameters.into_iter().collect();
        assert_eq!(refusal.parameters, parameters);
    }
    assert_eq!(world.state(&made.id).await, before);
}

#[tokio::test]
async fn apply_updates_takes_1_to_200() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    invalid_fields(world.apply_all(Vec::new()).await, &["updates"]);
    let many = |count| vec![fuel(&made.id, 0.01); count];
    invalid_fields(world.apply_all(many(201)).await, &["updates"]);
    assert_eq!(world.history(&made.id).await.unwrap(), []);
    let answer = world.apply_all(many(200)).await.unwrap();
    assert_eq!(answer.len(), 200);
    assert_eq!(world.history(&made.id).await.unwrap().len(), 1);
}

#[tokio::test]
async fn apply_updates_accepts_the_longest_submissions() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let longest = |_| v1::ApplyOperatorUpdateRequest {
        operator_name: "🚜".repeat(250),
        notes: "🚜".repeat(5000),
        fuel_added: 999_999.99,
        fuel_kind: v1::FuelKind::Diesel.into(),
        captured_at: Some(captured(world.clock.now())),
        ..reading(&made.id, 999_999.99)
    };
    let answer = world.apply_all((0..200).map(longest).collect()).await;
    assert!(
        outcomes_of(&answer.unwrap())
            .iter()
            .all(|outcome| outcome.ends_with(" 999999.99"))
    );
}

#[tokio::test]
async fn apply_updates_are_separate_per_company() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let update = reading(&made.id, 101.0);
    world.apply(update.clone()).await.unwrap();
    let before = world.state(&made.id).await;
    let message = v1::ApplyOperatorUpdatesRequest {
        updates: vec![update, reading(&made.id, 102.0)],
    };
    let request = as_relay(Service::Equipment, Uuid::now_v7(), message);
    let answer = fold(world.client().apply_operator_updates(request).await);
    let answer = answer.unwrap().results;
    assert_eq!(
        outcomes_of(&answer),
        ["NOT_FOUND NOT_FOUND", "NOT_FOUND NOT_FOUND"]
    );
    assert_eq!(world.state(&made.id).await, before);
}

/// A deterministic pseudo-random generator.
fn rng(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |sides| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % sides
    }
}

/// A mixture of all kinds of updates for these machines.
fn mixture(world: &World, seed: u64, machines: &[String]) -> Vec<v1::ApplyOperatorUpdateRequest> {
    let mut roll = rng(seed);
    let mut updates: Vec<v1::ApplyOperatorUpdateRequest> = Vec::new();
    for _ in 0..60 {
        let id = &machines[usize::try_from(roll(machines.len() as u64)).unwrap()];
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let shows = (roll(20_000) as f64) / 100.0;
        let ago = TimeDelta::minutes(i64::try_from(roll(100)).unwrap());
        let update = match roll(8) {
            0 => new_meter(id, 0.0, shows),
            1 => fuel(id, shows),
            2 if !updates.is_empty() => {
                let chosen = roll(updates.len() as u64);
                updates[usize::try_from(chosen).unwrap()].clone()
            }
            3 => submission(id),
            4 => reading("nobody", shows),
            _ => v1::ApplyOperatorUpdateRequest {
                replace_meter: roll(3) == 0,
                ..reading(id, shows)
            },
        };
        updates.push(v1::ApplyOperatorUpdateRequest {
            captured_at: update
                .captured_at
                .or_else(|| Some(captured(world.clock.now() - ago))),
            ..update
        });
    }
    updates
}

/// State of machines without ids of machines and entries.
async fn seen(world: &World, machines: &[String]) -> Vec<(v1::Equipment, Vec<v1::HistoryRecord>)> {
    let mut seen = Vec::new();
    for id in machines {
        let (mut item, mut history) = world.state(id).await;
        item.id.clear();
        item.owner_id.clear();
        // A batch may raise it once for several updates.
        item.version = 0;
        for record in &mut history {
            record.id.clear();
            record.equipment_id.clear();
        }
        // Entries of the same time are sorted by id.
        history.sort_by_key(|record| format!("{record:?}"));
        seen.push((item, history));
    }
    seen
}

async fn machines(world: &World) -> Vec<String> {
    let mut machines = Vec::new();
    for name in ["A", "B", "C"] {
        let made = world.create(with_usage(name, 50.0)).await.unwrap();
        machines.push(made.id);
    }
    machines
}

#[tokio::test]
async fn apply_updates_equals_single_calls() {
    for seed in [3, 77, 4711] {
        let (one, many) = (World::new().await, World::new().await);
        let ids = (machines(&one).await, machines(&many).await);
        let updates = mixture(&one, seed, &ids.0);
        let mut singles = Vec::new();
        for update in updates.clone() {
            singles.push(match one.apply(update).await {
                Ok(done) => Outcome::Applied(done),
                Err(failure) => Outcome::Refused(v1::ApplyOperatorUpdateRefusal {
                    code: 0,
                    reason: failure.reason.to_string(),
                    message: failure.message.to_string(),
                    text_code: failure.message.code.to_string(),
                    parameters: failure.message.parameters.into_iter().collect(),
                }),
            });
        }
        let same_place = |id: &String| {
            let place = ids.0.iter().position(|known| known == id);
            place.map_or_else(|| id.clone(), |place| ids.1[place].clone())
        };
        let updates = updates
            .into_iter()
            .map(|update| v1::ApplyOperatorUpdateRequest {
                equipment_id: same_place(&update.equipment_id),
                ..update
            });
        let batch = many.apply_all(updates.collect()).await.unwrap();
        let batch: Vec<_> = batch
            .into_iter()
            .map(|result| match result.outcome.unwrap() {
                Outcome::Refused(refusal) => {
                    Outcome::Refused(v1::ApplyOperatorUpdateRefusal { code: 0, ..refusal })
                }
                applied @ Outcome::Applied(_) => applied,
            })
            .collect();
        assert_eq!(batch, singles, "seed {seed}");
        assert!(batch.iter().any(|one| matches!(one, Outcome::Refused(_))));
        assert_eq!(seen(&one, &ids.0).await, seen(&many, &ids.1).await);
        one.check_projections().await;
        many.check_projections().await;
    }
}

#[tokio::test]
async fn apply_updates_repeats_have_no_effect() {
    for seed in [5, 99] {
        let world = World::new().await;
        let ids = machines(&world).await;
        let updates = mixture(&world, seed, &ids);
        let first = world.apply_all(updates.clone()).await.unwrap();
        let before = seen(&world, &ids).await;
        // Applied ones return the same result; others may be refused differently by now.
        let applied: Vec<_> = updates
            .into_iter()
            .zip(first)
            .filter_map(|(update, result)| match result.outcome {
                Some(Outcome::Applied(done)) => Some((update, done)),
                _ => None,
            })
            .collect();
        for (update, done) in applied.iter().rev() {
            let again = world.apply(update.clone()).await.unwrap();
            assert!(again.repeated);
            assert_eq!(again.usage_before, done.usage_before);
            assert_eq!(again.usage_after, done.usage_after);
        }
        let updates: Vec<_> = applied.into_iter().map(|(update, _)| update).collect();
        let again = world.apply_all(updates).await.unwrap();
        assert!(
            outcomes_of(&again)
                .iter()
                .all(|outcome| outcome.ends_with(" again"))
        );
        assert_eq!(seen(&world, &ids).await, before);
    }
}

#[tokio::test]
async fn apply_updates_in_any_order_give_the_same_meter() {
    for seed in [1, 2, 3, 4, 5, 6] {
        let world = World::new().await;
        let ordered = world.create(with_usage("A", 100.0)).await.unwrap();
        let shuffled = world.create(with_usage("B", 100.0)).await.unwrap();
        let halves = world.create(with_usage("C", 100.0)).await.unwrap();
        let begun = world.clock.now();
        world.later(TimeDelta::days(2));
        // Readings that increase with their capture time.
        let about = |id: &str| -> Vec<_> {
            (1..=20)
                .map(|hour| v1::ApplyOperatorUpdateRequest {
                    fuel_added: 1.25,
                    captured_at: Some(captured(begun + TimeDelta::hours(hour))),
                    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
                    reading: Some(100.0 + 1.5 * hour as f64),
                    ..submission(id)
                })
                .collect()
        };
        let mut roll = rng(seed);
        let mut shuffle = |mut updates: Vec<v1::ApplyOperatorUpdateRequest>| {
            for last in (1..updates.len()).rev() {
                let other = roll(last as u64 + 1);
                updates.swap(last, usize::try_from(other).unwrap());
            }
            updates
        };
        world.apply_all(about(&ordered.id)).await.unwrap();
        let answer = world.apply_all(shuffle(about(&shuffled.id))).await.unwrap();
        assert!(
            answer
                .iter()
                .all(|result| matches!(result.outcome, Some(Outcome::Applied(_))))
        );
        let mut updates = shuffle(about(&halves.id));
        for update in updates.split_off(10) {
            world.apply(update).await.unwrap();
        }
        world.apply_all(updates).await.unwrap();
        let of = async |id: &str| {
            let found = world.get(id).await.unwrap();
            (
                found.current_usage.to_string(),
                found.meter_read_at,
                found.total_fuel_used.to_string(),
                world.history(id).await.unwrap().len(),
            )
        };
        let expected = of(&ordered.id).await;
        assert_eq!(expected.0, "130");
        assert_eq!(expected.2, "25");
        assert_eq!(of(&shuffled.id).await, expected, "seed {seed}");
        assert_eq!(of(&halves.id).await, expected, "seed {seed}");
    }
}

#[tokio::test]
async fn apply_updates_concurrently_do_not_deadlock() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for number in 0..12 {
        let made = world.create(named(&format!("Machine {number}"))).await;
        ids.push(made.unwrap().id);
    }
    world.warm_up().await;
    // There are enough connections for all, so a failure is a deadlock.
    let many = async |updates: Vec<v1::ApplyOperatorUpdateRequest>| {
        let answer = world.apply_all(updates).await.unwrap();
        assert_eq!(answer.len(), 12);
    };
    let about = |ids: &[String]| -> Vec<_> { ids.iter().map(|id| fuel(id, 1.0)).collect() };
    let reversed: Vec<String> = ids.iter().rev().cloned().collect();
    let same = about(&ids);
    let mut backwards = same.clone();
    backwards.reverse();
    let batches = async {
        for _ in 0..5 {
            tokio::join!(
                many(about(&ids)),
                many(about(&reversed)),
                many(same.clone()),
                many(backwards.clone()),
            );
        }
    };
    let singles = async {
        for id in ids.iter().chain(&reversed) {
            world.record(increase(id, 1.0)).await.unwrap();
        }
    };
    let resets = async {
        for _ in 0..5 {
            world.reset_fuel().await.unwrap();
        }
    };
    tokio::join!(batches, singles, resets);
    for id in &ids {
        let history = world.history(id).await.unwrap();
        assert_eq!(history.len(), 10 + 1 + 2);
    }
}

#[tokio::test]
async fn apply_updates_same_id_for_two_machines_has_one_effect() {
    let world = World::new().await;
    let (made, other) = (
        world.create(named("A")).await.unwrap(),
        world.create(named("B")).await.unwrap(),
    );
    world.warm_up().await;
    for _ in 0..10 {
        let update = fuel(&made.id, 1.0);
        let moved = v1::ApplyOperatorUpdateRequest {
            equipment_id: other.id.clone(),
            ..update.clone()
        };
        let (first, second) = tokio::join!(
            world.apply_all(vec![update.clone()]),
            world.apply_all(vec![moved.clone()]),
        );
        // The second one is asked to retry, and then finds the result of the first.
        for (answer, update) in [(first, update), (second, moved)] {
            if let Err(failure) = answer {
                assert_eq!(failure.kind, Kind::Unavailable);
                assert!(world.apply(update).await.unwrap().repeated);
            }
        }
    }
    let of = async |id: &str| world.history(id).await.unwrap().len();
    assert_eq!(of(&made.id).await + of(&other.id).await, 10);
}

#[tokio::test]
async fn apply_updates_takes_200_for_one_or_many_machines() {
    let mut world = World::new().await;
    world.owner.entitlements.equipment_limit = -1;
    let mut ids = Vec::new();
    for number in 0..50 {
        let made = world.create(named(&format!("Machine {number}"))).await;
        ids.push(made.unwrap().id);
    }
    for machines in [&ids[..1], &ids[..]] {
        let updates: Vec<_> = (0..200_u32)
            .map(|nth| v1::ApplyOperatorUpdateRequest {
                fuel_added: 1.0,
                notes: "Text".to_owned(),
                ..reading(
                    &machines[nth as usize % machines.len()],
                    f64::from(nth + 1) + 1000.0,
                )
            })
            .collect();
        let before = world.get(&machines[0]).await.unwrap().current_usage;
        let answer = world.apply_all(updates).await.unwrap();
        let applied = answer
            .iter()
            .filter(|result| matches!(result.outcome, Some(Outcome::Applied(_))));
        let below = if before > 0.0 { 4 } else { 0 };
        assert_eq!(applied.count() + below, 200);
    }
}
