import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

// The two google.rpc messages that refusals carry are small and frozen, so they are read by hand
// instead of bringing their generated descriptors into the shell.

/** Calls `onField` for each length-delimited field of a message and skips all others. */
function readFields(bytes: Uint8Array, onField: (no: number, value: Uint8Array) => void): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    if (wireType === WireType.LengthDelimited) onField(no, reader.bytes());
    else reader.skip(wireType, no);
  }
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** google.rpc.ErrorInfo: `reason` is field 1. */
export function readErrorReason(bytes: Uint8Array): string | null {
  let reason: string | null = null;
  readFields(bytes, (no, value) => {
    if (no === 1) reason = text(value);
  });
  return reason;
}

/** google.rpc.BadRequest: repeated FieldViolation (field 1) of `field` (1) and `description` (2). */
export function readFieldViolations(bytes: Uint8Array): Record<string, string> {
  const fields: Record<string, string> = {};
  readFields(bytes, (no, violation) => {
    if (no !== 1) return;
    let field = "";
    let description = "";
    readFields(violation, (inner, value) => {
      if (inner === 1) field = text(value);
      if (inner === 2) description = text(value);
    });
    if (field) fields[field] ??= description;
  });
  return fields;
}
