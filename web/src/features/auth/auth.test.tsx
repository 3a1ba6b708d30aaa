import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { formAlert, expectFormError } from "#/test/form-error";
import { owner, renderApp, stubRest, visitor } from "#/test/render-app";

const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));

describe("owner login", () => {
  it("names the missing fields in the current language", async () => {
    stubRest({ "GET /api/auth/user": visitor });
    await renderApp("/login");
    await screen.findByRole("heading", { name: "Owner Login" });
    press("Sign In");
    expect(await screen.findByText("Please enter your email or business name")).toBeTruthy();
    expect(screen.getByText("Password is required")).toBeTruthy();
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByLabelText("Email or business name")),
    );
    await changeLanguage("es");
    expect(await screen.findByText("La contraseña es obligatoria")).toBeTruthy();
    expect(document.documentElement.lang).toBe("es");
  });

  it("shows the server's refusal beside the button", async () => {
    const refusal = { message: "Invalid email, business name or password" };
    stubRest({
      "GET /api/auth/user": visitor,
      "POST /api/auth/login": { status: 401, body: refusal },
    });
    await renderApp("/login");
    type(await screen.findByLabelText("Email or business name"), "Acme");
    type(screen.getByLabelText("Password"), "wrong-one");
    press("Sign In");
    expect(await formAlert()).toEqual(["Login failed", refusal.message]);
    expect(currentToast()).toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>("Email or business name").value).toBe("Acme");
  });

  it("signs in, sends the marker, and goes to the dashboard", async () => {
    const calls = stubRest({
      "GET /api/auth/user": visitor,
      "POST /api/auth/login": { status: 200, body: owner },
    });
    const { router } = await renderApp("/login");
    type(await screen.findByLabelText("Email or business name"), "Acme");
    type(screen.getByLabelText("Password"), "secret1");
    fireEvent.click(screen.getByLabelText("Keep me signed in for 30 days"));
    press("Sign In");
    await screen.findByRole("heading", { level: 1, name: "Dashboard" });
    expect(router.state.location.pathname).toBe("/");
    const login = calls.find((call) => call.path === "/api/auth/login");
    expect(login?.headers.get("X-Requested-With")).toBe("XMLHttpRequest");
    expect(login?.body).toEqual({
      emailOrBusinessName: "Acme",
      password: "secret1",
      rememberMe: true,
    });
  });

  it("links to recovery, signup and the operator login", async () => {
    stubRest({ "GET /api/auth/user": visitor });
    await renderApp("/login");
    const target = async (name: string) =>
      (await screen.findByRole("link", { name })).getAttribute("href");
    expect(await target("Forgot password?")).toBe("/forgot-password");
    expect(await target("Start your free trial")).toBe("/signup");
    expect(await target("Operator Login")).toBe("/employee-login");
    expect(
      screen.getByText("Username and password are case sensitive; an email is not."),
    ).toBeTruthy();
  });

  it("shows and hides the password", async () => {
    stubRest({ "GET /api/auth/user": visitor });
    await renderApp("/login");
    const field = await screen.findByLabelText<HTMLInputElement>("Password");
    press("Show password");
    expect(field.type).toBe("text");
    press("Hide password");
    expect(field.type).toBe("password");
  });
});

describe("signup", () => {
  async function fill(confirm: string) {
    type(await screen.findByLabelText("Business name"), "Acme Earthworks");
    type(screen.getByLabelText("Your first name (optional)"), " Ana ");
    type(screen.getByLabelText("Email"), "ana@acme.test");
    type(screen.getByLabelText("Password"), "secret1");
    type(screen.getByLabelText("Confirm password"), confirm);
    press("Create account");
  }

  it("shows an error at every invalid field", async () => {
    stubRest({ "GET /api/auth/user": visitor });
    await renderApp("/signup");
    type(await screen.findByLabelText("Business name"), " A ");
    type(screen.getByLabelText("Email"), "ana@");
    type(screen.getByLabelText("Password"), "12345");
    press("Create account");
    expect(await screen.findByText("Business name must be at least 2 characters")).toBeTruthy();
    expect(screen.getByText("Please enter a valid email address")).toBeTruthy();
    expect(screen.getByText("Password must be at least 6 characters")).toBeTruthy();
    expect(screen.getByText("Please confirm your password")).toBeTruthy();
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByLabelText("Business name")),
    );
  });

  it("requires the same password twice", async () => {
    stubRest({ "GET /api/auth/user": visitor });
    await renderApp("/signup");
    await fill("secret2");
    expect(await screen.findByText("Passwords don't match")).toBeTruthy();
  });

  it("reads the trial's length from the catalog, sends the time zone, and opens the questions", async () => {
    const discounts = { yearlyDiscountPercent: 15, launchDiscountPercent: 20 };
    const calls = stubRest({
      "GET /api/auth/user": visitor,
      "GET /api/plans": { status: 200, body: { plans: [], trialDays: 14, ...discounts } },
      "POST /api/auth/signup": { status: 201, body: owner },
      "GET /api/auth/security-questions": { status: 200, body: ["First?", "Second?"] },
    });
    const { router } = await renderApp("/signup");
    expect(await screen.findByText(/^2-week free trial/)).toBeTruthy();
    await fill("secret1");
    await screen.findByRole("heading", { level: 1, name: "Security Questions" });
    expect(router.state.location.pathname).toBe("/security-questions");
    expect(calls.find((call) => call.path === "/api/auth/signup")?.body).toMatchObject({
      firstName: "Ana",
      lastName: "",
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
  });
});

describe("security questions", () => {
  const questions = { status: 200, body: ["First?", "Second?", "Third?"] };
  const signedIn = { status: 200, body: owner };

  async function answer() {
    type(await screen.findByLabelText("Security question 1"), "First?");
    type(screen.getByLabelText("Answer 1"), "one");
    type(screen.getByLabelText("Security question 2"), "Second?");
    type(screen.getByLabelText("Answer 2"), "two");
    press("Save");
  }

  it("require all four fields", async () => {
    stubRest({
      "GET /api/auth/user": signedIn,
      "GET /api/auth/security-questions": questions,
    });
    await renderApp("/security-questions");
    await screen.findByLabelText("Security question 1");
    press("Save");
    await expectFormError("Please fill in all security questions and answers.");
    expect(screen.getByText("Security answer 2 is required")).toBeTruthy();
  });

  it("do not offer a question twice", async () => {
    stubRest({
      "GET /api/auth/user": signedIn,
      "GET /api/auth/security-questions": questions,
    });
    await renderApp("/security-questions");
    type(await screen.findByLabelText("Security question 1"), "First?");
    const second = within(screen.getByLabelText("Security question 2"));
    expect(second.getByRole<HTMLOptionElement>("option", { name: "First?" }).disabled).toBe(true);
  });

  it("must differ", async () => {
    const calls = stubRest({
      "GET /api/auth/user": signedIn,
      "GET /api/auth/security-questions": questions,
    });
    await renderApp("/security-questions");
    type(await screen.findByLabelText("Security question 1"), "First?");
    const second = screen.getByLabelText("Security question 2");
    // As if the browser offered it anyway.
    within(second).getByRole<HTMLOptionElement>("option", { name: "First?" }).disabled = false;
    type(second, "First?");
    type(screen.getByLabelText("Answer 1"), "one");
    type(screen.getByLabelText("Answer 2"), "two");
    press("Save");
    expect(await screen.findByText("Please choose different security questions.")).toBeTruthy();
    expect(second.getAttribute("aria-invalid")).toBe("true");
    expect(calls.some((call) => call.method === "POST")).toBe(false);
  });

  it("ask for the password when the sign-in is old, and repeat the call", async () => {
    let confirmed = false;
    const calls = stubRest({
      "GET /api/auth/user": signedIn,
      "GET /api/auth/security-questions": questions,
      "POST /api/auth/reauth": () => {
        confirmed = true;
        return { status: 204 };
      },
      "POST /api/auth/setup-security-questions": () =>
        confirmed
          ? { status: 200, body: { ...owner, securityQuestionsSet: true } }
          : { status: 403, body: { message: "Please confirm.", code: "REAUTH_REQUIRED" } },
    });
    const { router } = await renderApp("/security-questions");
    await answer();
    const dialog = within(await screen.findByRole("dialog"));
    type(dialog.getByLabelText("Password"), "secret1");
    fireEvent.click(dialog.getByRole("button", { name: "Confirm" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/"));
    const saves = calls.filter((call) => call.path === "/api/auth/setup-security-questions");
    expect(saves).toHaveLength(2);
  });

  it("can be skipped", async () => {
    stubRest({
      "GET /api/auth/user": signedIn,
      "GET /api/auth/security-questions": questions,
    });
    await renderApp("/security-questions");
    const skip = await screen.findByRole("link", { name: "Skip for Now" });
    expect(skip.getAttribute("href")).toBe("/");
  });

  it("are replaced if already set, and return to the profile", async () => {
    const calls = stubRest({
      "GET /api/auth/user": { status: 200, body: { ...owner, securityQuestionsSet: true } },
      "GET /api/auth/security-questions": questions,
      "POST /api/auth/setup-security-questions": {
        status: 200,
        body: { ...owner, securityQuestionsSet: true },
      },
    });
    const { router } = await renderApp("/security-questions");
    expect(await screen.findByText(/Saving here replaces them/)).toBeTruthy();
    expect(screen.queryByRole("link", { name: "Skip for Now" })).toBeNull();
    const cancel = screen.getByRole("link", { name: "Cancel" });
    expect(cancel.getAttribute("href")).toBe("/profile");
    await answer();
    await waitFor(() => expect(router.state.location.pathname).toBe("/profile"));
    expect(calls.filter((call) => call.method === "POST")).toHaveLength(1);
  });

  it("offer a retry when the list can't be loaded", async () => {
    let up = false;
    stubRest({
      "GET /api/auth/user": signedIn,
      "GET /api/auth/security-questions": () => (up ? questions : { status: 503, body: {} }),
    });
    await renderApp("/security-questions");
    expect(await screen.findByText("The list of questions could not be loaded.")).toBeTruthy();
    up = true;
    press("Try again");
    expect(await screen.findByLabelText("Security question 1")).toBeTruthy();
  });

  it("show the failure and keep typed values", async () => {
    stubRest({
      "GET /api/auth/user": signedIn,
      "GET /api/auth/security-questions": questions,
      "POST /api/auth/setup-security-questions": { status: 500, body: "" },
    });
    await renderApp("/security-questions");
    await answer();
    await expectFormError("Failed to save security questions.");
    expect(currentToast()).toMatchObject({
      title: "Setup Failed",
      description: "Failed to save security questions.",
    });
    expect(screen.getByLabelText<HTMLInputElement>("Answer 2").value).toBe("two");
  });
});
