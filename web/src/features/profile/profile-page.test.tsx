import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Language, Role, Scope } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { currentToast } from "#/shared/toast/store";
import { dana, maria, open, fact, press } from "./profile.fixture";

it("sets the contrast of this device", async () => {
  await open(maria);
  fireEvent.click(await screen.findByLabelText("High"));
  expect(document.documentElement.dataset.contrast).toBe("high");
  expect(localStorage.getItem("contrast")).toBe("high");
  fireEvent.click(screen.getByLabelText("System"));
  expect(document.documentElement.dataset.contrast).toBe("normal");
});

describe("the profile, read", () => {
  it("of an owner shows the person, the company and security", async () => {
    await open(dana);
    expect(await screen.findByText("Dana Ruiz")).toBeTruthy();
    expect(fact("First name")).toBe("Dana");
    expect(fact("Email")).toBe("dana@acme.test");
    expect(fact("Secondary email")).toBe("Not given");
    expect(fact("Member since")).toBe("Jul 3, 2026");
    await waitFor(() => expect(fact("Company name")).toBe("Acme Earthworks"));
    await waitFor(() => expect(fact("Plan")).toBe("ProfessionalActive"));
    expect(fact("Time zone")).toBe("America / Mexico City");
    await waitFor(() => expect(fact("Equipment in use")).toBe("12 of 30"));
    expect(fact("Operator Password")).toBe("Set");
    expect(screen.getByText(/with your email or the business name/)).toBeTruthy();
    expect(screen.getByText(/you can't recover a forgotten password/)).toBeTruthy();
    const link = screen.getByRole("link", { name: "Set up now" });
    expect(link.getAttribute("href")).toBe("/security-questions");
  });

  it("mails a link to an address that is not verified", async () => {
    const { calls, rest } = await open(dana);
    fireEvent.click(await screen.findByRole("button", { name: "Mail me a link" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Link sent"));
    expect(calls).toEqual([{ mailed: true }]);
    expect(currentToast()?.action?.label).toBe("Open mailbox");
    // Mail has the language of the screens.
    const saved = rest.filter((call) => call.path === "/api/user/profile");
    expect(saved.map((call) => call.body)).toEqual([{ language: "en" }]);
  });

  it("keeps a language that the person chose before", async () => {
    const { calls, rest } = await open({ ...dana, language: Language.SPANISH });
    fireEvent.click(await screen.findByRole("button", { name: "Mail me a link" }));
    await waitFor(() => expect(calls).toEqual([{ mailed: true }]));
    expect(rest.filter((call) => call.path === "/api/user/profile")).toEqual([]);
  });

  it("says that the address is verified, and that mail recovers the password", async () => {
    await open({ ...dana, emailVerified: true });
    expect(await screen.findByText("dana@acme.test is verified.")).toBeTruthy();
    expect(screen.getByText(/^A link that we mail to your verified email also/)).toBeTruthy();
    expect(screen.queryByText(/you can't recover/)).toBeNull();
    expect(screen.queryByRole("button", { name: "Mail me a link" })).toBeNull();
  });

  it("of a manager says what is set", async () => {
    await open({ ...dana, role: Role.MANAGER, securityQuestionsSet: true });
    expect(await screen.findByText("Set up.")).toBeTruthy();
    expect(screen.getByText("Manager")).toBeTruthy();
    expect(screen.getByText(/with your email and your own password/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "Change questions" })).toBeTruthy();
  });

  it("of an owner has all rows of the company before its settings are loaded", async () => {
    const ready = Promise.withResolvers<void>();
    await open(dana, { settingsReady: ready.promise });
    await screen.findByText("Operator Password");
    const rows = () => screen.getAllByRole("term").map((term) => term.textContent);
    const loading = rows();
    expect(fact("Company name")).toBe("");
    ready.resolve();
    await waitFor(() => expect(fact("Company name")).toBe("Acme Earthworks"));
    expect(rows()).toEqual(loading);
  });

  it("of an operator has no company details and no security section", async () => {
    await open(maria);
    expect(await screen.findByText("Maria Lopez")).toBeTruthy();
    expect(fact("Username")).toBe("maria4821");
    expect(screen.queryByRole("heading", { name: "Company details" })).toBeNull();
    expect(screen.queryByRole("heading", { name: "Sign-in and security" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Change password" })).toBeNull();
    expect(screen.queryByText("Security questions")).toBeNull();
  });

  it("of a shared operator session shows nothing of the owner and offers no editing", async () => {
    await open({ ...dana, role: Role.OPERATOR, scope: Scope.OPERATOR });
    expect(await screen.findByText(/shared operator password/)).toBeTruthy();
    expect(screen.getByText(/there is nothing to edit here/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Edit profile" })).toBeNull();
    expect(screen.queryByText(/Dana/)).toBeNull();
    expect(screen.queryByText("dana@acme.test")).toBeNull();
  });

  it("offers a retry", async () => {
    const { state } = await open(dana, { fail: true });
    expect((await screen.findByRole("alert")).textContent).toContain("Not now.");
    state.fail = false;
    press("Try again");
    expect(await screen.findByText("Dana Ruiz")).toBeTruthy();
  });
});
