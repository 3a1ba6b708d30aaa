import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";

/** A failed call; `reason` is its machine-readable code. */
export function refusal(code: Code, reason = "", message = "Refused."): ConnectError {
  const error = new ConnectError(message, code);
  // google.rpc.ErrorInfo: `reason` is field 1.
  if (reason) error.details = [{ type: "google.rpc.ErrorInfo", value: field(1, reason) }];
  return error;
}

/** A refusal of the field `name`, with the code and the values of its text. */
export function fieldRefusal(
  name: string,
  message: string,
  reason = "",
  params: Readonly<Record<string, string>> = {},
): ConnectError {
  const error = new ConnectError(message, Code.InvalidArgument);
  const violation = [field(1, name), field(2, message), field(3, reason)];
  const metadata = Object.entries(params).map(([param, value]) =>
    nested(3, [field(1, `${name}.${param}`), field(2, value)]),
  );
  error.details = [
    { type: "google.rpc.BadRequest", value: nested(1, violation) },
    { type: "google.rpc.ErrorInfo", value: joined(metadata) },
  ];
  return error;
}

/** The refusal of a call that requires a recent sign-in. */
export const reauthRequired = (): ConnectError =>
  refusal(Code.PermissionDenied, "REAUTH_REQUIRED", "Please confirm your password.");

function field(number: number, text: string): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).string(text).finish();
}

function nested(number: number, fields: readonly Uint8Array[]): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(joined(fields)).finish();
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.reduce((writer, part) => writer.raw(part), new BinaryWriter()).finish();
}
