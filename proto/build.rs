//! Compiles the contracts without protoc and writes their descriptors for the policy table.

use std::path::{Path, PathBuf};

use prost::Message as _;
use protox::Compiler;

/// Messages with a password, a security answer or a token. Their `Debug` is redacted; keep in sync
/// with `src/redacted.rs`.
const SECRET: [&str; 26] = [
    "AddPasskeyResponse",
    "ChangePasswordRequest",
    "ConfirmAuthenticatorRequest",
    "ConfirmAuthenticatorResponse",
    "CreateManagerResponse",
    "FinishStaffEnrolmentRequest",
    "ReauthenticateRequest",
    "RecoverPasswordRequest",
    "ReplaceRecoveryCodesResponse",
    "ResetUserPasswordRequest",
    "ResolveSessionRequest",
    "ResolveSessionResponse",
    "RevealAccountOperatorPasswordResponse",
    "RevealOperatorPasswordResponse",
    "SessionGrant",
    "SetSecurityQuestionsRequest",
    "SignInOperatorRequest",
    "SignInRequest",
    "SignOutRequest",
    "SignUpRequest",
    "StartAuthenticatorResponse",
    "StartPasskeySignInRequest",
    "StartRecoveryRequest",
    "StartStaffEnrolmentRequest",
    "StartStaffEnrolmentResponse",
    "UpdateCompanySettingsRequest",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=hourmeter");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").ok_or("no manifest folder")?);
    let mut files = Vec::new();
    collect(&root.join("hourmeter"), &mut files)?;
    files.sort();

    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no output folder")?);
    // Encoding the whole pool keeps custom options, which plain descriptor types drop. Comments are
    // only needed in generated code.
    let descriptors = compile(&root, &files, false)?.encode_file_descriptor_set();
    std::fs::write(out.join("hourmeter.bin"), descriptors)?;
    let files = compile(&root, &files, true)?.file_descriptor_set();
    debug_assert!(files.encoded_len() > 0);
    SECRET
        .iter()
        .fold(tonic_prost_build::configure(), |config, message| {
            config.skip_debug([format!(".hourmeter.accounts.v1.{message}")])
        })
        .compile_fds(files)?;
    Ok(())
}

fn compile(root: &Path, files: &[PathBuf], comments: bool) -> Result<Compiler, protox::Error> {
    let mut compiler = Compiler::new([root])?;
    compiler
        .include_source_info(comments)
        .include_imports(true)
        .open_files(files)?;
    Ok(compiler)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "proto")
        {
            files.push(path);
        }
    }
    Ok(())
}
