// The two google.rpc messages of refusals are small and stable, and all their fields are
// length-delimited. Parsing them here keeps the protobuf library out of the first pages.

const lengthDelimited = 2;

/**
 * Values of a message's fields by number; stops at the first field that is not length-delimited.
 */
function readFields(bytes: Uint8Array): Map<number, Uint8Array[]> {
  const fields = new Map<number, Uint8Array[]>();
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
    if ((tag & 7) !== lengthDelimited) break;
    const end = varint() + at;
    fields.set(tag >>> 3, [...(fields.get(tag >>> 3) ?? []), bytes.subarray(at, end)]);
    at = end;
  }
  return fields;
}

type Fields = ReturnType<typeof readFields>;

const text = (fields: Fields, no: number): string => new TextDecoder().decode(fields.get(no)?.[0]);

/** google.rpc.ErrorInfo: `reason` (field 1) and the map `metadata` (field 3). */
export function readErrorInfo(bytes: Uint8Array): {
  reason: string;
  metadata: Record<string, string>;
} {
  const info = readFields(bytes);
  const entries = (info.get(3) ?? []).map(readFields);
  return {
    reason: text(info, 1),
    metadata: Object.fromEntries(entries.map((entry) => [text(entry, 1), text(entry, 2)])),
  };
}

/** google.rpc.BadRequest: FieldViolation (field 1) of `field` (1), `description` (2), `reason` (3). */
export function readFieldViolations(
  bytes: Uint8Array,
): Array<{ field: string; description: string; reason: string }> {
  const violations = (readFields(bytes).get(1) ?? []).map(readFields);
  return violations.map((violation) => ({
    field: text(violation, 1),
    description: text(violation, 2),
    reason: text(violation, 3),
  }));
}
