//! Recovery codes that replace a second factor: random, shown once, each valid once.

use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::password::random_groups;

pub const COUNT: usize = 10;

/// Generates a set of different codes, 49 random bits each.
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

/// The text that is hashed: bound to the person, without case, spaces and hyphens.
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
    fn generate_returns_ten_different_codes() {
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
