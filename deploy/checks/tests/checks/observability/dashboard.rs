//! `dashboard.json`, as far as it is checked.

use serde::Deserialize;

/// A dashboard of Grafana.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dashboard {
    /// Of the form it is written in.
    pub schema_version: u32,
    /// In the order of reading.
    pub panels: Vec<Panel>,
    /// What the reader chooses.
    pub templating: Templating,
    /// What is marked in all graphs.
    pub annotations: Annotations,
}

/// What the reader chooses.
#[derive(Debug, Deserialize)]
pub struct Templating {
    /// Each of it.
    pub list: Vec<Variable>,
}

/// Something the reader chooses.
#[derive(Debug, Deserialize)]
pub struct Variable {
    /// How expressions call it.
    pub name: String,
    /// Where the choices come from.
    pub query: serde_json::Value,
}

/// What is marked in all graphs.
#[derive(Debug, Deserialize)]
pub struct Annotations {
    /// Each of it.
    pub list: Vec<Annotation>,
}

/// Something that is marked.
#[derive(Debug, Deserialize)]
pub struct Annotation {
    /// When; none: Grafana's own.
    pub expr: Option<String>,
}

/// A graph, a figure or the title of a row.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Panel {
    /// Unique in the dashboard.
    pub id: u32,
    /// `row`, `timeseries`, `stat`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What stands above it.
    pub title: String,
    /// What it shows.
    #[serde(default)]
    pub description: String,
    /// Where it stands.
    pub grid_pos: Place,
    /// What it asks for.
    #[serde(default)]
    pub targets: Vec<Target>,
    /// How it is drawn.
    #[serde(default)]
    pub field_config: FieldConfig,
}

/// Where a panel stands, in a grid 24 wide.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Place {
    /// From the left.
    pub x: u32,
    /// From the top.
    pub y: u32,
    /// Width.
    pub w: u32,
    /// Height.
    pub h: u32,
}

/// A question of a panel.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// Unique in the panel.
    pub ref_id: String,
    /// What.
    pub expr: String,
    /// How each line is called.
    pub legend_format: String,
}

/// How a panel is drawn.
#[derive(Debug, Default, Deserialize)]
pub struct FieldConfig {
    /// Unless something else is said.
    pub defaults: FieldDefaults,
}

/// How figures are drawn.
#[derive(Debug, Default, Deserialize)]
pub struct FieldDefaults {
    /// `s`, `reqps`, `percentunit`, `bytes`, `none`.
    #[serde(default)]
    pub unit: String,
}

impl Place {
    /// Whether two cover the same spot.
    pub fn overlaps(self, other: Self) -> bool {
        let apart = self.x + self.w <= other.x
            || other.x + other.w <= self.x
            || self.y + self.h <= other.y
            || other.y + other.h <= self.y;
        !apart
    }
}
