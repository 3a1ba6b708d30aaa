import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { currentPrintJob } from "#/shared/print/store";
import { currentToast } from "#/shared/toast/store";
import { expectFormError } from "#/test/form-error";
import { catchDownloads } from "#/test/catch-downloads";
import {
  inDialog,
  luis,
  maria,
  openOperators,
  operatorNamed,
  press,
  refusal,
  submit,
  expectToast,
  type,
} from "./operators.fixture";

beforeEach(() => {
  vi.restoreAllMocks();
});

const table = (name: string) => within(screen.getByRole("table", { name }));
const many = Array.from({ length: 12 }, (_, index) =>
  operatorNamed(`José ${index}`, "Núñez", `jose10${index}`),
);

describe("the page", () => {
  it("lists operators with their count, and owner and managers apart", async () => {
    await openOperators({ operators: [maria, luis] });
    const operators = table("Operators");
    expect(operators.getByText("maria4821")).toBeTruthy();
    expect(operators.getAllByText("Personal password")).toHaveLength(1);
    expect(operators.queryByText("Ana Ruiz")).toBeNull();
    expect(table("Owner and managers").getByText("Ana Ruiz")).toBeTruthy();
  });

  it("proposes the operator password before the first operator", async () => {
    const { calls } = await openOperators({ passwordSet: false, operators: [] });
    expect(screen.getByText("Not set")).toBeTruthy();
    press("Add Operator");
    const password = within(
      screen.getByRole("dialog", { name: "Set operator password" }),
    ).getByLabelText<HTMLInputElement>("Operator Password");
    expect(password.value).toMatch(/^[a-z]{6}-\d{4}$/);
    submit("Save settings");
    await screen.findByRole("dialog", { name: "Add Operator" });
    expect(calls).toEqual([["settings", password.value, undefined]]);
  });

  it("offers the card of an operator who was just added", async () => {
    await openOperators();
    press("Add Operator");
    type("First name", "Guillermo");
    type("Last name", "Ortiz");
    submit("Add Operator");
    await screen.findByRole("dialog", { name: "Operator Added Successfully" });
    submit("Print access card");
    expect(screen.getByRole("dialog", { name: "Print Access Cards" })).toBeTruthy();
  });

  it("returns the focus to the button that added the operator", async () => {
    await openOperators();
    const button = screen.getByRole("button", { name: "Add Operator" });
    button.focus();
    fireEvent.click(button);
    type("First name", "Guillermo");
    type("Last name", "Ortiz");
    submit("Add Operator");
    await screen.findByRole("dialog", { name: "Operator Added Successfully" });
    submit("Done");
    await waitFor(() => expect(document.activeElement).toBe(button));
  });

  it("warns while someone who left knows the password, and links to changing it", async () => {
    await openOperators({ stale: true });
    expect(screen.getByText(/Someone who left or has a personal password/)).toBeTruthy();
    press("Change operator password");
    expect(screen.getByRole("dialog", { name: "Company Settings" })).toBeTruthy();
  });

  it("shows how long ago each operator reported, and sorts by it", async () => {
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await openOperators({
      operators: [maria, luis, operatorNamed("Eva", "Soto", "eva1111")],
      lastReports: [
        [luis.id, ago(130)],
        [maria.id, ago(5)],
      ],
    });
    const rows = () =>
      table("Operators")
        .getAllByRole("row")
        .slice(1)
        .map((row) => row.textContent);
    expect(await screen.findByText("2 hours ago")).toBeTruthy();
    const headers = table("Operators").getAllByRole("columnheader");
    expect(headers.map((header) => header.textContent)).toEqual([
      "Name",
      "Login Username",
      "Created",
      "Last Report",
      "Actions",
    ]);
    press("Last Report");
    await waitFor(() =>
      expect(rows()).toEqual([
        expect.stringMatching(/^Luis.*2 hours ago/),
        expect.stringMatching(/^Maria.*5 minutes ago/),
        expect.stringMatching(/^Eva.*Never/),
      ]),
    );
  });

  it("copies a username", async () => {
    const copied: string[] = [];
    const writeText = (text: string) => Promise.resolve(void copied.push(text));
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
    await openOperators();
    press("Copy username maria4821");
    await expectToast("Username Copied");
    expect(copied).toEqual(["maria4821"]);
  });

  it("can be searched if there are many operators, ignoring case and accents", async () => {
    await openOperators({ operators: [...many, maria] });
    type("Search name or username", "NUNEZ 11");
    expect(await screen.findByText("1 of 13 operators")).toBeTruthy();
    expect(screen.queryByText("maria4821")).toBeNull();
    type("Search name or username", "nobody");
    fireEvent.click(await screen.findByRole("button", { name: "Clear search" }));
    expect(await screen.findByText("maria4821")).toBeTruthy();
  });

  it("links to the managers below many operators", async () => {
    await openOperators({ operators: many });
    fireEvent.click(await screen.findByRole("button", { name: "Owner and managers" }));
    const heading = screen.getByRole("heading", { name: "Owner and managers" });
    expect(document.activeElement).toBe(heading);
  });

  it("has no search for a few", async () => {
    await openOperators();
    expect(screen.queryByLabelText("Search name or username")).toBeNull();
  });
});

describe("while the people can't be loaded", () => {
  it("shows an error with a retry, and neither exports nor prints", async () => {
    const { calls, broken } = await openOperators({ peopleFail: true });
    expect(await screen.findAllByText("The operators could not be loaded.")).toBeTruthy();
    press("Export");
    press("Print Access Cards");
    expect(currentToast()).toBeNull();
    broken.people = false;
    press("Try again");
    expect(await screen.findByText("maria4821")).toBeTruthy();
    expect(calls).toEqual([]);
  });
});

describe("while a refresh fails", () => {
  it("shows only the error of an empty list", async () => {
    const { broken, queryClient } = await openOperators({ operators: [] });
    broken.people = true;
    await act(() => queryClient.refetchQueries());
    await screen.findByRole("button", { name: "Try again" });
    expect(screen.queryByText("No operators yet")).toBeNull();
    expect(screen.getByRole("heading", { name: "Operators", level: 2 })).toBeTruthy();
    press("Print Access Cards");
    expect(currentToast()).toBeNull();
    broken.people = false;
    press("Try again");
    expect(await screen.findByText("No operators yet")).toBeTruthy();
  });

  it("keeps the rows that were loaded beside the error", async () => {
    const { broken, queryClient } = await openOperators();
    broken.people = true;
    await act(() => queryClient.refetchQueries());
    await screen.findByRole("button", { name: "Try again" });
    expect(screen.getByText("maria4821")).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Operators (1)" })).toBeTruthy();
  });

  it("offers the card of an operator who was just added", async () => {
    const { broken } = await openOperators({ operators: [] });
    press("Add Operator");
    type("First name", "Guillermo");
    type("Last name", "Ortiz");
    broken.people = true;
    submit("Add Operator");
    fireEvent.click(await screen.findByRole("button", { name: "Print access card" }));
    expect(await screen.findByText("1 of 1 chosen")).toBeTruthy();
    expect(inDialog().getByRole("checkbox", { name: /Guillermo Ortiz/ })).toBeTruthy();
  });
});

describe("adding and editing an operator", () => {
  it.each([
    ["", ""],
    ["Guillermo", " "],
    [" ", "Ortiz"],
  ])("needs both names: %j, %j", async (first, last) => {
    const { calls } = await openOperators();
    press("Add Operator");
    type("First name", first);
    type("Last name", last);
    submit("Add Operator");
    await expectToast("Missing Information", "Please fill in all required fields.");
    expect(calls).toEqual([]);
  });

  it("shows the new username, and is empty the next time", async () => {
    const { calls } = await openOperators();
    press("Add Operator");
    type("First name", " Guillermo ");
    type("Last name", "Ortiz");
    submit("Add Operator");
    const done = await screen.findByRole("dialog", { name: "Operator Added Successfully" });
    expect(within(done).getByText("guillermo0917")).toBeTruthy();
    expect(document.activeElement).toBe(within(done).getByRole("button", { name: "Done" }));
    await expectToast(
      "Operator Added Successfully",
      "Sign in with username guillermo0917 and the company operator password.",
    );
    expect(calls).toEqual([["create", "Guillermo", "Ortiz"]]);
    submit("Done");
    press("Add Operator");
    expect(screen.getByLabelText("First name")).toHaveProperty("value", "");
  });

  it("that fails shows the reason, and keeps typed values", async () => {
    const { state } = await openOperators();
    state.refuse = refusal("Not today.");
    press("Add Operator");
    type("First name", "Guillermo");
    type("Last name", "Ortiz");
    submit("Add Operator");
    await expectToast("Failed to Add Employee", "Not today.");
    expect(screen.getByLabelText("First name")).toHaveProperty("value", "Guillermo");
  });

  it("changes the names", async () => {
    const { calls, state } = await openOperators();
    press("Edit Maria Lopez");
    type("Last name", "López ");
    state.refuse = refusal("Not today.");
    submit("Save");
    await expectToast("Failed to Update Operator", "Not today.");
    state.refuse = null;
    submit("Save");
    await expectToast("Operator Updated");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(calls[1]).toEqual(["update", maria.id, "Maria", "López"]);
  });
});

describe("Company Settings", () => {
  it("requires at least one change", async () => {
    const { calls } = await openOperators();
    press("Company Settings");
    press("Save settings");
    await expectToast("No Changes", "Please enter at least one setting to update.");
    await expectFormError("Please enter at least one setting to update.");
    expect(calls).toEqual([]);
  });

  it("sends only changed fields, and stores no password", async () => {
    const { calls, queryClient } = await openOperators();
    press("Company Settings");
    type("Operator Password", " field work ");
    press("Save settings");
    await expectToast("Settings Updated");
    expect(calls).toEqual([["settings", " field work ", undefined]]);
    expect(screen.queryByRole("dialog")).toBeNull();
    const kept = queryClient.getMutationCache().getAll();
    expect(JSON.stringify(kept.map((each) => each.state.variables))).not.toContain("field work");
  });

  it("that is refused shows the reason", async () => {
    const { state } = await openOperators();
    state.refuse = refusal("Not this name.");
    press("Company Settings");
    type("Company Name", "Acme Two");
    press("Save settings");
    await expectToast("Failed to Update Settings", "Not this name.");
    await expectFormError("Not this name.");
    expect(screen.getByLabelText("Company Name")).toHaveProperty("value", "Acme Two");
  });
});

describe("resetting a password", () => {
  it("is an action in the person's row", async () => {
    await openOperators();
    press("Reset the password of Maria Lopez");
    const dialog = await screen.findByRole("dialog", { name: "Reset the password of Maria Lopez" });
    expect(within(dialog).queryByLabelText("User")).toBeNull();
    expect(within(dialog).getByLabelText("New password")).toBeTruthy();
  });
});

describe("removing an operator", () => {
  const question = "Are you sure you want to remove Maria Lopez?";

  it("asks first", async () => {
    const { calls } = await openOperators();
    press("Remove Maria Lopez");
    const dialog = screen.getByRole("alertdialog", { name: question });
    fireEvent.click(within(dialog).getByRole("button", { name: "Remove operator" }));
    await expectToast("Operator Removed");
    expect(calls).toEqual([["delete", maria.id]]);
  });

  it("shows why it failed", async () => {
    const { state } = await openOperators();
    state.refuse = refusal("Not today.");
    press("Remove Maria Lopez");
    press("Remove operator");
    await expectToast("Failed to Remove Operator", "Not today.");
    expect(screen.getByRole("alertdialog", { name: question })).toBeTruthy();
  });
});

describe("without an active subscription", () => {
  it("adding and editing are disabled with the reason, removing works", async () => {
    const { calls } = await openOperators({ active: false });
    expect(
      await screen.findByText(/Your subscription is not active, so you can't add/),
    ).toBeTruthy();
    expect(screen.getByRole("link", { name: "Go to Subscription" })).toBeTruthy();
    for (const name of ["Add Operator", "Edit Maria Lopez", "Add manager", "Edit Zoe Hill"]) {
      press(name);
      expect(screen.queryByRole("dialog")).toBeNull();
    }
    press("Remove Maria Lopez");
    press("Remove operator");
    await expectToast("Operator Removed");
    expect(calls).toEqual([["delete", maria.id]]);
  });
});

describe("the export", () => {
  it("contains the operators on screen, with formulas neutralized", async () => {
    const files = catchDownloads();
    const hostile = operatorNamed("=HYPERLINK(1)", 'Quote", "Comma', "hyperlink10001");
    const reportedAt = new Date("2026-02-03T20:00:00Z");
    const lastReports: Array<[string, Date]> = [[luis.id, reportedAt]];
    await openOperators({ operators: [hostile, luis], lastReports, timeZone: "Asia/Tokyo" });
    await screen.findByText("Never");
    press("Export");
    await expectToast("Operators Exported");
    expect(files[0]?.name).toMatch(/^operators-\d{4}-\d{2}-\d{2}\.csv$/);
    await waitFor(() =>
      expect(files[0]?.text).toBe(
        "\uFEFFCompany,First Name,Last Name,Username,Role,Date Added,Last Report\r\n" +
          `Acme,'=HYPERLINK(1),"Quote"", ""Comma",hyperlink10001,Operator,2026-01-05,\r\n` +
          "Acme,Luis,Ortíz,luis3159,Operator,2026-01-05,2026-02-04\r\n",
      ),
    );
  });

  it("follows the search", async () => {
    const files = catchDownloads();
    await openOperators({ operators: [...many, maria], search: "maria" });
    press("Export");
    await expectToast("Operators Exported");
    await waitFor(() => expect(files[0]?.text.split("\r\n")).toHaveLength(3));
  });

  it("refuses to write an empty file", async () => {
    const files = catchDownloads();
    await openOperators({ operators: [] });
    press("Export");
    await expectToast("No Operators to Export", "Add operators to export their information.");
    expect(files).toEqual([]);
  });
});

describe("selected operators", () => {
  const eva = operatorNamed("Eva", "Soto", "eva1111");
  const open = (more = {}) => openOperators({ operators: [maria, luis, eva], ...more });
  const select = (name: string) => fireEvent.click(screen.getByLabelText(`Select ${name}`));

  it("are chosen with X and Shift in the order of the table", async () => {
    await open();
    press("Name");
    screen.getByRole("button", { name: "Copy username eva1111" }).focus();
    fireEvent.keyDown(document.activeElement ?? document.body, { key: "x" });
    expect(screen.getByLabelText("Select Eva Soto")).toHaveProperty("checked", true);
    screen.getByLabelText("Select Luis Ortíz").focus();
    fireEvent.keyDown(document.activeElement ?? document.body, { key: "X", shiftKey: true });
    expect(screen.getByText("2 operators selected")).toBeTruthy();
    fireEvent.click(screen.getByLabelText("Select Maria Lopez"), { shiftKey: true });
    expect(screen.getByText("3 operators selected")).toBeTruthy();
  });

  it("are exported and get their cards", async () => {
    const files = catchDownloads();
    await open();
    press("Select");
    select("Luis Ortíz");
    const bar = within(screen.getByRole("button", { name: "Done" }).parentElement ?? document.body);
    fireEvent.click(bar.getByRole("button", { name: "Export" }));
    await waitFor(() => expect(files[0]?.text).toContain("luis3159"));
    expect(files[0]?.text).not.toContain("maria4821");
    press("Print access cards");
    const dialog = await screen.findByRole("dialog", { name: "Print Access Cards" });
    expect(within(dialog).getByText("1 of 3 chosen")).toBeTruthy();
  });

  it("are removed after a question with figures", async () => {
    const { calls, state } = await open({ lastReports: [[luis.id, new Date()]] });
    press("Select");
    fireEvent.click(screen.getByLabelText("Select all 3 operators"));
    select("Maria Lopez");
    press("Remove");
    const dialog = within(screen.getByRole("alertdialog", { name: "Remove 2 operators?" }));
    expect(dialog.getByText("Luis Ortíz, Eva Soto")).toBeTruthy();
    await dialog.findByText("1 of them sent an update in the last 30 days.");
    state.refuse = refusal("Not today.");
    state.refuseId = eva.id;
    fireEvent.click(dialog.getByRole("button", { name: "Remove 2 operators" }));
    await dialog.findByText("1 operator was not removed:");
    await expectToast("Operator Removed", "1 operator can no longer sign in.");
    // The figures are of what is left.
    expect(screen.getByRole("alertdialog", { name: "Remove 1 operator?" })).toBeTruthy();
    expect(dialog.getByText("Eva Soto", { selector: "p" })).toBeTruthy();
    expect(dialog.queryByText(/sent an update in the last 30 days/)).toBeNull();
    state.refuse = null;
    fireEvent.click(dialog.getByRole("button", { name: "Try 1 operator again" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(calls).toEqual([
      ["delete", luis.id],
      ["delete", eva.id],
      ["delete", eva.id],
    ]);
  });
});

it("prints the operators on screen", async () => {
  await openOperators({
    operators: [...many, luis],
    search: "luis",
    lastReports: [[luis.id, new Date(2026, 1, 3, 12)]],
  });
  await screen.findByText(/ago$/);
  press("Print");
  const job = currentPrintJob();
  expect(job?.note).toBe("Operators (1) · search: luis");
  expect(job?.rows).toEqual([
    ["Luis Ortíz", "luis3159 · Personal password", "Jan 5, 2026", "Feb 3, 2026, 12:00 PM"],
  ]);
});
