//! A new migration must make the crate build again.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
}
