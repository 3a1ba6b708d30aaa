import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { formAlert } from "#/test/form-error";
import { renderApp, stubRest, visitor } from "#/test/render-app";

const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

const pet = "What was the name of your first pet?";
const city = "In what city were you born?";
const questions = { status: 200, body: { question1: pet, question2: city } };
const unknown = {
  status: 404,
  body: {
    message: "No account found with that email or business name, or security questions not set up.",
    code: "ACCOUNT_NOT_FOUND",
  },
};
const wrongAnswers = {
  status: 400,
  body: { message: "Security answers are incorrect. Please try again.", code: "WRONG_ANSWERS" },
};

async function secondStep(answers: Parameters<typeof stubRest>[0] = {}) {
  const calls = stubRest({
    "GET /api/auth/user": visitor,
    "POST /api/auth/forgot-password": questions,
    ...answers,
  });
  const app = await renderApp("/forgot-password");
  type(await screen.findByLabelText("Email or business name"), " Acme ");
  press("Continue");
  await screen.findByLabelText(pet);
  return { ...app, calls };
}

function fill(password = "new-secret", confirm = password) {
  type(screen.getByLabelText(pet), "Rex");
  type(screen.getByLabelText(city), "Saltillo");
  type(screen.getByLabelText("New password"), password);
  type(screen.getByLabelText("Confirm new password"), confirm);
  press("Reset password");
}

describe("the first step", () => {
  it("requires a name", async () => {
    const calls = stubRest({ "GET /api/auth/user": visitor });
    await renderApp("/forgot-password");
    await screen.findByRole("heading", { level: 1, name: "Forgot Password" });
    type(screen.getByLabelText("Email or business name"), "  ");
    press("Continue");
    expect(await screen.findByText("Email or business name is required")).toBeTruthy();
    expect(calls.every((call) => call.method === "GET")).toBe(true);
  });

  it("reports an unknown name in the current language, and keeps it in the field", async () => {
    stubRest({ "GET /api/auth/user": visitor, "POST /api/auth/forgot-password": unknown });
    await renderApp("/forgot-password");
    type(await screen.findByLabelText("Email or business name"), "Acme");
    press("Continue");
    expect(await formAlert()).toEqual(["User Not Found", unknown.body.message]);
    expect(screen.getByLabelText<HTMLInputElement>("Email or business name").value).toBe("Acme");
    await changeLanguage("es");
    await screen.findByText(/^No hay ninguna cuenta/);
  });

  it("names the ways back in without security questions", async () => {
    stubRest({ "GET /api/auth/user": visitor });
    await renderApp("/forgot-password");
    expect(await screen.findByText(/“Mail me a link” in step 1 works without them/)).toBeTruthy();
    const support = screen.getByRole("link", { name: "Owners: contact support" });
    expect(support.getAttribute("href")).toBe("/#contact");
  });

  it("does not report an unreachable server as an unknown name", async () => {
    stubRest({ "GET /api/auth/user": visitor });
    await renderApp("/forgot-password");
    type(await screen.findByLabelText("Email or business name"), "Acme");
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    press("Continue");
    expect(await formAlert()).toEqual([
      "Recovery failed",
      expect.stringMatching(/^Unable to connect/),
    ]);
  });
});

describe("the second step", () => {
  it("asks the account's questions in the current language, with focus in the first answer", async () => {
    const { calls } = await secondStep();
    expect(calls.at(-1)?.body).toEqual({ emailOrBusinessName: "Acme" });
    expect(document.activeElement).toBe(screen.getByLabelText(pet));
    await changeLanguage("es");
    expect(await screen.findByLabelText("¿En qué ciudad naciste?")).toBeTruthy();
  });

  it("is cleared by Back, but the name is not", async () => {
    await secondStep();
    type(screen.getByLabelText(pet), "Rex");
    type(screen.getByLabelText("New password"), "new-secret");
    press("Back");
    const name = await screen.findByLabelText<HTMLInputElement>("Email or business name");
    expect(name.value).toBe("Acme");
    press("Continue");
    expect((await screen.findByLabelText<HTMLInputElement>(pet)).value).toBe("");
    expect(screen.getByLabelText<HTMLInputElement>("New password").value).toBe("");
  });

  it("names every missing field", async () => {
    const { calls } = await secondStep();
    type(screen.getByLabelText(pet), "   ");
    press("Reset password");
    expect(await screen.findByText("Security answer 1 is required")).toBeTruthy();
    expect(screen.getByText("Security answer 2 is required")).toBeTruthy();
    expect(screen.getByText("Password must be at least 6 characters.")).toBeTruthy();
    expect(calls.some((call) => call.path === "/api/auth/reset-password")).toBe(false);
  });

  it.each([
    ["12345", "12345", "Password must be at least 6 characters."],
    // Three characters, but six UTF-16 units.
    ["🚜🚜🚜", "🚜🚜🚜", "Password must be at least 6 characters."],
    ["new-secret", "new-Secret", "Passwords do not match."],
    ["new-secret", "new-secret ", "Passwords do not match."],
  ])("%s and %s: %s", async (password, confirm, text) => {
    await secondStep();
    fill(password, confirm);
    expect(await screen.findByText(text)).toBeTruthy();
  });

  it("reports wrong answers, and keeps them for correction", async () => {
    await secondStep({ "POST /api/auth/reset-password": wrongAnswers });
    fill();
    expect(await formAlert()).toEqual(["Reset Failed", wrongAnswers.body.message]);
    expect(screen.getByLabelText<HTMLInputElement>(city).value).toBe("Saltillo");
  });

  it("shows the server's refusal under the password", async () => {
    const message = "This password is too common. Please choose another one.";
    const body = { message, fields: { newPassword: message } };
    await secondStep({ "POST /api/auth/reset-password": { status: 400, body } });
    fill();
    const field = screen.getByLabelText("New password");
    await waitFor(() => expect(field.getAttribute("aria-invalid")).toBe("true"));
  });

  it("opens the login with a message, and stores no secret", async () => {
    const { calls, router, queryClient } = await secondStep({
      "POST /api/auth/reset-password": { status: 204 },
    });
    fill();
    await screen.findByRole("heading", { level: 1, name: "Owner Login" });
    expect(router.state.location.pathname).toBe("/login");
    expect(currentToast()).toMatchObject({ tone: "success", title: "Password reset" });
    const sent = calls.find((call) => call.path === "/api/auth/reset-password");
    expect(sent?.body).toEqual({
      emailOrBusinessName: "Acme",
      securityAnswer1: "Rex",
      securityAnswer2: "Saltillo",
      newPassword: "new-secret",
    });
    const stored = () =>
      JSON.stringify([
        Object.entries(localStorage),
        Object.entries(sessionStorage),
        queryClient
          .getMutationCache()
          .getAll()
          .map((mutation) => mutation.state),
        queryClient
          .getQueryCache()
          .getAll()
          .map((query) => query.state.data),
      ]);
    await waitFor(() => expect(stored()).not.toMatch(/new-secret|Saltillo|Rex/));
    expect(router.state.location.href).not.toMatch(/secret|Rex/);
  });
});
