//! The plan catalogue: prices, limits and features.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    Basic,
    Professional,
    Enterprise,
}

impl Tier {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Professional => "professional",
            Self::Enterprise => "enterprise",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        PLANS
            .iter()
            .map(|plan| plan.tier)
            .find(|tier| tier.name() == name)
    }

    pub const fn plan(self) -> &'static Plan {
        match self {
            Self::Basic => &PLANS[0],
            Self::Professional => &PLANS[1],
            Self::Enterprise => &PLANS[2],
        }
    }
}

/// A plan. Prices are US cents per month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub tier: Tier,
    pub name: &'static str,
    pub description: &'static str,
    /// Number of machines; -1: unlimited.
    pub equipment_limit: i32,
    pub monthly_cents: u32,
    /// Per month, when 12 months are paid in advance.
    pub yearly_cents: u32,
    pub list_monthly_cents: u32,
    pub list_yearly_cents: u32,
    /// Whether the plan includes the premium features.
    pub premium: bool,
}

pub const YEARLY_DISCOUNT_PERCENT: u32 = 15;
pub const LAUNCH_DISCOUNT_PERCENT: u32 = 20;

/// In display order; every plan lists the same features. Clients have a translated text for each.
pub const FEATURES: [&str; 8] = [
    "equipment_tracking",
    "operators",
    "operator_updates",
    "service_scheduling",
    "notes_history",
    "exports",
    "parts_entry",
    "fuel_analytics",
];
pub const PREMIUM_FEATURES: [&str; 2] = ["parts_entry", "fuel_analytics"];

/// Smallest first.
pub const PLANS: [Plan; 3] = [
    Plan {
        tier: Tier::Basic,
        name: "Basic",
        description: "For small teams with a handful of machines.",
        equipment_limit: 15,
        monthly_cents: 3200,
        yearly_cents: 2720,
        list_monthly_cents: 4000,
        list_yearly_cents: 3400,
        premium: false,
    },
    Plan {
        tier: Tier::Professional,
        name: "Professional",
        description: "For growing fleets that track parts and fuel.",
        equipment_limit: 30,
        monthly_cents: 5400,
        yearly_cents: 4590,
        list_monthly_cents: 6800,
        list_yearly_cents: 5800,
        premium: true,
    },
    Plan {
        tier: Tier::Enterprise,
        name: "Enterprise",
        description: "For large fleets with many machines and crews.",
        equipment_limit: 65,
        monthly_cents: 10_000,
        yearly_cents: 8500,
        list_monthly_cents: 12_500,
        list_yearly_cents: 10_600,
        premium: true,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tier_maps_to_plan_and_name() {
        for plan in PLANS {
            assert_eq!(plan.tier.plan(), &plan);
            assert_eq!(Tier::from_name(plan.tier.name()), Some(plan.tier));
            let stored = serde_json::to_value(plan.tier).expect("a word");
            assert_eq!(stored, plan.tier.name());
        }
        assert_eq!(Tier::from_name("gold"), None);
    }

    #[test]
    fn yearly_price_matches_discount() {
        for plan in PLANS {
            let expected = plan.monthly_cents * (100 - YEARLY_DISCOUNT_PERCENT) / 100;
            assert_eq!(plan.yearly_cents, expected, "{}", plan.name);
        }
    }

    #[test]
    fn launch_price_matches_discount() {
        // List prices are rounded to whole dollars, so the two agree to the dollar.
        for plan in PLANS {
            for (list, price) in [
                (plan.list_monthly_cents, plan.monthly_cents),
                (plan.list_yearly_cents, plan.yearly_cents),
            ] {
                let discounted = list * (100 - LAUNCH_DISCOUNT_PERCENT) / 100;
                assert!(discounted.abs_diff(price) < 100, "{}", plan.name);
            }
        }
    }
}
