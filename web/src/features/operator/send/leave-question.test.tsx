import { act, fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { mayLogout } from "#/session/logout-guard";
import { LeaveQuestion } from "./leave-question";

vi.mock(import("#/device/enrolled"), async (original) => ({
  ...(await original()),
  senderIds: () => Promise.resolve(["maria"]),
}));

it.each([
  ["maria", "It stays on this phone and is sent automatically when there is signal."],
  ["juan", "It stays on this device and is sent when you sign in here again."],
])("says how the unsent update of %s is sent", async (userId, text) => {
  render(<LeaveQuestion userId={userId} unsent={1} unknown={false} />);
  const answer = mayLogout();
  expect((await screen.findByRole("alertdialog")).textContent).toContain(text);
  fireEvent.click(screen.getByRole("button", { name: "Sign out anyway" }));
  await act(async () => expect(await answer).toBe(true));
});

it("asks without signal if the phone has no PIN of the user", async () => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  render(<LeaveQuestion userId="juan" unsent={0} unknown={false} />);
  const answer = mayLogout();
  const question = await screen.findByRole("alertdialog");
  expect(question.textContent).toContain("You have no PIN on this phone.");
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await act(async () => expect(await answer).toBe(false));
});

it.each([
  ["juan", true],
  ["maria", false],
])("does not ask %s without unsent updates, with signal %s", async (userId, online) => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(online);
  render(<LeaveQuestion userId={userId} unsent={0} unknown={false} />);
  expect(await mayLogout()).toBe(true);
});
