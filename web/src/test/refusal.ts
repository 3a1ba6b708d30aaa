import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";

/** A failed call; `reason` is its machine-readable code. */
export function refusal(code: Code, reason = "", message = "Refused."): ConnectError {
  const error = new ConnectError(message, code);
  // google.rpc.ErrorInfo: `reason` is field 1.
  if (reason) error.details = [{ type: "google.rpc.ErrorInfo", value: field(1, reason) }];
  return error;
}

/** A refusal of the field `name`. */
export function fieldRefusal(name: string, message: string): ConnectError {
  const error = new ConnectError(message, Code.InvalidArgument);
  const violation = new BinaryWriter().raw(field(1, name)).raw(field(2, message)).finish();
  const value = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(violation).finish();
  error.details = [{ type: "google.rpc.BadRequest", value }];
  return error;
}

/** The refusal of a call that requires a recent sign-in. */
export const reauthRequired = (): ConnectError =>
  refusal(Code.PermissionDenied, "REAUTH_REQUIRED", "Please confirm your password.");

function field(number: number, text: string): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).string(text).finish();
}
