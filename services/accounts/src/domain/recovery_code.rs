//! Codes that replace a second factor: random, shown once, each good once.

use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::password::random_groups;

/// How many a person has.
pub const COUNT: usize = 10;

/// A new set, all different. Each has 49 random bits, which guess limits and the keyed hash protect.
pub fn generate() -> Result<Vec<Zeroizing<String>>, ServiceError> {
    let mut codes = Vec::with_capacity(COUNT);
    while codes.len() < COUNT {
        let code = random_groups(2)?;
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    Ok(codes)
}

/// What is hashed of a code: bound to its person, and the same however it was typed.
pub fn message(company_id: Uuid, user_id: Uuid, typed: &str) -> Zeroizing<String> {
    let mut message = Zeroizing::new(format!("recovery-code:v1|{company_id}|{user_id}|"));
    let letters = typed.chars().filter(char::is_ascii_alphanumeric).take(64);
    message.extend(letters.map(|letter| letter.to_ascii_lowercase()));
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_ten_and_differ() {
        let codes = generate().expect("codes");
        assert_eq!(codes.len(), COUNT);
        for code in &codes {
            let is_code = code.len() == 11 && code.as_bytes()[5] == b'-';
            assert!(is_code, "{}", code.as_str());
        }
        assert_ne!(generate().expect("codes"), codes);
    }

    #[test]
    fn message_ignores_case_spaces_and_hyphens() {
        let (company, user) = (Uuid::now_v7(), Uuid::now_v7());
        let message = |typed| message(company, user, typed);
        assert_eq!(message("ABCDE fghjk"), message("abcde-fghjk"));
        assert_ne!(message("abcde-fghjm"), message("abcde-fghjk"));
        let other = super::message(user, company, "abcde-fghjk");
        assert_ne!(other, message("abcde-fghjk"));
    }
}
