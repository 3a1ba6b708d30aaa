//! Finds accounts for recovery, and detects changes during verification.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::text::LoginName;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgConnection, Row as _};

use super::hashed;
use super::sign_in::Candidate;
use crate::passwords::Hashed;

/// The account with a name.
#[derive(Clone, Debug)]
pub struct RecoveryAccount {
    pub candidate: Candidate,
    /// None: the person has not set security questions.
    pub security: Option<Security>,
}

/// Security questions, and the hashes of their answers.
#[derive(Clone, Debug)]
pub struct Security {
    pub questions: [String; 2],
    pub answers: [Hashed; 2],
}

impl FromRow<'_, PgRow> for RecoveryAccount {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let first: Option<String> = row.try_get("question1")?;
        let second: Option<String> = row.try_get("question2")?;
        let answers = hashed(row, "answer1")?.zip(hashed(row, "answer2")?);
        let security = first.zip(second).zip(answers);
        Ok(Self {
            candidate: Candidate::from_row(row)?,
            security: security.map(|(questions, answers)| Security {
                questions: questions.into(),
                answers: answers.into(),
            }),
        })
    }
}

/// Finds an owner or manager by e-mail, or an owner by business name.
pub async fn find(
    connection: &mut PgConnection,
    name: &LoginName,
) -> Result<Option<RecoveryAccount>, ServiceError> {
    let found = sqlx::query_as("SELECT * FROM find_recovery($1, $2)")
        .bind(name.email())
        .bind(name.exact());
    Ok(found.fetch_optional(connection).await?)
}

/// Locks the person's row. False if the person was removed, or has another password than the one that
/// was verified, or other answers.
pub async fn lock(
    tx: &mut TenantTx,
    candidate: &Candidate,
    answers: &[Hashed; 2],
) -> Result<bool, ServiceError> {
    type Held = (Option<DateTime<Utc>>, Option<String>, Option<String>);
    let held: Option<Held> = sqlx::query_as(
        "SELECT
            password_set_at,
            answer1_hash,
            answer2_hash
        FROM users
        WHERE company_id = $1 AND id = $2
        FOR NO KEY UPDATE",
    )
    .bind(candidate.tenant.company_id())
    .bind(candidate.user_id)
    .fetch_optional(&mut **tx)
    .await?;
    let [first, second] = answers.each_ref().map(|answer| Some(answer.hash.clone()));
    Ok(held == Some((candidate.own.set_at, first, second)))
}
