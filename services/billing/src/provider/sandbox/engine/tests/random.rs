//! Random operations that must keep the invariants.

use super::*;

/// A seeded generator, so that a failing run can be repeated.
struct Rng(u64);

impl Rng {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

fn apply_random(account: &mut Account, dice: &mut Rng, now: DateTime<Utc>) {
    let id = account.subscriptions[0].id.clone();
    let tiers = [Tier::Basic, Tier::Professional, Tier::Enterprise];
    let tier = tiers[usize::try_from(dice.roll(3)).expect("small")];
    let interval = [Interval::Month, Interval::Year][usize::from(dice.roll(4) == 0)];
    // Rejected operations must keep the invariants too.
    let _ = match dice.roll(8) {
        0 | 1 => account.change_plan(&id, Offer { tier, interval }, now),
        2 => account.pause(&id, now + TimeDelta::days(92), now),
        3 => account.resume(&id, now),
        4 => account.begin_period(&id, now).map(drop),
        5 => account.cancel_at_period_end(&id, now),
        6 => {
            account.set_card(true, now);
            Ok(())
        }
        _ => {
            account.set_card(false, now);
            Ok(())
        }
    };
}

#[test]
fn advance_is_independent_of_step_size() {
    for seed in 1..=200 {
        let mut dice = Rng(seed * 0x9E37_79B9);
        let mut now = day("2026-12-31") + TimeDelta::days(i64::try_from(seed).expect("small"));
        let (mut daily, _) = subscribed(PRO_MONTH, now);
        let mut leap = daily.clone();
        for _ in 0..12 {
            let days = dice.roll(50);
            for _ in 0..days {
                now += TimeDelta::days(1);
                daily.advance(now);
            }
            let twin = Rng(dice.0);
            apply_random(&mut daily, &mut dice, now);
            apply_random(&mut leap, &mut { twin }, now);
            daily.advance(now);
            leap.advance(now);
            assert_eq!(daily, leap, "seed {seed}");
            assert_balanced(&daily);
            let subscription = newest(&mut daily, now);
            if !matches!(subscription.payment_status, PaymentStatus::Ended(_)) {
                assert!(subscription.period_start <= now && now < subscription.period_end);
            }
        }
    }
}

#[test]
fn advance_bills_each_period_once() {
    for seed in 1..=100 {
        let mut dice = Rng(seed * 0x51_7CC1);
        let mut now = day("2027-01-31");
        let (mut account, _) = subscribed(PRO_MONTH, now);
        for _ in 0..10 {
            now += TimeDelta::days(i64::try_from(dice.roll(40)).expect("small") + 1);
            apply_random(&mut account, &mut dice, now);
        }
        let full = |invoice: &&Invoice| invoice.cents == price(invoice.offer);
        let mut begun: Vec<_> = account.invoices.iter().filter(full).collect();
        let count = begun.len();
        begun.dedup_by_key(|invoice| invoice.created_at);
        assert_eq!(begun.len(), count, "seed {seed}: {account:?}");
    }
}
