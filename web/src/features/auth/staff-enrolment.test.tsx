import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { currentToast } from "#/shared/toast/store";
import { owner, renderApp, stubRest, visitor } from "#/test/render-app";

const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

const staff = { ...owner, role: "support", companyId: null, businessName: null };
const begun = {
  email: "sam@help.example",
  name: "Sam Support",
  secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
  url: "otpauth://totp/x",
};
const codeWrong = "This enrolment code is not valid, was used, or has expired.";
const refused = { status: 400, body: { message: codeWrong, fields: { code: codeWrong } } };

async function open(start: object = { status: 200, body: begun }) {
  const calls = stubRest({
    "GET /api/auth/user": visitor,
    "POST /api/auth/staff-enrolment": { status: 200, ...start },
    "POST /api/auth/staff-enrolment/finish": { status: 200, body: staff },
  });
  const app = await renderApp("/staff-enrolment");
  await screen.findByRole("heading", { level: 1, name: "Staff enrolment" });
  return { calls, ...app };
}

describe("staff enrolment", () => {
  it("accepts the enrolment code, then a code of the app and a password, and signs in", async () => {
    const { calls, router } = await open();
    type("Enrolment code", " abcde-fghjk ");
    press("Continue");
    expect(await screen.findByText("GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ")).toBeTruthy();
    expect(screen.getByText(/Welcome, Sam Support/)).toBeTruthy();
    press("Finish and sign in");
    expect(await screen.findByText(/Please enter the six digits/)).toBeTruthy();
    type("Authenticator code", "123 456");
    type("New password", "quarry-8");
    type("Confirm new password", "quarry-9");
    press("Finish and sign in");
    expect(await screen.findByText("Passwords do not match.")).toBeTruthy();
    type("Confirm new password", "quarry-8");
    press("Finish and sign in");
    await waitFor(() => expect(router.state.location.pathname).toBe("/admin-accounts"));
    expect(calls.find((call) => call.path.endsWith("/finish"))?.body).toEqual({
      code: "abcde-fghjk",
      totp: "123456",
      newPassword: "quarry-8",
    });
  });

  it("reports an invalid code", async () => {
    await open(refused);
    press("Continue");
    expect(await screen.findByText("Please enter your enrolment code.")).toBeTruthy();
    type("Enrolment code", "used-up");
    press("Continue");
    expect((await screen.findByRole("alert")).textContent).toBe(codeWrong);
    expect(currentToast()).toBeNull();
    expect(screen.queryByLabelText("New password")).toBeNull();
  });
});
