import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import {
  SecurityEventKind,
  type Notification,
} from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { changeLanguage } from "#/i18n";
import { NavigationContext } from "#/shared/navigation";
import { currentToast } from "#/shared/toast/store";
import { operator, owner, renderApp, renderPart, stubRest } from "#/test/render-app";
import { NotificationBell } from "./bell";
import {
  failedPayment,
  flagged,
  notification,
  notificationsServer,
  returned,
  security,
  statusChange,
} from "./notifications.fixture";
import { NotificationsPage } from "./notifications-page";

const some = () => [
  notification(9, 0, { case: undefined }),
  notification(8, 0, flagged("Maria", "Excavator")),
  notification(7, 0, flagged("Luis", "Pickup", ["below_meter", "of_a_later_release"]), true),
  notification(4, 1, flagged("Maria", "Roller")),
];

/** The application at the page. */
async function visit(stored: Notification[], path = "/notifications", user: object = owner) {
  stubRest({ "GET /api/auth/user": { status: 200, body: user } });
  const { transport, state } = notificationsServer(stored);
  const app = await renderApp(path, transport);
  await screen.findByRole("heading", { level: 1, name: "Notifications" });
  return { ...app, state };
}

/** Only the page and the bell, so that a link does not leave it. */
async function stay(stored: Notification[]) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const { transport, state } = notificationsServer(stored);
  const go = vi.fn<(path: string) => Promise<void>>(async () => undefined);
  await renderPart(
    <NavigationContext value={{ path: "/notifications", go, prepare: () => undefined }}>
      <NotificationBell />
      <NotificationsPage search={{}} onSearch={() => undefined} />
    </NavigationContext>,
    transport,
  );
  return { state, go };
}

const row = (name: RegExp) => screen.findByRole("link", { name });
const bell = (name: string) => screen.findByRole("link", { name });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const choose = (name: string) => fireEvent.click(screen.getByRole("radio", { name }));
const plain = (text: string | null) => text?.replaceAll("\u202f", " ");

describe("the notifications of an owner", () => {
  it("are grouped by day, with one sentence, the time and a link each", async () => {
    await visit(some());
    const today = await screen.findByRole("region", { name: "Today" });
    const links = within(today).getAllByRole("link");
    expect(links.map(({ textContent }) => plain(textContent))).toEqual([
      "Unread: Maria reported Excavator: flagged for review Much more than usual 12:00 PM",
      "Luis reported Pickup: flagged for review Lower than an earlier reading · Flagged 12:00 PM",
    ]);
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
      "/review?update=u-Excavator",
      "/review?update=u-Pickup",
    ]);
    const yesterday = screen.getByRole("region", { name: "Yesterday" });
    expect(yesterday.textContent).toContain("Maria reported Roller");
  });

  it("follow the language", async () => {
    await visit(some());
    await row(/Excavator/);
    await changeLanguage("es");
    expect(await row(/^Sin leer: Maria reportó Excavator: necesita revisión/)).toBeTruthy();
    expect(screen.getByRole("heading", { level: 1, name: "Notificaciones" })).toBeTruthy();
  });

  it("name what happened to the account, and lead to the profile", async () => {
    await visit([
      notification(3, 0, security(SecurityEventKind.UNSPECIFIED, "")),
      notification(2, 0, security(SecurityEventKind.PASSWORD_CHANGED, "Chrome, Windows")),
    ]);
    const changed = await row(/Your password was changed Chrome, Windows/);
    expect(changed.getAttribute("href")).toBe("/profile");
    expect(await row(/The security of your account changed/)).toBeTruthy();
    await changeLanguage("es");
    expect(await row(/Se cambió tu contraseña/)).toBeTruthy();
  });

  it("name a failed payment and the end of the access, and lead to the subscription", async () => {
    await visit([notification(1, 0, failedPayment(new Date("2026-12-07T12:00:00Z")))]);
    const failed = await row(/Your last payment failed Everything stays open until Dec 7, 2026/);
    expect(failed.getAttribute("href")).toBe("/subscription");
    await changeLanguage("es");
    expect(await row(/El último pago no pasó Todo sigue abierto hasta el 7 dic 2026/)).toBeTruthy();
  });

  it("name a limit of the plan that is reached", async () => {
    await visit([notification(1, 0, { case: "limitReached", value: { limit: 15 } })]);
    const reached = await row(/Equipment limit reached: 15 of 15 Choose a larger plan/);
    expect(reached.getAttribute("href")).toBe("/subscription");
  });

  it("say whether a machine can be used, and lead to it", async () => {
    const statuses = ["out_of_service", "in_shop", "in_use", "standing", "of_a_later_release"];
    await visit(statuses.map((status, index) => notification(9 - index, 0, statusChange(status))));
    await row(/EX-01 out of service/);
    const sentences = () =>
      screen
        .getAllByRole("link", { name: /^(Unread|Sin leer): .*EX-01/ })
        .map(({ textContent }) => plain(textContent)?.replace(/^[^:]+: (.*) 12:00.*$/, "$1"));
    expect(sentences()).toEqual([
      "Rosa Díaz took EX-01 out of service",
      "Rosa Díaz sent EX-01 to the shop",
      "EX-01 is in use again Changed by Rosa Díaz",
      "EX-01 is standing, ready for use Changed by Rosa Díaz",
      "The operational status of EX-01 changed Changed by Rosa Díaz",
    ]);
    const link = await row(/to the shop/);
    expect(link.getAttribute("href")).toBe("/equipment/item/e");
    await act(() => changeLanguage("es"));
    expect(sentences()).toEqual([
      "Rosa Díaz dejó EX-01 fuera de servicio",
      "Rosa Díaz mandó EX-01 al taller",
      "EX-01 está otra vez en uso Lo cambió Rosa Díaz",
      "EX-01 está parado, listo para usarse Lo cambió Rosa Díaz",
      "Cambió el estado operativo de EX-01 Lo cambió Rosa Díaz",
    ]);
  });

  it("are read once their link is opened", async () => {
    const { router, state } = await visit(some());
    fireEvent.click(await row(/Excavator/));
    await waitFor(() => expect(router.state.location.pathname).toBe("/review"));
    expect(await bell("Notifications 2")).toBeTruthy();
    expect(state.marked).toEqual([[8n]]);
  });
});

describe("a mark", () => {
  it("is shown before the server responds, and a read one is not marked again", async () => {
    const { state, go } = await stay(some());
    const answered = Promise.withResolvers<void>();
    state.gate = answered.promise;
    await bell("Notifications 3");
    fireEvent.click(await row(/^Unread: Maria reported Excavator/));
    await row(/^Maria reported Excavator/);
    await bell("Notifications 2");
    expect(go).toHaveBeenCalledWith("/review?update=u-Excavator");
    fireEvent.click(await row(/^Luis reported/));
    answered.resolve();
    await waitFor(() => expect(state.marked).toEqual([[8n]]));
  });

  it("is taken back if the server fails", async () => {
    const { state } = await stay(some());
    const answered = Promise.withResolvers<void>();
    state.gate = answered.promise;
    state.fails.add("mark");
    fireEvent.click(await row(/^Unread: Maria reported Excavator/));
    await row(/^Maria reported Excavator/);
    // The list can't be loaded again.
    state.fails.add("list");
    answered.resolve();
    expect(await row(/^Unread: Maria reported Excavator/)).toBeTruthy();
    expect(await bell("Notifications 3")).toBeTruthy();
  });

  it("of all goes up to the newest one on screen", async () => {
    const { state } = await stay(some());
    await row(/Excavator/);
    press("Mark all as read");
    await waitFor(() => expect(state.markedUpTo).toEqual([8n]));
    await waitFor(() => expect(screen.queryAllByRole("link", { name: /^Unread/ })).toEqual([]));
    expect(screen.queryByRole("button", { name: "Mark all as read" })).toBeNull();
  });

  it("of all says that it has failed", async () => {
    const { state } = await stay(some());
    state.fails.add("mark");
    await row(/Excavator/);
    press("Mark all as read");
    await waitFor(() =>
      expect(currentToast()).toMatchObject({ tone: "failure", title: "Not marked as read" }),
    );
    expect(await row(/^Unread: Maria reported Excavator/)).toBeTruthy();
  });
});

describe("the filter", () => {
  it("is in the address", async () => {
    const { router } = await visit(some());
    await row(/Luis/);
    choose("Unread");
    await waitFor(() => expect(screen.queryByRole("link", { name: /Luis/ })).toBeNull());
    expect(router.state.location.search).toEqual({ unread: true });
    expect(await row(/Excavator/)).toBeTruthy();
    choose("All");
    await row(/Luis/);
    expect(router.state.location.search).toEqual({});
  });

  it("is applied from the address", async () => {
    await visit(some(), "/notifications?unread=true");
    await row(/Excavator/);
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "Unread" }).checked).toBe(true);
    expect(screen.queryByRole("link", { name: /Luis/ })).toBeNull();
  });
});

describe("without notifications", () => {
  it("the page says what will appear", async () => {
    await visit([]);
    await screen.findByText("No notifications yet");
    expect(screen.getByText(/flagged for review appear here/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Mark all as read" })).toBeNull();
  });

  it("of this release it is empty, too", async () => {
    await visit([notification(1, 0, { case: undefined })]);
    expect(await screen.findByText("No notifications yet")).toBeTruthy();
  });

  it("that are unread it leads to all", async () => {
    await visit(
      [notification(1, 0, flagged("Luis", "Pickup"), true)],
      "/notifications?unread=true",
    );
    await screen.findByText("No unread notifications");
    press("Show all");
    expect(await row(/Luis/)).toBeTruthy();
  });
});

it("shows a failure with a retry", async () => {
  const stored = some();
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const { transport, state } = notificationsServer(stored);
  state.fails.add("list");
  await renderApp("/notifications", transport);
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("The notifications could not be loaded.");
  state.fails.clear();
  press("Try again");
  expect(await row(/Excavator/)).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});

it("loads older ones at the end of the list", async () => {
  let reach = () => undefined as void;
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(callback: (entries: Array<{ isIntersecting: boolean }>) => void) {
        reach = () => callback([{ isIntersecting: true }]);
      }
      observe() {}
      disconnect() {}
    },
  );
  const many = Array.from({ length: 60 }, (_, index) =>
    notification(60 - index, index, flagged("Maria", `Machine ${60 - index}`), true),
  );
  const { state } = await visit(many);
  await row(/Machine 11\b/);
  expect(screen.queryByRole("link", { name: /Machine 10\b/ })).toBeNull();
  state.fails.add("list");
  reach();
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("The older notifications could not be loaded.");
  state.fails.clear();
  press("Try again");
  await row(/Machine 1\b/);
  expect(state.cursors).toEqual(["", "50", "50"]);
});

it("tells an operator who rejected an update and why, and leads to their updates", async () => {
  const stored = [
    notification(2, 0, returned("Excavator", "Equipo equivocado")),
    notification(1, 0, returned("Pickup", "", true), true),
  ];
  await visit(stored, "/notifications", operator);
  const first = await row(/Excavator/);
  expect(plain(first.textContent)).toBe(
    "Unread: Dana Ruiz rejected your update for Excavator “Wrong machine” 12:00 PM",
  );
  expect(first.getAttribute("href")).toBe("/");
  expect(plain((await row(/Pickup/)).textContent)).toBe(
    "Dana Ruiz took back what was applied of your update for Pickup 12:00 PM",
  );
  expect(await bell("Notifications 1")).toBeTruthy();
});

it("leads an operator from a machine to their own page, because operators see no pages of machines", async () => {
  await visit([notification(1, 0, statusChange("out_of_service"))], "/notifications", operator);
  expect((await row(/out of service/)).getAttribute("href")).toBe("/");
});
