//! Resets a second factor, for a person who lost it and all recovery codes.

use std::io::Write;

use hourmeter_runtime::audit::AuditContext;
use hourmeter_runtime::db::Database;

use super::{CommandError, find_person};
use crate::grpc::reset_by_other;

pub(super) async fn reset(
    database: &Database,
    email: &str,
    out: &mut (dyn Write + Send),
) -> Result<(), CommandError> {
    let (mut tx, person) = find_person(database, email).await?;
    reset_by_other(&mut tx, &person, &AuditContext::command_line()).await?;
    tx.commit().await?;
    let email = person.email.unwrap_or_default();
    writeln!(out, "{email} has no second factor and no sessions now.")?;
    Ok(())
}
