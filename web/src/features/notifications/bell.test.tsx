import { act, screen, waitFor } from "@testing-library/react";
import * as v from "valibot";
import { afterEach, expect, it, vi } from "vitest";
import { dispatch } from "#/session/state";
import { userSchema } from "#/session/user";
import { NavigationContext } from "#/shared/navigation";
import { operator, renderPart } from "#/test/render-app";
import { NotificationBell } from "./bell";
import { flagged, notification, notificationsServer } from "./notifications.fixture";

afterEach(() => vi.restoreAllMocks());

const navigation = { path: "/", go: async () => undefined, prepare: () => undefined };

async function open(unread: number) {
  const stored = Array.from({ length: unread }, (_, index) =>
    notification(unread - index, 0, flagged("Maria", "Excavator")),
  );
  const { transport, state } = notificationsServer(stored);
  const part = await renderPart(
    <NavigationContext value={navigation}>
      <NotificationBell />
    </NavigationContext>,
    transport,
  );
  return { ...part, state };
}

it.each([
  [3, "Notifications 3", "3"],
  [99, "Notifications 99", "99"],
  [100, "Notifications 99+", "99+"],
])("shows %i unread notifications, also in its name", async (unread, name, text) => {
  await open(unread);
  const bell = await screen.findByRole("link", { name });
  expect(bell.textContent).toBe(text);
  expect(bell.getAttribute("href")).toBe("/notifications");
});

it("shows no number for 0", async () => {
  const { queryClient } = await open(0);
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(screen.getByRole("link", { name: "Notifications" }).textContent).toBe("");
});

it("keeps the last known number without a connection", async () => {
  await open(3);
  await screen.findByRole("link", { name: "Notifications 3" });
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  act(() => void window.dispatchEvent(new Event("offline")));
  expect(screen.getByRole("link", { name: "Notifications 3" }).textContent).toBe("3");
});

it("does not ask the server after the end of the session", async () => {
  const { queryClient, state } = await open(3);
  await screen.findByRole("link", { name: "Notifications 3" });
  act(() => dispatch({ type: "enteredByPin", user: v.parse(userSchema, operator) }));
  await queryClient.invalidateQueries();
  expect(state.counted).toBe(1);
});
