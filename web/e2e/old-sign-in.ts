import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { expect, type Page } from "@playwright/test";
import { ownerPassword } from "./people";
import type { Words } from "./words";

/**
 * Answers the next call of an accounts method like the server after a sign-in older than half an
 * hour, because a test can't wait that long.
 */
export function ageSignIn(page: Page, method: string) {
  return page.route(
    `**/hourmeter.accounts.v1.AccountsService/${method}`,
    (route) =>
      route.fulfill({
        headers: {
          "content-type": "application/grpc-web+proto",
          "grpc-status": "7",
          "grpc-message": "Please confirm your password",
          "grpc-status-details-bin": reauthRequired(),
        },
      }),
    { times: 1 },
  );
}

/** google.rpc.Status with one google.rpc.ErrorInfo, encoded for a header. */
function reauthRequired(): string {
  const text = WireType.LengthDelimited;
  const info = new BinaryWriter().tag(1, text).string("REAUTH_REQUIRED").finish();
  const type = "type.googleapis.com/google.rpc.ErrorInfo";
  const detail = new BinaryWriter().tag(1, text).string(type).tag(2, text).bytes(info).finish();
  const status = new BinaryWriter().tag(1, WireType.Varint).int32(7).tag(3, text).bytes(detail);
  return Buffer.from(status.finish()).toString("base64");
}

export const reauthDialog = (page: Page, t: Words) =>
  page.getByRole("dialog", { name: t("auth.reauth.title") });

/** Fills in the password dialog, first with a wrong password. */
export async function confirmPassword(page: Page, t: Words) {
  const dialog = reauthDialog(page, t);
  const password = dialog.getByLabel(t("auth.password"), { exact: true });
  const confirm = dialog.getByRole("button", { name: t("auth.reauth.submit") });
  await password.fill("not-the-password");
  await confirm.click();
  await expect(dialog.getByText(t("auth.reauth.wrong"))).toBeVisible();
  await password.fill(ownerPassword);
  await confirm.click();
  await expect(dialog).toBeHidden();
}
