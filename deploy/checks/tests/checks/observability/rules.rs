//! `alerts.yaml` as it is read.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A Prometheus rule file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// Evaluated side by side, the rules of each one after the other.
    pub groups: Vec<Group>,
}

/// Rules that are evaluated in order.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// In order.
    pub rules: Vec<Rule>,
}

/// One rule.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Rule {
    /// Keeps the result under a name.
    Record(Record),
    /// Tells somebody while there is a result.
    Alert(Alert),
}

/// A rule that keeps its result.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Under which name.
    #[serde(rename = "record")]
    pub name: String,
    /// What.
    pub expr: String,
}

/// A rule that tells somebody.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alert {
    /// Its name.
    #[serde(rename = "alert")]
    pub name: String,
    /// When.
    pub expr: String,
    /// After it has been so for how long; none: at once.
    #[serde(rename = "for")]
    pub lasting: Option<String>,
    /// Added to those of the result.
    pub labels: BTreeMap<String, String>,
    /// What it says.
    pub annotations: BTreeMap<String, String>,
}

impl RuleFile {
    /// All alerts.
    pub fn alerts(&self) -> impl Iterator<Item = &Alert> {
        let rules = self.groups.iter().flat_map(|group| &group.rules);
        rules.filter_map(|rule| match rule {
            Rule::Alert(alert) => Some(alert),
            Rule::Record(_) => None,
        })
    }
}
