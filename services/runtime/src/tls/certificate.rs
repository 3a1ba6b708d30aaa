//! Reads the expiry of a certificate, which rustls does not expose.

use chrono::NaiveDateTime;

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The notAfter date of a DER certificate in seconds since 1970.
pub(super) fn not_after(certificate: &[u8]) -> Option<i64> {
    let (_, certificate, _) = element(certificate)?;
    let (_, mut fields, _) = element(certificate)?;
    if fields.first() == Some(&VERSION) {
        (_, _, fields) = element(fields)?;
    }
    // Serial number, signature algorithm, issuer.
    for _ in 0..3 {
        (_, _, fields) = element(fields)?;
    }
    let (kind, validity, _) = element(fields)?;
    let (_, _, end) = element(validity)?;
    let (time, text, _) = element(end)?;
    let text = std::str::from_utf8(text).ok()?;
    let text = match time {
        _ if kind != SEQUENCE => return None,
        // A two-digit year from 50 to 99 is in the 20th century.
        UTC_TIME if text.get(..2)? < "50" => format!("20{text}"),
        UTC_TIME => format!("19{text}"),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let end = NaiveDateTime::parse_from_str(&text, "%Y%m%d%H%M%SZ").ok()?;
    Some(end.and_utc().timestamp())
}

/// Splits off the first DER element: tag, content and rest.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (length, rest) = rest.split_first()?;
    let (length, rest) = if *length < 0x80 {
        (usize::from(*length), rest)
    } else {
        let digits = usize::from(length & 0x7f);
        if digits > 4 {
            return None;
        }
        let (digits, rest) = rest.split_at_checked(digits)?;
        let length = digits
            .iter()
            .fold(0, |sum, digit| sum << 8 | usize::from(*digit));
        (length, rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    #[test]
    fn not_after_reads_both_time_formats() {
        // From 2050 on, certificates use GeneralizedTime.
        for year in [2030, 2049, 2050, 2100] {
            let mut params = CertificateParams::new(vec!["x".to_owned()]).expect("a name");
            params.not_after = date_time_ymd(year, 2, 3);
            let key = KeyPair::generate().expect("a key");
            let certificate = params.self_signed(&key).expect("a certificate");
            let end = chrono::NaiveDate::from_ymd_opt(year, 2, 3).expect("a day");
            let end = end.and_hms_opt(0, 0, 0).expect("midnight").and_utc();
            assert_eq!(
                not_after(certificate.der()),
                Some(end.timestamp()),
                "{year}"
            );
        }
    }

    #[test]
    fn not_after_of_invalid_bytes_is_none() {
        let good = CertificateParams::new(vec!["x".to_owned()]).expect("a name");
        let key = KeyPair::generate().expect("a key");
        let good = good.self_signed(&key).expect("a certificate");
        for length in 0..80 {
            assert_eq!(not_after(&good.der()[..length]), None, "{length}");
        }
        assert_eq!(not_after(&[0x30, 0x85, 1, 1, 1, 1, 1]), None);
    }
}
