//! Sign-in helpers for managers, operators and support staff.

use std::sync::atomic::{AtomicU32, Ordering};

use chrono::TimeDelta;
use hmac::{Hmac, KeyInit as _, Mac as _};
use hourmeter_accounts::{PasswordSettings, StaffCommand};
use hourmeter_runtime::db::connect_admin;
use serde_json::json;
use sha1::Sha1;
use sqlx::{AssertSqlSafe, Executor as _};

use crate::product::{Browser, OPERATOR_PASSWORD, PASSWORD, Product};

impl Product {
    /// A signed-in manager of the owner's company.
    pub async fn manager_of(&self, owner: &Browser) -> Browser {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let email = format!("max{}@x.example", NEXT.fetch_add(1, Ordering::Relaxed));
        let body = json!({"firstName": "Max", "lastName": "M", "role": "manager", "email": email});
        let row = owner.post_as("/api/employees", body).await.expect(201);
        let mut manager = self.visitor();
        let login = json!({"emailOrBusinessName": email, "password": row["temporaryPassword"]});
        manager.post("/api/auth/login", login).await.expect(200);
        manager
    }

    /// A session with the business name and the shared password.
    pub async fn shared_session(&self, company: &str) -> Browser {
        let mut browser = self.visitor();
        let body = json!({"operatorName": company, "password": OPERATOR_PASSWORD});
        browser.post("/api/employee/login", body).await.expect(200);
        browser
    }

    /// A new member of support staff; sign-in also needs a one-time code.
    pub async fn enrol_staff(&self) -> Staff {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let email = format!("sam{number}@support.example");
        let add = StaffCommand::Add {
            name: "Sam Support".to_owned(),
            email: email.clone(),
        };
        let (stores, mut out) = (&self.stores, Vec::new());
        let done = add.run(
            &stores.accounts.owner_url,
            &stores.secrets.peppers,
            &stores.secrets.operator_password_keys,
            PasswordSettings::for_tests(),
            &mut out,
        );
        done.await.expect("a member of staff");
        let output = String::from_utf8(out).expect("text");
        let line = output
            .lines()
            .find_map(|line| line.strip_prefix("Enrolment code:"));
        let code = line.expect("a code").trim();
        let visitor = self.visitor();
        let path = "/api/auth/staff-enrolment";
        let begun = visitor.post_as(path, json!({"code": code})).await;
        let begun = begun.expect(200);
        let secret = begun["secret"].as_str().expect("a secret").to_owned();
        let staff = Staff {
            password: format!("{PASSWORD} of staff"),
            totp: Totp(secret),
            email,
        };
        // The previous code, so that the current one can sign in.
        let body = json!({
            "code": code, "newPassword": staff.password,
            "totp": staff.code(self.clock.now().timestamp() - 30),
        });
        let done = visitor.post_as("/api/auth/staff-enrolment/finish", body);
        done.await.expect(200);
        staff
    }

    /// Signed-in support staff.
    pub async fn staff(&self) -> Browser {
        let staff = self.enrol_staff().await;
        let mut browser = self.visitor();
        let login = json!({
            "emailOrBusinessName": staff.email, "password": staff.password,
            "totp": staff.code(self.clock.now().timestamp()),
        });
        browser.post("/api/auth/login", login).await.expect(200);
        browser
    }

    /// Runs a statement in the accounts database.
    pub async fn in_accounts(&self, statement: &str) {
        let mut admin = connect_admin(&self.stores.accounts.admin_url)
            .await
            .expect("the test server answers");
        let done = admin.execute(AssertSqlSafe(statement.to_owned())).await;
        assert!(
            done.expect("a statement").rows_affected() > 0,
            "{statement}"
        );
        // Gateways cache sessions for 5 s.
        let now = self.clock.now();
        self.clock.set(now + TimeDelta::seconds(5));
    }
}

/// Credentials of support staff.
pub struct Staff {
    pub email: String,
    pub password: String,
    totp: Totp,
}

impl Staff {
    /// The current one-time code.
    pub fn code(&self, now: i64) -> String {
        self.totp.code(now)
    }
}

/// An authenticator with this base32 secret.
pub struct Totp(pub String);

impl Totp {
    pub fn code(&self, now: i64) -> String {
        const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        let mut key = Vec::new();
        for eight in self.0.as_bytes().chunks(8) {
            let bits = eight.iter().fold(0_u64, |bits, letter| {
                let value = ALPHABET.find(char::from(*letter)).expect("base 32");
                bits << 5 | value as u64
            });
            key.extend_from_slice(&bits.to_be_bytes()[3..]);
        }
        let mut mac = Hmac::<Sha1>::new_from_slice(&key).expect("any length");
        mac.update(&(now / 30).to_be_bytes());
        let digest = mac.finalize().into_bytes();
        let offset = usize::from(digest[19] & 15);
        let word: [u8; 4] = digest[offset..offset + 4].try_into().expect("four bytes");
        format!(
            "{:06}",
            (u32::from_be_bytes(word) & 0x7fff_ffff) % 1_000_000
        )
    }
}
