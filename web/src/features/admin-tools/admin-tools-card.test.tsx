import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { AccountsService, Role } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { settlePasswordRequest } from "#/session/reauth";
import { sessionQuery } from "#/session/session";
import { currentToast } from "#/shared/toast/store";
import { reauthRequired } from "#/test/refusal";
import { owner, stubRest } from "#/test/render-app";
import { renderRouted } from "#/test/render-routed";
import { AdminToolsCard } from "./admin-tools-card";

const people = [
  {
    id: "o1",
    firstName: "Maria",
    lastName: "Lopez",
    role: Role.OPERATOR,
    operatorUsername: "maria4821",
    hasPersonalPassword: true,
  },
  { id: "u1", firstName: "Ana", lastName: "Ruiz", role: Role.OWNER, email: "ana@acme.test" },
  { id: "m1", firstName: "Zoe", lastName: "Hill", role: Role.MANAGER, email: "zoe@acme.test" },
  { id: "o2", firstName: "Luis", lastName: "", role: Role.OPERATOR, operatorUsername: "luis3159" },
];

async function open({
  as = "owner",
  employees = people,
}: { as?: "owner" | "manager"; employees?: typeof people } = {}) {
  const self = as === "owner" ? owner : { ...owner, id: "m1", role: "manager" };
  stubRest({ "GET /api/auth/user": { status: 200, body: self } });
  const calls: unknown[] = [];
  const state = { refuse: null as ConnectError | null };
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      listEmployees: () => ({ employees }),
      resetUserPassword: ({ userId, newPassword }) => {
        calls.push([userId, newPassword]);
        if (state.refuse) throw state.refuse;
        return {};
      },
    });
  });
  const { queryClient } = await renderRouted(<AdminToolsCard />, transport);
  await queryClient.fetchQuery(sessionQuery);
  fireEvent.click(screen.getByRole("button", { name: "Reset a password" }));
  await screen.findByText(employees === people ? "User" : "No one else yet");
  return { calls, state, queryClient };
}

const offered = () =>
  within(screen.getByLabelText("User"))
    .getAllByRole("option")
    .slice(1)
    .map((option) => option.textContent);
const fill = (user: string, password: string, again = password) => {
  const type = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  type("User", user);
  type("New password", password);
  type("Confirm password", again);
};
const submit = () => fireEvent.click(screen.getByRole("button", { name: "Reset password" }));
const expectToast = async (title: string, text?: string) => {
  await waitFor(() => expect(currentToast()?.title).toBe(title));
  if (text) expect(currentToast()?.description).toBe(text);
};

describe("whose password can be reset", () => {
  it("is everyone's but one's own, managers first", async () => {
    await open();
    await waitFor(() =>
      expect(offered()).toEqual([
        "Zoe Hill · Manager · zoe@acme.test",
        "Luis · Operator · luis3159",
        "Maria Lopez · Operator · maria4821",
      ]),
    );
  });

  it("is not the owner's for a manager", async () => {
    await open({ as: "manager" });
    await waitFor(() => expect(offered()).toHaveLength(2));
    expect(offered().join()).not.toMatch(/Ana|Zoe/);
  });

  it("links to Operators while there are no other people", async () => {
    await open({ employees: people.slice(1, 2) });
    expect(screen.getByRole("link", { name: "Go to Operators" })).toBeTruthy();
  });
});

describe("what is refused before it is sent", () => {
  it.each([
    ["", "secret1", "secret1", "User Required", "Please choose a user."],
    ["o1", "12345", "12345", "Password Too Short", "Password must be at least 6 characters."],
    ["o1", "secret1", "secret2", "Password Mismatch", "Passwords do not match."],
  ])("user %j, %j, %j: %s", async (user, password, again, title, text) => {
    const { calls } = await open();
    fill(user, password, again);
    submit();
    await expectToast(title, text);
    expect(screen.getAllByText(text).length).toBeGreaterThan(0);
    expect(calls).toEqual([]);
  });
});

describe("the reset", () => {
  it("is confirmed once, and no password is stored", async () => {
    const { calls, queryClient } = await open();
    fill("o2", "s3cret-pass");
    submit();
    submit();
    await expectToast("Password Reset Successful");
    expect(calls).toEqual([["o2", "s3cret-pass"]]);
    expect(screen.getByLabelText("New password")).toHaveProperty("value", "");
    expect(screen.getByLabelText("Confirm password")).toHaveProperty("value", "");
    const kept = queryClient.getMutationCache().getAll();
    expect(JSON.stringify(kept.map((each) => each.state))).not.toContain("s3cret-pass");
  });

  it("that is refused shows the server's message, and keeps typed values", async () => {
    const { state } = await open();
    state.refuse = new ConnectError("Not this one.", Code.InvalidArgument);
    fill("o2", "s3cret-pass");
    submit();
    await expectToast("Reset Failed", "Not this one.");
    expect(screen.getByLabelText("New password")).toHaveProperty("value", "s3cret-pass");
    state.refuse = new ConnectError("", Code.Internal);
    submit();
    await waitFor(() => expect(currentToast()?.description).toBe("Failed to reset password."));
  });

  it.each([
    ["repeats the call once the password is confirmed", true, 2, ""],
    ["sends nothing more and keeps what was typed without it", false, 1, "s3cret-pass"],
  ])("with a sign-in that is too old: %s", async (_, confirmed, sent, typed) => {
    const { calls, state } = await open();
    state.refuse = reauthRequired();
    fill("o2", "s3cret-pass");
    submit();
    await waitFor(() => expect(calls).toHaveLength(1));
    state.refuse = null;
    await waitFor(() => {
      settlePasswordRequest(confirmed);
      expect(screen.getByRole("button", { name: "Reset password" })).toBeTruthy();
      expect(screen.getByLabelText("New password")).toHaveProperty("value", typed);
    });
    expect(calls).toHaveLength(sent);
  });

  it("offers the shared operator password only for operators with a personal one", async () => {
    const { calls } = await open();
    const name = "Use the shared operator password again";
    fireEvent.change(screen.getByLabelText("User"), { target: { value: "o2" } });
    expect(screen.queryByRole("button", { name })).toBeNull();
    fireEvent.change(screen.getByLabelText("User"), { target: { value: "o1" } });
    fireEvent.click(screen.getByRole("button", { name }));
    const question = await screen.findByRole("alertdialog");
    fireEvent.click(within(question).getByRole("button", { name: "Use the shared password" }));
    await expectToast("Password Reset Successful");
    expect(calls).toEqual([["o1", undefined]]);
  });
});
