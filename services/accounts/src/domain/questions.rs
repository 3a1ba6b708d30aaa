//! Security questions and what may answer them.

use hourmeter_runtime::message::Message;
use hourmeter_runtime::text::{LineBreaks, clean, fold};
use zeroize::Zeroizing;

use super::Problems;

use crate::refusals;

/// The questions to choose from. Their English texts are also their keys.
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

/// A question with its answer.
#[derive(Clone, Debug)]
pub struct Answered {
    /// From the list.
    pub question: &'static str,
    /// The form that is hashed.
    pub answer: Zeroizing<String>,
    /// As typed, without spaces around it: the person's password has upper and lower case.
    pub typed: Zeroizing<String>,
}

/// Reads two questions with their answers. `known` are texts that anybody may know.
pub fn read(pairs: [(&str, &str); 2], known: &[&str]) -> Result<[Answered; 2], Problems> {
    let mut problems = Problems::default();
    let read = [0, 1].map(|i| read_one(&mut problems, FIELDS[i], pairs[i], known));
    match read {
        [Some(first), Some(second)] if first.question == second.question => {
            problems.note(FIELDS[1].0, refusals::QUESTIONS_EQUAL);
            Err(problems)
        }
        [Some(first), Some(second)] => Ok([first, second]),
        _ => Err(problems),
    }
}

fn read_one(
    problems: &mut Problems,
    (question_field, answer_field): (&str, &str),
    (question, answer): (&str, &str),
    known: &[&str],
) -> Option<Answered> {
    let listed = QUESTIONS
        .into_iter()
        .find(|listed| *listed == question.trim());
    if question.trim().is_empty() {
        problems.note(question_field, refusals::QUESTIONS_MISSING);
    } else if listed.is_none() {
        problems.note(question_field, refusals::QUESTION_UNKNOWN);
    }
    let answered = read_answer(answer, known);
    if let Err(message) = &answered {
        problems.note(answer_field, message.clone());
    }
    let (answer, typed) = answered.ok()?;
    Some(Answered {
        question: listed?,
        answer,
        typed,
    })
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

/// An answer typed to recover a password, in the form to check. One that nobody can have becomes
/// one that is too short, so that the check costs the same.
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
    fn questions_differ() {
        let set: std::collections::BTreeSet<_> = QUESTIONS.into_iter().collect();
        assert_eq!(set.len(), QUESTIONS.len());
        assert!(QUESTIONS.len() >= 10);
    }

    #[test]
    fn read_takes_two_questions_of_the_list() {
        let [first, second] = read([GOOD, (QUESTIONS[1], "Max")], &[]).expect("good");
        assert_eq!((first.question, second.question), (GOOD.0, QUESTIONS[1]));
        for question in [GOOD.0, "My own?", ""] {
            assert!(read([GOOD, (question, "Max")], &[]).is_err(), "{question}");
        }
    }

    #[test]
    fn read_refuses_an_answer_that_anybody_may_know() {
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
    fn answers_are_one_whatever_case_and_space() {
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
