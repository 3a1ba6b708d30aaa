import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { AccountsService, Role } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { currentToast, toast } from "#/shared/toast/store";
import { renderPart } from "#/test/render-app";
import { OperatorsPage } from "./operators-page";

const maria = {
  id: "o1",
  firstName: "Maria",
  lastName: "Lopez",
  role: Role.OPERATOR,
  operatorUsername: "maria4821",
};
const ana = { id: "u1", firstName: "Ana", lastName: "Ruiz", role: Role.OWNER };

async function open({ passwordSet = true, operators = [maria], fail = false } = {}) {
  const calls: unknown[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      getCompanySettings: () => ({
        settings: { companyName: "Acme", operatorPasswordSet: passwordSet },
      }),
      listEmployees: () => ({ employees: [...operators, ana] }),
      createOperator: ({ firstName, lastName }) => {
        calls.push(["create", firstName, lastName]);
        return { employee: { ...maria, firstName, lastName, operatorUsername: "guillermo0917" } };
      },
      updateCompanySettings: ({ operatorPassword, companyName }) => {
        calls.push(["settings", operatorPassword, companyName]);
        return {};
      },
      deleteOperator: ({ id }) => {
        calls.push(["delete", id]);
        if (fail) throw new ConnectError("Not today.", Code.FailedPrecondition);
        return {};
      },
    });
  });
  await renderPart(<OperatorsPage />, transport);
  await screen.findByText("Acme");
  return calls;
}

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const type = (name: string, value: string) =>
  fireEvent.change(screen.getByLabelText(name), { target: { value } });

beforeEach(() => toast.dismiss());

describe("the page", () => {
  it("lists operators only, with their count", async () => {
    await open();
    expect(await screen.findByRole("heading", { name: "Operators (1)" })).toBeTruthy();
    expect(screen.getByText("maria4821")).toBeTruthy();
    expect(screen.queryByText("Ana Ruiz")).toBeNull();
  });

  it("guides to the operator password first, then to the first operator", async () => {
    await open({ passwordSet: false, operators: [] });
    expect(screen.getByText("Not set")).toBeTruthy();
    fireEvent.click(await screen.findByRole("button", { name: "Set Operator Password" }));
    expect(screen.getByRole("dialog", { name: "Company Settings" })).toBeTruthy();
  });

  it("copies a username", async () => {
    const copied: string[] = [];
    const writeText = (text: string) => Promise.resolve(void copied.push(text));
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
    await open();
    fireEvent.click(await screen.findByRole("button", { name: "Copy username maria4821" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Username Copied"));
    expect(copied).toEqual(["maria4821"]);
  });
});

describe("adding an operator", () => {
  it("needs both names", async () => {
    const calls = await open();
    press("Add Operator");
    fireEvent.click(
      within(screen.getByRole("dialog")).getByRole("button", { name: "Add Operator" }),
    );
    await waitFor(() => expect(currentToast()?.title).toBe("Missing Information"));
    expect(currentToast()?.description).toBe("Please fill in all required fields.");
    expect(calls).toEqual([]);
  });

  it("shows the username that was made", async () => {
    const calls = await open();
    press("Add Operator");
    type("First Name", " Guillermo ");
    type("Last Name", "Ortiz");
    fireEvent.click(
      within(screen.getByRole("dialog")).getByRole("button", { name: "Add Operator" }),
    );
    const done = await screen.findByRole("dialog", { name: "Operator Added Successfully" });
    expect(within(done).getByText("guillermo0917")).toBeTruthy();
    expect(within(done).getByRole("button", { name: "Copy username guillermo0917" })).toBeTruthy();
    expect(calls).toEqual([["create", "Guillermo", "Ortiz"]]);
  });
});

describe("Company Settings", () => {
  it("wants at least one change", async () => {
    const calls = await open();
    press("Company Settings");
    press("Save Settings");
    await waitFor(() => expect(currentToast()?.title).toBe("No Changes"));
    expect(screen.getByRole("alert").textContent).toBe(
      "Please enter at least one setting to update.",
    );
    expect(calls).toEqual([]);
  });

  it("sends only what was changed", async () => {
    const calls = await open();
    press("Company Settings");
    type("Operator Password", " field work ");
    press("Save Settings");
    await waitFor(() => expect(currentToast()?.title).toBe("Settings Updated"));
    expect(calls).toEqual([["settings", " field work ", undefined]]);
  });
});

describe("removing an operator", () => {
  it("asks first", async () => {
    const calls = await open();
    fireEvent.click(await screen.findByRole("button", { name: "Remove Maria Lopez" }));
    const question = screen.getByRole("alertdialog", {
      name: "Are you sure you want to remove Maria Lopez?",
    });
    fireEvent.click(within(question).getByRole("button", { name: "Remove Operator" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Operator Removed"));
    expect(calls).toEqual([["delete", "o1"]]);
  });

  it("tells why it failed", async () => {
    await open({ fail: true });
    fireEvent.click(await screen.findByRole("button", { name: "Remove Maria Lopez" }));
    press("Remove Operator");
    await waitFor(() => expect(currentToast()?.title).toBe("Failed to Remove Operator"));
    expect(currentToast()?.description).toBe("Not today.");
  });
});
