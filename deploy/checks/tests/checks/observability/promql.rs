//! What can be wrong with an expression though Prometheus would take it: a name that nobody counts,
//! a label that the metric lacks, a rate of what is no counter. Such an alert never fires.

use std::collections::{BTreeMap, BTreeSet};

use hourmeter_runtime::telemetry::names::{ALL, HTTP_DURATION, Kind, Metric};
use hourmeter_runtime::telemetry::{metrics_text, name_process};
use promql_parser::label::{Labels, MatchOp, Matcher};
use promql_parser::parser::value::ValueType;
use promql_parser::parser::{
    AggregateExpr, BinaryExpr, Call, Expr, LabelModifier, VectorMatchCardinality, VectorSelector,
};

/// Labels that Prometheus adds to whatever it reads from a process.
pub const TARGET_LABELS: [&str; 4] = ["namespace", "job", "instance", "pod"];
/// What Prometheus itself tells of each process: whether it answered.
const ANSWERED: &str = "up";
/// Functions that count how much a counter grew.
const OF_COUNTERS: [&str; 3] = ["rate", "irate", "increase"];

/// Names of labels.
pub type LabelNames = BTreeSet<String>;

/// All that can be asked for.
pub struct Known {
    metrics: BTreeMap<&'static str, &'static Metric>,
    /// Upper bounds of buckets, as they are written.
    bounds: BTreeSet<String>,
    /// What every process tells beside our own.
    process: BTreeSet<String>,
    /// Recorded by rules, with their labels.
    recorded: BTreeMap<String, LabelNames>,
}

/// What an expression gives, and what it asks for.
pub struct Seen {
    /// Labels of its result.
    pub labels: LabelNames,
    /// Our metrics it uses, by their names in the table.
    pub metrics: BTreeSet<&'static str>,
    /// Values that it wants their labels to have.
    pub values: BTreeSet<String>,
}

/// Reads expressions with what is known.
struct Reader<'a> {
    known: &'a Known,
    metrics: BTreeSet<&'static str>,
    values: BTreeSet<String>,
    problems: Vec<String>,
}

/// What stands around a selector.
#[derive(Clone, Copy, Default)]
struct Around<'a> {
    /// The function it is given to.
    function: Option<&'a str>,
    /// Within the second argument of `histogram_quantile`.
    quantile: bool,
    /// One side of a comparison or of `and`, `or`, `unless`.
    compared: bool,
}

impl Known {
    /// What a process of this version tells.
    pub fn of_this_version() -> Self {
        name_process("checks");
        HTTP_DURATION.histogram(["/checks", "GET"]).record(0.001);
        let text = metrics_text();
        let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        let names = names.filter_map(|line| line.split(' ').next());
        let bounds = text.split("le=\"").skip(1);
        let bounds = bounds.filter_map(|rest| rest.split('"').next());
        Self {
            metrics: ALL.iter().map(|metric| (metric.name, metric)).collect(),
            bounds: bounds.map(str::to_owned).collect(),
            process: names
                .filter(|name| name.starts_with("process_"))
                .map(str::to_owned)
                .collect(),
            recorded: BTreeMap::new(),
        }
    }

    /// From here on rules may use what this one records.
    pub fn record(&mut self, name: &str, labels: LabelNames) {
        self.recorded.insert(name.to_owned(), labels);
    }

    /// Reads an expression, or tells all that is wrong with it.
    pub fn read(&self, text: &str) -> Result<Seen, Vec<String>> {
        let expr = promql_parser::parser::parse(text).map_err(|error| vec![error])?;
        let mut reader = Reader {
            known: self,
            metrics: BTreeSet::new(),
            values: BTreeSet::new(),
            problems: Vec::new(),
        };
        let labels = reader.labels(&expr, Around::default());
        if !reader.problems.is_empty() {
            return Err(reader.problems);
        }
        Ok(Seen {
            labels,
            metrics: reader.metrics,
            values: reader.values,
        })
    }
}

impl Reader<'_> {
    fn wrong(&mut self, problem: impl Into<String>) {
        self.problems.push(problem.into());
    }

    /// Labels of the result.
    fn labels(&mut self, expr: &Expr, around: Around<'_>) -> LabelNames {
        match expr {
            Expr::Aggregate(aggregate) => self.aggregate(aggregate, around),
            Expr::Binary(binary) => self.binary(binary, around),
            Expr::Call(call) => self.call(call, around),
            Expr::Paren(inner) => self.labels(&inner.expr, around),
            Expr::Unary(inner) => self.labels(&inner.expr, around),
            Expr::Subquery(inner) => self.labels(&inner.expr, Around::default()),
            Expr::VectorSelector(selector) => self.selector(selector, around),
            Expr::MatrixSelector(range) => self.selector(&range.vs, around),
            Expr::NumberLiteral(_) | Expr::StringLiteral(_) | Expr::Extension(_) => {
                LabelNames::new()
            }
        }
    }

    fn aggregate(&mut self, aggregate: &AggregateExpr, around: Around<'_>) -> LabelNames {
        let inner = self.labels(
            &aggregate.expr,
            Around {
                function: None,
                compared: false,
                ..around
            },
        );
        let modifier = aggregate.modifier.as_ref();
        if let Some(modifier) = modifier {
            self.are_there(modifier.labels(), &inner);
        }
        let picks = ["topk", "bottomk"].contains(&aggregate.op.to_string().as_str());
        match modifier {
            _ if picks => inner,
            Some(LabelModifier::Include(labels)) => labels.labels.iter().cloned().collect(),
            Some(LabelModifier::Exclude(labels)) => without(inner, labels),
            None => LabelNames::new(),
        }
    }

    fn call(&mut self, call: &Call, around: Around<'_>) -> LabelNames {
        let name = call.func.name;
        let around = Around {
            function: Some(name),
            quantile: around.quantile || name == "histogram_quantile",
            compared: false,
        };
        let mut labels = LabelNames::new();
        for argument in &call.args.args {
            labels.extend(self.labels(argument, around));
        }
        match name {
            "histogram_quantile" => {
                if !labels.remove("le") {
                    self.wrong("histogram_quantile without le");
                }
                labels
            }
            // What was asked for is what is absent.
            "absent" => asked_for(&call.args.args),
            "vector" | "time" | "scalar" => LabelNames::new(),
            _ => labels,
        }
    }

    fn binary(&mut self, binary: &BinaryExpr, around: Around<'_>) -> LabelNames {
        let compared = binary.op.is_comparison_operator() || binary.op.is_set_operator();
        let around = Around {
            function: None,
            compared,
            ..around
        };
        let left = self.labels(&binary.lhs, around);
        let right = self.labels(&binary.rhs, around);
        if binary.lhs.value_type() == ValueType::Scalar {
            return right;
        }
        let modifier = binary.modifier.as_ref();
        let matching = modifier.and_then(|modifier| modifier.matching.as_ref());
        if let Some(matching) = matching {
            let both = left.union(&right).cloned().collect();
            self.are_there(matching.labels(), &both);
        }
        if binary.op.is_set_operator() {
            let is_or = binary.op.to_string() == "or";
            return if is_or { &left | &right } else { left };
        }
        match (modifier.map(|modifier| &modifier.card), matching) {
            (Some(VectorMatchCardinality::ManyToOne(taken)), _) => {
                self.are_there(taken, &right);
                left.into_iter().chain(taken.labels.clone()).collect()
            }
            (_, Some(LabelModifier::Include(labels))) => labels.labels.iter().cloned().collect(),
            (_, Some(LabelModifier::Exclude(labels))) => without(left, labels),
            _ => left,
        }
    }

    fn selector(&mut self, selector: &VectorSelector, around: Around<'_>) -> LabelNames {
        let Some(name) = &selector.name else {
            self.wrong("a selector without a name");
            return LabelNames::new();
        };
        let mut labels: LabelNames = TARGET_LABELS.map(str::to_owned).into();
        if let Some((metric, part)) = self.find(name) {
            self.metrics.insert(metric.name);
            labels.extend(metric.labels.iter().map(|label| (*label).to_owned()));
            labels.extend((part == "_bucket").then(|| "le".to_owned()));
            self.fits(metric, part, around);
            self.has_bound(name, part, &selector.matchers.matchers, around);
            let own = selector.matchers.matchers.iter();
            let own = own.filter(|matcher| metric.labels.contains(&matcher.name.as_str()));
            self.values.extend(own.flat_map(plain_values));
        } else if let Some(recorded) = self.known.recorded.get(name) {
            labels.clone_from(recorded);
        } else if name == ANSWERED {
            let asks_whose = |matcher: &Matcher| matcher.name == "job";
            if !selector.matchers.matchers.iter().any(asks_whose) {
                self.wrong(format!("{name}: whose? Others are watched too"));
            }
            if around.function.is_some_and(|f| OF_COUNTERS.contains(&f)) {
                self.wrong(format!("{name}: a gauge has no rate"));
            }
        } else if name == "ALERTS" {
            labels.extend(["alertname", "alertstate", "severity"].map(str::to_owned));
        } else if !self.known.process.contains(name) {
            self.wrong(format!("{name}: no process tells that"));
        }
        let asked = selector.matchers.matchers.iter().map(|m| m.name.clone());
        self.are_there(
            &Labels {
                labels: asked.collect(),
            },
            &labels,
        );
        labels
    }

    /// The metric, and which part of a histogram.
    fn find(&self, name: &str) -> Option<(&'static Metric, &'static str)> {
        let parts = ["", "_bucket", "_sum", "_count"].into_iter();
        let mut found = parts.filter_map(|part| {
            let metric = self.known.metrics.get(name.strip_suffix(part)?)?;
            ((metric.kind == Kind::Histogram) != part.is_empty()).then_some((*metric, part))
        });
        found.next()
    }

    /// Whether that can be asked of this kind.
    fn fits(&mut self, metric: &Metric, part: &str, around: Around<'_>) {
        let name = metric.name;
        let of_counters = around.function.is_some_and(|f| OF_COUNTERS.contains(&f));
        match metric.kind {
            Kind::Gauge if of_counters => {
                self.wrong(format!("{name}: a gauge has no rate"));
            }
            // A bare total says how long the process has run; only whether there is one can be asked.
            Kind::Counter | Kind::Histogram if !of_counters && !around.compared => {
                self.wrong(format!(
                    "{name}{part}: a total means nothing without its rate"
                ));
            }
            Kind::Gauge | Kind::Counter | Kind::Histogram => {}
        }
        if around.quantile && part != "_bucket" {
            self.wrong(format!("{name}: histogram_quantile needs its buckets"));
        }
    }

    /// Whether buckets are all there for a quantile, or one that exists is chosen.
    fn has_bound(&mut self, name: &str, part: &str, matchers: &[Matcher], around: Around<'_>) {
        let bound = matchers.iter().find(|matcher| matcher.name == "le");
        let bound = bound.map(|matcher| (&matcher.op, &matcher.value));
        match bound {
            None if part == "_bucket" && !around.quantile => {
                self.wrong(format!("{name}: sums up buckets that contain each other"));
            }
            Some((MatchOp::Equal, bound)) if !self.known.bounds.contains(bound) => {
                self.wrong(format!("{name}: no bucket ends at {bound}"));
            }
            Some((MatchOp::Equal, _)) | None => {}
            Some(_) => self.wrong(format!("{name}: choose one bucket")),
        }
    }

    fn are_there(&mut self, wanted: &Labels, there: &LabelNames) {
        for label in wanted.labels.iter().filter(|label| !there.contains(*label)) {
            self.problems.push(format!("no label {label} here"));
        }
    }
}

/// The labels that `absent` gives its result: those it was told the value of.
fn asked_for(arguments: &[Box<Expr>]) -> LabelNames {
    let mut labels = LabelNames::new();
    for argument in arguments {
        if let Expr::VectorSelector(selector) = &**argument {
            let told = selector.matchers.matchers.iter();
            let told = told.filter(|matcher| matches!(matcher.op, MatchOp::Equal));
            labels.extend(told.map(|matcher| matcher.name.clone()));
        }
    }
    labels
}

/// The values a matcher names, where it names them in full.
fn plain_values(matcher: &Matcher) -> Vec<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-/".contains(c);
    let values = matcher.value.split('|');
    let values = values.filter(|value| !value.is_empty() && value.chars().all(plain));
    values.map(str::to_owned).collect()
}

fn without(mut labels: LabelNames, left_out: &Labels) -> LabelNames {
    labels.retain(|label| !left_out.labels.contains(label));
    labels
}

#[path = "promql_tests.rs"]
mod tests;
