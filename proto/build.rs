//! Compiles the contracts without protoc and writes their descriptors for the policy table. Messages
//! with a field of the option `debug_redact` get a redacted `Debug`.

use std::path::{Path, PathBuf};

use protox::Compiler;
use protox::prost_reflect::MessageDescriptor;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=hourmeter");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").ok_or("no manifest folder")?);
    let mut files = Vec::new();
    collect(&root.join("hourmeter"), &mut files)?;
    files.sort();

    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no output folder")?);
    // Encoding the whole pool keeps custom options, which plain descriptor types drop. Comments are
    // only needed in generated code.
    let contracts = compile(&root, &files, false)?;
    std::fs::write(
        out.join("hourmeter.bin"),
        contracts.encode_file_descriptor_set(),
    )?;
    let files = compile(&root, &files, true)?.file_descriptor_set();
    let mut config = tonic_prost_build::configure();
    let mut redacted = Vec::new();
    let pool = contracts.descriptor_pool();
    for message in pool.all_messages().filter(is_secret) {
        let name = message.full_name();
        config = config.skip_debug([format!(".{name}")]);
        let path = name.trim_start_matches("hourmeter.").replace('.', "::");
        redacted.push(format!("redacted!(crate::{path}, {:?});\n", message.name()));
    }
    std::fs::write(out.join("redacted.rs"), redacted.concat())?;
    config.compile_fds(files)?;
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

fn is_secret(message: &MessageDescriptor) -> bool {
    message.fields().any(|field| {
        let options = field.options();
        let redact = options.get_field_by_name("debug_redact");
        redact.is_some_and(|redact| redact.as_bool() == Some(true))
    })
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
