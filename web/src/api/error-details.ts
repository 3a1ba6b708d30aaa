// The two google.rpc messages of refusals are small and frozen, and all their fields are
// length-delimited. Reading them here keeps the protobuf library out of the first pages.

const lengthDelimited = 2;

/** Calls `onField` for each field of a message; stops at anything else than a length-delimited one. */
function readFields(bytes: Uint8Array, onField: (no: number, value: Uint8Array) => void): void {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const tag = varint();
    if ((tag & 7) !== lengthDelimited) return;
    const end = varint() + at;
    onField(tag >>> 3, bytes.subarray(at, end));
    at = end;
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
