//! Error codes match the list for which the web client has texts.

use std::collections::BTreeMap;

#[test]
fn error_codes_match_the_list_of_the_client() {
    let listed = include_str!("../../../proto/testdata/refusals.json");
    let listed: BTreeMap<&str, &str> = serde_json::from_str(listed).expect("an object");
    let mut known = BTreeMap::new();
    for reason in [
        hourmeter_accounts::refusals::ALL,
        hourmeter_billing::refusals::ALL,
        hourmeter_equipment::refusals::ALL,
        hourmeter_gateway::refusals::ALL,
        hourmeter_notifications::refusals::ALL,
        hourmeter_operator_updates::refusals::ALL,
        hourmeter_runtime::refusals::ALL,
    ]
    .into_iter()
    .flatten()
    {
        let other = known.insert(reason.code, reason.sentence);
        assert_eq!(other, None, "{} is declared twice", reason.code);
    }
    assert_eq!(listed, known);
}
