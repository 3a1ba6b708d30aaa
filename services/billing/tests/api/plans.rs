//! `ListPlans`.

use hourmeter_proto::billing::v1::{ListPlansRequest, Tier};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::{as_edge, as_person, operator_of, owner};

use crate::support::TestBilling;

#[tokio::test]
async fn list_plans_is_public() {
    let mut billing = TestBilling::new().await;
    let visitor = as_edge(Service::Billing, ListPlansRequest {});
    let answer = billing.client.list_plans(visitor).await.unwrap();
    let answer = answer.into_inner();

    let prices: Vec<_> = answer
        .plans
        .iter()
        .map(|plan| {
            let list = (plan.list_monthly_cents, plan.list_yearly_cents);
            let price = (plan.monthly_cents, plan.yearly_cents);
            (plan.tier(), plan.equipment_limit, price, list)
        })
        .collect();
    assert_eq!(
        prices,
        [
            (Tier::Basic, 15, (3200, 2720), (4000, 3400)),
            (Tier::Professional, 30, (5400, 4590), (6800, 5800)),
            (Tier::Enterprise, 65, (10_000, 8500), (12_500, 10_600)),
        ]
    );
    assert_eq!(answer.trial_days, 28);
    assert_eq!(answer.yearly_discount_percent, 15);
    assert_eq!(answer.launch_discount_percent, 20);
    for plan in &answer.plans {
        assert!(!plan.name.is_empty() && !plan.description.is_empty());
        assert_eq!(plan.features, answer.plans[0].features);
        let premium: Vec<_> = plan
            .features
            .iter()
            .filter(|feature| feature.premium)
            .map(|feature| feature.key.as_str())
            .collect();
        assert_eq!(premium, ["parts_entry", "fuel_analytics"]);
    }

    let operator = as_person(
        Service::Billing,
        &operator_of(&owner()),
        ListPlansRequest {},
    );
    assert!(billing.client.list_plans(operator).await.is_ok());
}
