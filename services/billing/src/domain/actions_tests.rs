use chrono::TimeDelta;

use super::State::{Agreed, AgreedEnding, Ending, Grace, Over, Paid, Paused, Trial};
use super::*;
use crate::domain::plan::Tier;
use crate::domain::reconcile::{reconcile, refresh_status};
use crate::domain::subscription::{GRACE, Interval};
use crate::provider::{Offer, PaymentStatus, ProviderSubscription};

const STATES: [State; 8] = [
    Trial,
    Over,
    Paid,
    Grace,
    Agreed,
    Paused,
    Ending,
    AgreedEnding,
];

fn day(day: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(day)
}

const TODAY: i64 = 50;
const END: i64 = 60;

/// A row in the given state on day `TODAY`.
fn row(state: State) -> Subscription {
    let mut row = Subscription::trial(day(32), day(END), day(32));
    let through_provider = matches!(state, Paid | Grace | Paused | Ending | Over);
    row.provider_subscription_id = through_provider.then(|| "sub_1".to_owned());
    if state != Trial {
        row.tier = Tier::Professional;
        row.current_period_end = Some(day(END));
        row.billing_interval = through_provider.then_some(Interval::Month);
    }
    match state {
        Trial => {}
        Paid | Agreed => row.status = Status::Active,
        Grace => {
            row.status = Status::Active;
            row.payment_failed = true;
            row.current_period_end = Some(day(TODAY - 1));
        }
        Paused => {
            row.status = Status::Paused;
            row.pause_end = Some(day(END));
        }
        Ending | AgreedEnding => {
            row.status = Status::Canceled;
            row.cancel_at_period_end = true;
        }
        Over => {
            row.status = Status::Expired;
            row.current_period_end = Some(day(TODAY - 1));
        }
    }
    row
}

fn subscription(id: &str, payment_status: PaymentStatus) -> ProviderSubscription {
    ProviderSubscription {
        subscription_id: id.to_owned(),
        created_at: day(32),
        offer: Offer {
            tier: Tier::Enterprise,
            interval: Interval::Year,
        },
        payment_status,
        period_start: day(TODAY - 1),
        period_end: day(END),
        cancel_at_period_end: false,
        paused_until: None,
        waived: false,
        in_trial: false,
    }
}

#[test]
fn state_of_matches_row() {
    for state in STATES {
        assert_eq!(State::of(&row(state), day(TODAY)), state);
    }
}

#[test]
fn state_of_past_pause_without_renewal_is_ending() {
    let mut resumed = row(Paused);
    resumed.pause_end = Some(day(TODAY));
    assert_eq!(State::of(&resumed, day(TODAY)), Paid);
    resumed.cancel_at_period_end = true;
    assert_eq!(State::of(&resumed, day(TODAY)), Ending);
}

#[test]
fn state_allows_listed_actions_only() {
    use Action::{Cancel, ChangePlan, Checkout, Pause, Reactivate};
    let table: [(State, &[Action]); 8] = [
        (Trial, &[Checkout, Cancel]),
        (Over, &[Checkout]),
        (Paid, &[ChangePlan, Pause, Cancel]),
        (Grace, &[Cancel]),
        (Agreed, &[Checkout, Cancel]),
        (Paused, &[Reactivate, Cancel]),
        (Ending, &[Reactivate]),
        (AgreedEnding, &[Checkout]),
    ];
    for (state, allowed) in table {
        assert_eq!(state.actions(), allowed, "{state:?}");
        for action in [Checkout, ChangePlan, Pause, Reactivate, Cancel] {
            let unpaid = matches!(state, Trial | Over | Agreed | AgreedEnding);
            match (state.check(action), action) {
                (Ok(()), _) => assert!(allowed.contains(&action), "{state:?} {action:?}"),
                (Err(Refusal::AlreadySubscribed), Checkout) => assert!(!unpaid, "{state:?}"),
                (Err(Refusal::CheckoutRequired), ChangePlan | Pause | Reactivate) => {
                    assert!(unpaid, "{state:?} {action:?}");
                }
                (Err(Refusal::State(text)), ChangePlan | Pause | Reactivate | Cancel) => {
                    assert!(!allowed.contains(&action) && text.sentence.ends_with('.'));
                    assert!(!unpaid || action == Cancel, "{state:?} {action:?}");
                }
                (refused, action) => panic!("{state:?} {action:?}: {refused:?}"),
            }
        }
    }
}

#[test]
fn state_of_canceled_trial_is_over() {
    let mut canceled = row(Trial);
    canceled.cancel_locally(day(TODAY));
    assert_eq!(State::of(&canceled, day(TODAY)), Over);
    assert_eq!(canceled.status, Status::Canceled);
}

#[derive(Clone, Copy, Debug)]
enum Event {
    SaysPaid,
    SaysPastDue,
    SaysPaused,
    SaysEnding,
    SaysEnded,
    /// The provider has no subscription.
    SaysNothing,
    AnotherEnded,
    /// Another subscription has been unpaid for longer than the grace period.
    AnotherUnpaid,
    CanceledHere,
    AgreedOn,
    TrialExtended,
    /// One microsecond before trial, period, pause and cancellation end.
    AlmostEnd,
    /// Trial, period, pause and cancellation end without a read from the provider.
    End,
    /// One microsecond before the grace period ends.
    AlmostGraceEnd,
    GraceEnd,
}

fn after(state: State, event: Event) -> State {
    let blink = TimeDelta::microseconds(1);
    let (mut row, mut now) = (row(state), day(TODAY));
    let end = if state == Grace {
        row.current_period_end.unwrap_or_default()
    } else {
        day(END)
    };
    let mut read =
        |subscriptions: &[ProviderSubscription]| row = reconcile(&row, subscriptions, now);
    match event {
        Event::SaysPaid => read(&[subscription("sub_1", PaymentStatus::Paid)]),
        Event::SaysPastDue => read(&[subscription("sub_1", PaymentStatus::PastDue)]),
        Event::SaysPaused => read(&[ProviderSubscription {
            paused_until: Some(day(END)),
            ..subscription("sub_1", PaymentStatus::Paid)
        }]),
        Event::SaysEnding => read(&[ProviderSubscription {
            cancel_at_period_end: true,
            ..subscription("sub_1", PaymentStatus::Paid)
        }]),
        Event::SaysEnded => read(&[subscription("sub_1", PaymentStatus::Ended(day(TODAY - 1)))]),
        Event::SaysNothing => read(&[]),
        Event::AnotherEnded => read(&[subscription("sub_0", PaymentStatus::Ended(day(TODAY - 1)))]),
        Event::AnotherUnpaid => read(&[ProviderSubscription {
            period_start: day(TODAY - 8),
            ..subscription("sub_0", PaymentStatus::PastDue)
        }]),
        Event::CanceledHere => row.cancel_locally(now),
        Event::AgreedOn => {
            if !State::of(&row, now).is_at_provider() {
                row.agree(Tier::Enterprise, day(END));
            }
        }
        Event::TrialExtended => {
            if row.may_extend_trial(now) {
                row.extend_trial(11, now);
            }
        }
        Event::AlmostEnd => now = end - blink,
        Event::End => now = end,
        Event::AlmostGraceEnd => now = end + GRACE - blink,
        Event::GraceEnd => now = end + GRACE,
    }
    // The computed state and the state to be stored are equal.
    let seen = State::of(&row, now);
    refresh_status(&mut row, now);
    assert_eq!(State::of(&row, now), seen, "{state:?} {event:?}");
    seen
}

#[test]
fn state_after_each_event() {
    use Event::*;
    // In the order of STATES.
    let table: [(Event, [State; 8]); 15] = [
        (SaysPaid, [Paid; 8]),
        (SaysPastDue, [Grace; 8]),
        // A pause at the provider does not end a trial or an agreed plan.
        (
            SaysPaused,
            [
                Trial,
                Paused,
                Paused,
                Paused,
                Agreed,
                Paused,
                Paused,
                AgreedEnding,
            ],
        ),
        (SaysEnding, [Ending; 8]),
        (
            SaysEnded,
            [Trial, Over, Over, Over, Agreed, Over, Over, AgreedEnding],
        ),
        (SaysNothing, STATES),
        (AnotherEnded, STATES),
        (
            AnotherUnpaid,
            [Trial, Over, Paid, Grace, Agreed, Over, Ending, AgreedEnding],
        ),
        (
            CanceledHere,
            [
                Over,
                Over,
                Ending,
                Over,
                AgreedEnding,
                Ending,
                Ending,
                AgreedEnding,
            ],
        ),
        (
            AgreedOn,
            [Agreed, Agreed, Paid, Grace, Agreed, Paused, Ending, Agreed],
        ),
        (TrialExtended, STATES),
        (
            AlmostEnd,
            [
                Trial,
                Over,
                Paid,
                Grace,
                Agreed,
                Paused,
                Ending,
                AgreedEnding,
            ],
        ),
        (End, [Over, Over, Paid, Grace, Agreed, Paid, Over, Over]),
        (
            AlmostGraceEnd,
            [Over, Over, Paid, Grace, Agreed, Paid, Over, Over],
        ),
        (GraceEnd, [Over; 8]),
    ];
    for (event, expected) in table {
        for (state, expected) in STATES.into_iter().zip(expected) {
            assert_eq!(after(state, event), expected, "{state:?} {event:?}");
        }
    }
}
