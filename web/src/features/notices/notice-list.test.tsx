import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { operator, owner, renderApp, stubRest } from "#/test/render-app";

const kinds = [
  "password_recovered",
  "password_set_by_owner",
  "operator_sign_ins_blocked",
  "session_reused",
];
const notices = (of: readonly string[]) =>
  of.map((kind, index) => ({ id: `n-${kind}`, kind, at: `2026-11-1${index}T15:30:00Z` }));

/** A page with these notices; `dismissed` are the ids sent to the server. */
async function show(user: object, of: readonly string[], refuse = false) {
  const dismissed: string[] = [];
  const transport = createRouterTransport(({ rpc }) => {
    rpc(AccountsService.method.dismissNotice, ({ id }) => {
      dismissed.push(id);
      if (refuse) throw new ConnectError("Too busy right now.", Code.Unavailable);
      return {};
    });
  });
  const body = { ...user, notices: notices(of) };
  stubRest({ "GET /api/auth/user": { status: 200, body } });
  await renderApp("/profile", transport);
  await screen.findByRole("heading", { level: 1, name: "Profile" });
  return { dismissed };
}

const rows = async () => within(await list()).findAllByRole("listitem");
const list = async () => {
  const row = await screen.findAllByRole("button", { name: /^Dismiss: / });
  const region = row[0]?.closest<HTMLElement>("[role=status]");
  if (!region) throw new Error("Notices are announced");
  return region;
};

const showAll = async () =>
  fireEvent.click(await screen.findByRole("button", { name: "Show 3 more notices" }));

describe("notices", () => {
  it("show an owner what happened and when, newest first, with an action", async () => {
    await show(owner, kinds);
    await showAll();
    const shown = (await rows()).map((row) => ({
      title: row.querySelector("span")?.textContent,
      at: row.querySelector("time")?.getAttribute("datetime"),
      link: row.querySelector("a")?.getAttribute("href"),
    }));
    expect(shown).toEqual([
      { title: "An old sign-in was used again", at: "2026-11-13T15:30:00Z", link: "/profile" },
      {
        title: "Operator sign-ins were limited",
        at: "2026-11-12T15:30:00Z",
        link: "/employees",
      },
      {
        title: "A new password was set for you",
        at: "2026-11-11T15:30:00Z",
        link: "/profile",
      },
      { title: "Your password was reset", at: "2026-11-10T15:30:00Z", link: "/profile" },
    ]);
  });

  it("offer an operator no page that operators don't have", async () => {
    await show(operator, kinds);
    await showAll();
    const shown = await rows();
    expect(shown).toHaveLength(4);
    expect(within(await list()).queryByRole("link")).toBeNull();
    expect(screen.getByText("You now have your own password")).toBeTruthy();
  });

  it("show the newest first, the others on request", async () => {
    await show(owner, kinds);
    await screen.findByRole("button", { name: "Show 3 more notices" });
    expect(screen.getAllByRole("button", { name: /^Dismiss: / })).toHaveLength(1);
    expect(screen.getByText("An old sign-in was used again")).toBeTruthy();
    await showAll();
    expect(await rows()).toHaveLength(4);
    expect(document.activeElement).toBe(await list());
  });

  it("read in Spanish too", async () => {
    await show(owner, ["password_recovered"]);
    await rows();
    await changeLanguage("es");
    expect(await screen.findByText("Tu contraseña se restableció")).toBeTruthy();
  });

  it("of an unknown kind are omitted", async () => {
    await show(owner, ["password_recovered", "something_new"]);
    expect(await rows()).toHaveLength(1);
  });

  it("disappear immediately when dismissed, and the server is called", async () => {
    const { dismissed } = await show(owner, ["password_recovered", "session_reused"]);
    await rows();
    fireEvent.click(screen.getByRole("button", { name: "Dismiss: Your password was reset" }));
    await waitFor(() => expect(screen.queryByText("Your password was reset")).toBeNull());
    expect(screen.getByText("An old sign-in was used again")).toBeTruthy();
    await waitFor(() => expect(dismissed).toEqual(["n-password_recovered"]));
    expect(currentToast()).toBeNull();
    expect(document.activeElement).toBe(await list());
    fireEvent.click(screen.getByRole("button", { name: /^Dismiss: / }));
    await waitFor(() => expect(screen.queryByRole("button", { name: /^Dismiss: / })).toBeNull());
    expect(document.activeElement).toBe(screen.getByRole("heading", { level: 1 }));
  });

  it("are restored when the call fails, with the reason", async () => {
    const { dismissed } = await show(owner, ["password_recovered"], true);
    await rows();
    fireEvent.click(screen.getByRole("button", { name: "Dismiss: Your password was reset" }));
    await waitFor(() => expect(dismissed).toHaveLength(1));
    await waitFor(() =>
      expect(currentToast()).toMatchObject({
        tone: "failure",
        title: "The notice could not be dismissed",
        description: "The service is busy at the moment. Please try again shortly.",
      }),
    );
    expect(await rows()).toHaveLength(1);
  });
});
