import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";

/** The refusal of a call that requires a recent sign-in. */
export function reauthRequired(): ConnectError {
  const error = new ConnectError("Please confirm your password.", Code.PermissionDenied);
  // google.rpc.ErrorInfo: reason is field 1.
  const value = new BinaryWriter().tag(1, WireType.LengthDelimited).string("REAUTH_REQUIRED");
  error.details = [{ type: "google.rpc.ErrorInfo", value: value.finish() }];
  return error;
}
