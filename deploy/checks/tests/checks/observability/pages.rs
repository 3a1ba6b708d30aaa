//! The runbook's pages: what they say is there, and what they tell to run does run.

use std::path::Path;

use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::{TestDatabase, database};
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Executor as _};

/// What each page says, in this order.
pub const PARTS: [&str; 5] = [
    "What it means",
    "Look at",
    "Likely causes",
    "What to do",
    "Over when",
];

/// A page of the runbook.
pub struct Page {
    /// Of the alert it is about.
    pub name: String,
    /// What it says.
    pub text: String,
}

impl Page {
    /// What stands in blocks marked with this word.
    pub fn blocks<'p>(&'p self, mark: &'p str) -> impl Iterator<Item = &'p str> {
        let mut parts = self.text.split("\n```");
        parts.next();
        // Every other one is what stands between two blocks.
        parts.step_by(2).filter_map(move |block| {
            let (word, inside) = block.split_once('\n')?;
            (word == mark).then_some(inside)
        })
    }
}

/// All pages.
pub fn all() -> Vec<Page> {
    let folder = super::folder().join("runbook");
    let entries = std::fs::read_dir(&folder).expect("the folder of the runbook");
    let mut pages: Vec<_> = entries
        .map(|entry| read(&entry.expect("an entry").path()))
        .collect();
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    pages
}

fn read(path: &Path) -> Page {
    let name = path.file_stem().and_then(|name| name.to_str());
    assert_eq!(path.extension().and_then(|end| end.to_str()), Some("md"));
    Page {
        name: name.expect("a name").to_owned(),
        text: std::fs::read_to_string(path).expect("a page"),
    }
}

#[test]
fn every_page_says_all_that_is_needed_at_night() {
    for page in all() {
        let name = &page.name;
        let lines: Vec<_> = page.text.lines().collect();
        let title = lines.first().copied();
        assert_eq!(title, Some(format!("# {name}").as_str()));
        let titles = lines.iter().filter_map(|line| line.strip_prefix("## "));
        assert_eq!(titles.collect::<Vec<_>>(), PARTS, "{name}");
        for part in page.text.split("\n## ").skip(1) {
            let said = part.split_once('\n').map_or("", |(_, said)| said.trim());
            assert!(!said.is_empty(), "{name}: {part}");
        }
        let marks = lines.iter().filter(|line| line.starts_with("```")).count();
        assert_eq!(marks % 2, 0, "{name}: a block without an end");
        assert!(page.blocks("promql").count() > 0, "{name} asks nothing");
        assert!(lines.len() < 70, "{name} is too long to read at night");
    }
}

#[test]
fn links_lead_to_other_pages() {
    let pages = all();
    for page in &pages {
        for link in page.text.split("](").skip(1) {
            let to = link.split(')').next().unwrap_or_default();
            let is_page = pages.iter().any(|other| format!("{}.md", other.name) == to);
            assert!(is_page, "{}: {to}", page.name);
        }
    }
}

#[test]
fn words_to_look_for_in_logs_are_written_there() {
    let sources = super::sources::all();
    for page in all() {
        for line in page.blocks("sh").flat_map(str::lines) {
            for words in looked_for(line) {
                // A dot stands for what a shell would not take.
                let parts: Vec<_> = words.split('.').collect();
                let is_written = sources
                    .lines()
                    .any(|line| line.contains('"') && parts.iter().all(|part| line.contains(part)));
                assert!(is_written, "{}: nobody logs {words:?}", page.name);
            }
        }
    }
}

#[test]
fn commands_name_deployments_that_exist() {
    let processes = Service::ALL.map(Service::name).into_iter();
    let processes: Vec<_> = processes.chain(["gateway", "NAME"]).collect();
    for page in all() {
        let ours = page.text.split("kubectl -n hourmeter ").skip(1);
        for command in ours.filter_map(|rest| rest.split(['\n', '`']).next()) {
            // The autoscaler has a scaled Deployment back at its own number within seconds, and of
            // a Deployment's pods `logs` reads one.
            let told = command.split_whitespace().next().unwrap_or_default();
            assert_ne!(told, "scale", "{}: {command}", page.name);
            assert!(!command.starts_with("logs deploy/"), "{}", page.name);
            let all_of_it = ["--prefix", "--tail="]
                .iter()
                .all(|flag| command.contains(flag));
            assert!(
                !command.starts_with("logs -l") || all_of_it,
                "{}",
                page.name
            );
            let scaler = command.strip_prefix("patch hpa ");
            let scaler = scaler.and_then(|rest| rest.split(' ').next());
            let named = command.split_whitespace();
            let named = named.filter_map(|word| {
                let selected = word.strip_prefix("app.kubernetes.io/name=");
                selected.or_else(|| word.strip_prefix("deploy/"))
            });
            for name in named.chain(scaler) {
                assert!(processes.contains(&name), "{}: {command}", page.name);
            }
        }
    }
}

/// The patterns of a `grep` that looks for messages.
fn looked_for(line: &str) -> impl Iterator<Item = &str> {
    let patterns = line.split_once("| grep ").map_or("", |(_, grep)| grep);
    let is_left_out = patterns.starts_with("-v");
    let quoted = patterns.split('\'').skip(1).step_by(2);
    quoted.filter(move |_| !is_left_out)
}

/// The statements of all pages for one service's database run there, as whom the page says: the
/// owner of the schema, or an administrator where all of the server is looked at.
async fn statements_run(service: Service, schema: &Migrator) -> usize {
    let mark = format!("sql {}", service.name());
    let pages = all();
    let statements = pages
        .iter()
        .flat_map(|page| page.blocks(&mark).map(|sql| (&page.name, sql)));
    let statements: Vec<_> = statements.collect();
    let TestDatabase {
        owner_url,
        admin_url,
        ..
    } = database(service, schema).await;
    for (name, sql) in &statements {
        let of_server = sql.contains("pg_stat_activity") || sql.contains("pg_roles");
        let url = if of_server { &admin_url } else { &owner_url };
        let mut connection = connect_admin(url).await.expect("a connection");
        let ran = connection.execute(AssertSqlSafe((*sql).to_owned())).await;
        assert!(ran.is_ok(), "{name}: {ran:?}\n{sql}");
    }
    statements.len()
}

#[tokio::test]
async fn statements_run_on_the_schema_they_are_for() {
    let mut run = 0;
    run += statements_run(Service::Accounts, &hourmeter_accounts::MIGRATIONS).await;
    run += statements_run(Service::Equipment, &hourmeter_equipment::MIGRATIONS).await;
    run += statements_run(
        Service::OperatorUpdates,
        &hourmeter_operator_updates::MIGRATIONS,
    )
    .await;
    run += statements_run(Service::Billing, &hourmeter_billing::MIGRATIONS).await;
    let all = all();
    let written = all.iter().map(|page| page.text.matches("```sql").count());
    assert_eq!(run, written.sum::<usize>(), "a block without a service");
}
