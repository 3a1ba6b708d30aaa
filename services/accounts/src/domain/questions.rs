//! Security questions and rules for answers.

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;
use hourmeter_runtime::text::{LineBreaks, clean, fold};
use zeroize::Zeroizing;

use super::FieldErrors;
use crate::refusals;

/// The selectable questions. Their English texts are also their keys.
pub const QUESTIONS: [&str; 12] = [
    "What was the name of your first pet?",
    "What was the make of your first vehicle?",
    "In what city were you born?",
    "What was the name of your elementary school?",
    "What is your mother's maiden name?",
    "What was the name of the street you grew up on?",
    "What was your childhood nickname?",
    "What was the first machine you learned to operate?",
    "What was the name of your first employer?",
    "In what city did your parents meet?",
    "What was the first concert you went to?",
    "What is the middle name of your oldest sibling?",
];

/// Names of the fields on the wire.
pub const FIELDS: [(&str, &str); 2] = [
    ("securityQuestion1", "securityAnswer1"),
    ("securityQuestion2", "securityAnswer2"),
];

#[derive(Clone, Debug)]
pub struct QuestionAnswer {
    pub question: &'static str,
    pub answer: Zeroizing<String>,
    /// As entered, trimmed; compared with the password, which is case-sensitive.
    pub typed: Zeroizing<String>,
}

/// Validates two questions with answers; an answer must not be one of the `known` texts.
pub fn read(pairs: [(&str, &str); 2], known: &[&str]) -> Result<[QuestionAnswer; 2], ServiceError> {
    let mut errors = FieldErrors::default();
    let read = [0, 1].map(|i| read_one(&mut errors, FIELDS[i], pairs[i], known));
    if errors.0.is_empty() && read[0].question == read[1].question {
        errors.add(FIELDS[1].0, refusals::QUESTIONS_EQUAL);
    }
    errors.finish()?;
    Ok(read)
}

fn read_one(
    errors: &mut FieldErrors,
    (question_field, answer_field): (&str, &str),
    (question, answer): (&str, &str),
    known: &[&str],
) -> QuestionAnswer {
    let question = match question.trim() {
        "" => Err(refusals::QUESTIONS_MISSING),
        asked => QUESTIONS
            .into_iter()
            .find(|listed| *listed == asked)
            .ok_or(refusals::QUESTION_UNKNOWN),
    };
    let question = errors.take(question_field, question);
    let (answer, typed) = errors.take(answer_field, read_answer(answer, known));
    QuestionAnswer {
        question,
        answer,
        typed,
    }
}

type Answer = (Zeroizing<String>, Zeroizing<String>);

fn read_answer(raw: &str, known: &[&str]) -> Result<Answer, Message> {
    if raw.trim().is_empty() {
        return Err(refusals::QUESTIONS_MISSING.into());
    }
    let typed = clean(raw, 100, LineBreaks::Forbidden).map(Zeroizing::new)?;
    let answer = Zeroizing::new(fold(&typed));
    if !(2..=100).contains(&answer.chars().count()) {
        return Err(refusals::ANSWERS_INVALID_LENGTH.into());
    }
    if known.iter().any(|word| fold(word) == *answer) {
        return Err(refusals::ANSWER_KNOWN.into());
    }
    Ok((answer, typed))
}

/// The form of an answer to verify at recovery. An invalid answer becomes one that is too short to
/// be stored, so that verification takes the same time.
pub fn typed_answer(raw: &str) -> Zeroizing<String> {
    match clean(raw, 100, LineBreaks::Forbidden).map(Zeroizing::new) {
        Ok(typed) => Zeroizing::new(fold(&typed)),
        Err(_) => Zeroizing::new("?".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: (&str, &str) = (QUESTIONS[0], "Rex");

    #[test]
    fn questions_are_unique() {
        let set: std::collections::BTreeSet<_> = QUESTIONS.into_iter().collect();
        assert_eq!(set.len(), QUESTIONS.len());
        assert!(QUESTIONS.len() >= 10);
    }

    #[test]
    fn read_requires_two_listed_questions() {
        let [first, second] = read([GOOD, (QUESTIONS[1], "Max")], &[]).expect("good");
        assert_eq!((first.question, second.question), (GOOD.0, QUESTIONS[1]));
        for question in [GOOD.0, "My own?", ""] {
            assert!(read([GOOD, (question, "Max")], &[]).is_err(), "{question}");
        }
    }

    #[test]
    fn read_rejects_known_answers() {
        let read = |known| read([GOOD, (QUESTIONS[1], "Acme")], &[known]);
        assert!(read("Other").is_ok());
        assert!(read("ACME").is_err());
    }

    #[test]
    fn typed_answer_is_folded() {
        assert_eq!(typed_answer(" Grüße ").as_str(), "grüsse");
        assert_eq!(typed_answer("a\0b").as_str(), "?");
    }

    #[test]
    fn read_folds_answers() {
        let read = |answer: &str| super::read([GOOD, (QUESTIONS[1], answer)], &[]);
        let one = read("  Grüße  AUS Köln ").expect("good")[1].answer.clone();
        assert_eq!(one, read("grüsse aus köln").expect("good")[1].answer);
        assert_eq!(read("ab").expect("good")[1].answer.as_str(), "ab");
        assert!(read(&"a".repeat(100)).is_ok());
        for bad in ["", "   ", "a", " a ", &"a".repeat(101), "a\0b"] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}
