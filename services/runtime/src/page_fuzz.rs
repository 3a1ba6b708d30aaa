use bolero::check;
use uuid::Uuid;

use super::*;

/// The widest key of any list.
type Key = (String, bool, i64, String, Uuid);

fn after(cursor: String) -> Result<Option<Key>, ServiceError> {
    let request = PageRequest { limit: 1, cursor };
    Page::from_request(Some(&request)).map(|page| page.after)
}

/// The cursor that a page which ends with this key gives.
fn cursor(key: &Key) -> String {
    let page = Page {
        limit: 1,
        after: None,
    };
    page.cut(&mut vec![(), ()], |()| key.clone()).next_cursor
}

#[test]
fn cursors_read_back_what_was_written() {
    check!().for_each(|input: &[u8]| {
        let text = String::from_utf8_lossy(input).into_owned();
        // As a client sends it, and with any content that has the right form.
        for sent in [text.clone(), BASE64_URL_SAFE_NO_PAD.encode(input)] {
            match after(sent.clone()) {
                Ok(None) => assert!(sent.is_empty()),
                Ok(Some(key)) => assert_eq!(after(cursor(&key)).ok(), Some(Some(key))),
                Err(failure) => assert_eq!(failure.fields[0].0, "cursor"),
            }
        }
        let mut bytes = [0; 16];
        let length = input.len().min(bytes.len());
        bytes[..length].copy_from_slice(&input[..length]);
        let id = Uuid::from_bytes(bytes);
        let rank = i64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|place: usize| bytes[place]));
        let key = (text.clone(), rank % 2 == 0, rank, text, id);
        assert_eq!(after(cursor(&key)).ok(), Some(Some(key)));
    });
}
