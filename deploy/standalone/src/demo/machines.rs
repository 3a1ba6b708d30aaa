//! The demo company, a small earthworks contractor. Weeks count from the start of its history.

use anyhow::Result;
use serde::Deserialize;

pub const WEEKS: u32 = 20;
/// From this week on, each working day has readings; before, each week.
pub const FIRST_DAILY_WEEK: u32 = 15;

#[derive(Deserialize)]
pub struct Data {
    /// They cover every service status.
    pub machines: Vec<Machine>,
    /// A machine that is archived at the end.
    pub retired: Machine,
    /// Service tasks beside the machines' own. One is the most urgent task of its machine.
    pub tasks: Vec<Task>,
    /// Parts for the next service: machine index, part, number, quantity.
    pub parts: Vec<(usize, String, String, u32)>,
    /// Operators' notes: week, machine index, text.
    pub field_notes: Vec<(u32, usize, String)>,
    /// Office notes: week, machine index, text.
    pub office_notes: Vec<(u32, usize, String)>,
}

#[derive(Deserialize)]
pub struct Machine {
    pub name: String,
    pub r#type: String,
    /// Empty: none.
    pub unit_number: String,
    /// Empty: none.
    #[serde(default)]
    pub group: String,
    pub serial: String,
    pub unit: String,
    pub fuel: String,
    /// First meter reading.
    pub start: f64,
    /// Usage in an average week.
    pub weekly: f64,
    /// Gallons in an average week.
    pub weekly_fuel: f64,
    /// Usage between services; 0: none.
    pub interval: f64,
    /// Weeks with a service.
    pub serviced: Vec<u32>,
    pub lifespan: Option<f64>,
    /// The first week without use.
    pub idle_from: Option<u32>,
    /// Calendar interval, and its start in days before now.
    pub calendar: Option<(u32, String, i64)>,
    #[serde(default)]
    pub description: String,
}

#[derive(Deserialize)]
pub struct Task {
    /// Index of the machine.
    pub machine: usize,
    pub name: String,
    /// Usage between services; 0: none.
    pub interval: f64,
    /// Meter at the last service.
    pub last_done: f64,
    /// Calendar interval, and the last service in days before now.
    pub calendar: Option<(u32, String, i64)>,
}

impl Data {
    pub fn read() -> Result<Self> {
        Ok(serde_json::from_str(include_str!("company.json"))?)
    }
}
