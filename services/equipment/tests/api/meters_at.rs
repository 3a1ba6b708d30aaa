//! `GetMeters` at a time.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_relay;

use crate::meters::replaced;
use crate::relay::{captured, reading};
use crate::support::{World, fold, increase, named, unknown_id, with_usage};

impl World {
    pub async fn meters_at(&self, queries: &[(&str, Option<DateTime<Utc>>)]) -> Vec<v1::MeterAt> {
        let queries = queries.iter().map(|(id, at)| v1::MeterQuery {
            equipment_id: (*id).to_owned(),
            captured_at: at.map(captured),
        });
        let queries = queries.collect();
        let message = v1::GetMetersRequest { queries };
        let request = as_relay(Service::Equipment, self.owner.company_id, message);
        fold(self.client().get_meters(request).await)
            .unwrap()
            .meters
    }
}

#[tokio::test]
async fn meters_at_a_time_have_their_neighbours() {
    let world = World::new().await;
    let start = world.clock.now();
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let one = world.later(TimeDelta::hours(1));
    world.record(increase(id, 5.0)).await.unwrap();
    let two = world.later(TimeDelta::hours(1));
    world.apply(reading(id, 130.0)).await.unwrap();
    world.later(TimeDelta::hours(1));
    world.replace(replaced(id)).await.unwrap();
    let gone = world.create(named("Gone")).await.unwrap();
    world.delete(&gone.id).await.unwrap();
    let kept = world.create(with_usage("Kept", 7.0)).await.unwrap();
    world.retire(&kept.id, "").await.unwrap();
    let unknown = unknown_id();
    let later = two + TimeDelta::minutes(1);
    let queries = [
        (id, Some(start - TimeDelta::hours(1))),
        (id, Some(one - TimeDelta::minutes(1))),
        (id, Some(one)),
        (id, Some(later)),
        (id, None),
        (gone.id.as_str(), None),
        (kept.id.as_str(), None),
        (unknown.as_str(), None),
    ];
    let found = world.meters_at(&queries).await;
    let neighbours: Vec<_> = found
        .iter()
        .map(|meter| (meter.reading_before, meter.reading_after))
        .collect();
    assert_eq!(
        neighbours,
        [
            (None, Some(100.0)),
            (Some(100.0), Some(130.0)),
            (Some(105.0), Some(130.0)),
            (Some(130.0), None),
            (Some(0.0), None),
            (None, None),
            (Some(7.0), None),
        ]
    );
    assert_eq!(found[2].before_at, Some(captured(one)));
    let states: Vec<_> = found[4..].iter().map(v1::MeterAt::state).collect();
    let expected = [
        v1::MachineState::Active,
        v1::MachineState::Deleted,
        v1::MachineState::Retired,
    ];
    assert_eq!(states, expected);
    let deleted = found[5].meter.as_ref().unwrap();
    assert_eq!(deleted.equipment_name, "Gone");
}

#[tokio::test]
async fn meters_at_a_time_of_more_machines_than_one_batch() {
    let mut world = World::new().await;
    world.owner.entitlements.equipment_limit = -1;
    let early = world.clock.now();
    let mut machines = Vec::new();
    for number in 0..51_i32 {
        let usage = f64::from(100 + number);
        let name = format!("Machine {number}");
        let made = world.create(with_usage(&name, usage)).await.unwrap();
        machines.push((made.id, usage));
    }
    world.later(TimeDelta::hours(1));
    for (id, _) in &machines {
        world.record(increase(id, 5.0)).await.unwrap();
    }
    let times = [early + TimeDelta::minutes(1), early + TimeDelta::minutes(2)];
    let queries: Vec<_> = machines
        .iter()
        .flat_map(|(id, _)| times.map(|at| (id.as_str(), Some(at))))
        .collect();
    let found = world.meters_at(&queries).await;
    let before: Vec<_> = found.iter().map(|meter| meter.reading_before).collect();
    let expected: Vec<_> = machines
        .iter()
        .flat_map(|(_, usage)| [Some(*usage); 2])
        .collect();
    assert_eq!(before, expected);
}
