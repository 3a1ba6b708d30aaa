import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import * as v from "valibot";
import { describe, expect, it, vi } from "vitest";
import { dispatch } from "#/session/state";
import { userSchema } from "#/session/user";
import { operator, type Answer } from "#/test/render-app";
import { ago, machine, ownUpdate as update, refusal, unavailable } from "./operator.fixture";
import { choose, open, press, textOf, type, valueOf } from "./operator-page.fixture";

it("by PIN, without a session, names what the list of updates needs", async () => {
  await open();
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}", { status: 401 })));
  act(() => dispatch({ type: "enteredByPin", user: v.parse(userSchema, operator) }));
  fireEvent.click(await screen.findByRole("button", { name: "Refresh" }));
  expect(await screen.findByText(/^Sign in with your password while you have signal/)).toBeTruthy();
  expect(screen.queryByText("Your updates could not be loaded.")).toBeNull();
});

describe("an unsent update", () => {
  it("is kept while offline and sent on request", async () => {
    let reachable = false;
    const { received } = await open({
      answer: () => {
        if (!reachable) return unavailable;
      },
    });
    await choose(/Excavator/);
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    // Without IndexedDB the page must not claim that the update is saved.
    expect((await screen.findAllByText("Not saved on this device")).length).toBeGreaterThan(0);
    expect(screen.queryByText("Saved")).toBeNull();
    expect(await screen.findByRole("group", { name: "Not saved on this device" })).toBeTruthy();
    expect(await screen.findByText("1 update is not sent yet")).toBeTruthy();
    expect(screen.getAllByText("On phone").length).toBeGreaterThan(0);
    reachable = true;
    press("Send now");
    expect(await screen.findByText("Everything is sent.")).toBeTruthy();
    expect(new Set(received.map((request) => request.clientId)).size).toBe(1);
  });

  it("is kept for correction with the server's reason after a refusal", async () => {
    const { received } = await open({
      answer: (request) => {
        if (request.newUsage === 4811) return refusal("Not possible.");
      },
    });
    await choose(/Excavator/);
    type("Meter reading (hours)", "4811");
    press("Submit");
    expect((await screen.findAllByText("Update Failed")).length).toBeGreaterThan(0);
    expect(await screen.findByText("1 update was not accepted")).toBeTruthy();
    const notice = await screen.findByText(/You are correcting an update/);
    expect(notice.textContent).toContain("Not possible.");
    expect(valueOf("Meter reading (hours)")).toBe("4811");
    type("Meter reading (hours)", "4812");
    press("Submit");
    expect(await screen.findByText("Everything is sent.")).toBeTruthy();
    expect(received.map((request) => request.newUsage)).toEqual([4811, 4812]);
    expect(screen.queryByText("Not accepted")).toBeNull();
  });

  it("requires a confirmation before logout", async () => {
    const { queryClient } = await open({
      answer: () => {
        return unavailable;
      },
    });
    await choose(/Excavator/);
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    await screen.findByText("1 update is not sent yet");
    fireEvent.click(screen.getAllByRole("button", { name: "Logout" })[0] ?? document.body);
    const asked = await screen.findByRole("alertdialog", { name: "Sign out with unsent updates?" });
    fireEvent.click(within(asked).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(queryClient.getQueryData(["session"])).toMatchObject({ id: operator.id });
    fireEvent.click(screen.getAllByRole("button", { name: "Logout" })[0] ?? document.body);
    fireEvent.click(await screen.findByRole("button", { name: "Sign out anyway" }));
    await waitFor(() => expect(queryClient.getQueryData(["session"])).toBeNull());
  });
});

/** Submits without an answer of the server, and presses Discard. */
async function askToDiscard(answer: () => Answer | Promise<Answer> = () => unavailable) {
  const { queryClient } = await open({ answer });
  await choose(/Excavator/);
  type("Meter reading (hours)", "4812.5");
  press("Submit");
  await screen.findByText("1 update is not sent yet");
  fireEvent.click(await screen.findByRole("button", { name: "Discard" }));
  const asked = await screen.findByRole("alertdialog", { name: "Discard this update?" });
  return { asked, queryClient };
}

it("keeps the question of a discard open while the update is retried", async () => {
  let retried = false;
  let first = true;
  const { asked } = await askToDiscard(() => {
    if (!first) {
      retried = true;
      return new Promise(() => undefined);
    }
    first = false;
    return unavailable;
  });
  fireEvent.click(screen.getByRole("button", { name: "Send now", hidden: true }));
  await waitFor(() => expect(retried).toBe(true));
  await waitFor(() => expect(screen.queryByText("Discard", { selector: "li *" })).toBeNull());
  expect(asked.isConnected).toBe(true);
  fireEvent.click(within(asked).getByRole("button", { name: "Discard" }));
  expect(await screen.findByText("Everything is sent.")).toBeTruthy();
});

it("with the shared password, a discard does not promise a withdrawal", async () => {
  const { asked, queryClient } = await askToDiscard();
  queryClient.setQueryData(["session"], { ...operator, operatorUsername: null });
  await waitFor(() => expect(asked.textContent).toContain("it appears in your list."));
  expect(asked.textContent).not.toContain("withdraw");
});

it("allows discarding of an update that waits for signal", async () => {
  const { asked } = await askToDiscard();
  expect(asked.textContent).toContain("it appears in your list, where you can withdraw it.");
  fireEvent.click(within(asked).getByRole("button", { name: "Discard" }));
  expect(await screen.findByText("Everything is sent.")).toBeTruthy();
});

describe("own updates", () => {
  const rejected = update("r1", {
    newUsage: 48125,
    status: "rejected",
    rejectReason: "One digit too many",
    reviewedAt: ago(0.1),
  });

  it("are grouped by day, newest first, with their status", async () => {
    await open({
      sent: [
        update("u1", { newUsage: 4804, status: "applied", capturedAt: ago(1) }),
        update("u2", { notes: "Oil leak", capturedAt: new Date() }),
        update("u3", { newUsage: 4790, status: "recent", capturedAt: ago(2) }),
      ],
    });
    const list = await screen.findByRole("region", { name: "Your updates" });
    await within(list).findByText("Today");
    const titles = within(list).getAllByRole("heading", { level: 3 });
    expect(titles.map((title) => title.textContent).slice(0, 2)).toEqual(["Today", "Yesterday"]);
    const states = within(list).getAllByText(/^(Sent, waiting|Applied)/);
    expect(states.map((state) => state.textContent)).toEqual([
      "Sent, waiting for review",
      "Applied",
      "Applied automatically",
    ]);
  });

  it("have the note of a replaced meter in the language of the page", async () => {
    await open({ sent: [update("u1", { newUsage: 3, notes: "Medidor cambiado" })] });
    const list = await screen.findByRole("region", { name: "Your updates" });
    expect(await within(list).findByText("Meter replaced")).toBeTruthy();
  });

  it("have the machine's unit number in front of its name", async () => {
    await open({
      sent: [update("u1", { newUsage: 4800 })],
      machines: [machine("e1", "Excavator", { unitNumber: "EX-07" })],
    });
    const list = await screen.findByRole("region", { name: "Your updates" });
    await waitFor(() => expect(list.textContent).toContain("EX-07 Excavator"));
  });

  it("show what was applied instead of what was sent", async () => {
    const applied = { status: "applied" as const, capturedAt: ago(0.5) };
    await open({
      sent: [
        update("u1", { ...applied, newUsage: 48125, appliedReading: 4812.5 }),
        update("u2", { ...applied, newUsage: 4812.5, appliedReading: 4812.5 }),
        update("u3", {
          ...applied,
          newUsage: 4820,
          fuelAdded: 400,
          appliedFuel: 40,
          capturedAt: ago(1),
        }),
      ],
    });
    const list = await screen.findByRole("region", { name: "Your updates" });
    const lines = await within(list).findAllByText(/^Applied as/);
    expect(lines.map(textOf)).toEqual([
      "Applied as 4,812.5 h, you sent 48,125 h",
      "Applied as 40.0 gal gas, you sent 400.0 gal gas",
    ]);
  });

  it("keep the unit of their capture when the machine's unit changes", async () => {
    const changed = { newUsage: 20_200, unit: "hours" as const };
    await open({
      sent: [
        update("u1", changed),
        update("u2", {
          ...changed,
          status: "applied",
          appliedReading: 1020,
          flags: ["wrong_unit"],
        }),
        update("u3", { ...changed, status: "applied", appliedReading: 2020 }),
      ],
      machines: [machine("e1", "Excavator", { unit: "miles" })],
    });
    const list = await screen.findByRole("region", { name: "Your updates" });
    await waitFor(() => expect(textOf(list)).toContain("20,200 h"));
    expect(textOf(list)).not.toContain("20,200 mi");
    expect(textOf(list)).toContain("Applied as 1,020 mi, you sent 20,200 h");
    expect(textOf(list)).toContain("Applied as 2,020 h, you sent 20,200 h");
  });

  it("are shown in portions", async () => {
    const many = Array.from({ length: 40 }, (_, index) =>
      update(`u${index}`, { notes: `Note ${index}`, capturedAt: ago(index / 10) }),
    );
    await open({ sent: many });
    const list = await screen.findByRole("region", { name: "Your updates" });
    await within(list).findByText("Note 0");
    expect(within(list).getAllByText(/^Note/)).toHaveLength(15);
    press("Show more");
    expect(within(list).getAllByText(/^Note/)).toHaveLength(40);
    expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
  });

  it("show a rejection above the form until it is dismissed", async () => {
    await open({ sent: [rejected] });
    // Shown together with the form, which does not move.
    const message = screen.getByRole("region", { name: "Rejected" });
    expect(textOf(message)).toContain("Rejected: Excavator, 48,125 h – One digit too many");
    fireEvent.click(within(message).getByRole("button", { name: "Got it" }));
    await waitFor(() => expect(screen.queryByRole("region", { name: "Rejected" })).toBeNull());
    expect(screen.getByText("Reason: One digit too many")).toBeTruthy();
  });

  it("show the hours of a rejected report of added hours", async () => {
    await open({ sent: [{ ...rejected, newUsage: null, usageIncrease: 300 }] });
    const message = screen.getByRole("region", { name: "Rejected" });
    expect(textOf(message)).toContain("Rejected: Excavator, +300 h – One digit too many");
  });

  it("can be corrected after a rejection, with the original or a new reading time", async () => {
    const { received } = await open({ sent: [rejected] });
    const message = await screen.findByRole("region", { name: "Rejected" });
    fireEvent.click(within(message).getByRole("button", { name: "Send a correction" }));
    await screen.findByLabelText("Meter reading (hours)");
    expect(valueOf("Meter reading (hours)")).toBe("48125");
    type("Meter reading (hours)", "4812.5");
    fireEvent.click(screen.getByLabelText("Just now"));
    press("Submit");
    await waitFor(() => expect(received).toHaveLength(1));
    expect(received[0]?.newUsage).toBe(4812.5);
    const read = Date.parse(received[0]?.capturedAt ?? "");
    expect(Date.now() - read).toBeLessThan(60_000);
    await waitFor(() => expect(screen.queryByRole("region", { name: "Rejected" })).toBeNull());
    // The row shows the correction as well.
    const list = screen.getByRole("region", { name: "Your updates" });
    expect(within(list).getByText("You sent a correction.")).toBeTruthy();
    expect(within(list).queryByRole("button", { name: "Send a correction" })).toBeNull();
    expect(within(list).getByRole("button", { name: "Correct it again" })).toBeTruthy();
  });

  const older = update("r2", {
    newUsage: 4799,
    status: "rejected",
    rejectReason: "Wrong machine",
    reviewedAt: ago(0.2),
  });

  it("show several rejections one at a time", async () => {
    const { received } = await open({ sent: [rejected, older] });
    let message = await screen.findByRole("region", { name: "Rejected" });
    expect(textOf(message)).toContain("1 more was rejected: see the list below.");
    fireEvent.click(within(message).getByRole("button", { name: "Send a correction" }));
    await screen.findByLabelText("Meter reading (hours)");
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    await waitFor(() => expect(received).toHaveLength(1));
    message = await screen.findByRole("region", { name: "Rejected" });
    expect(textOf(message)).toContain("Excavator, 4,799 h – Wrong machine");
    expect(textOf(message)).not.toContain("more was rejected");
    const list = screen.getByRole("region", { name: "Your updates" });
    expect(within(list).getAllByText("You sent a correction.")).toHaveLength(1);
    expect(within(list).getAllByRole("button", { name: "Send a correction" })).toHaveLength(1);
  });

  it("mark only the shown rejection as seen", async () => {
    await open({ sent: [rejected, older] });
    const message = await screen.findByRole("region", { name: "Rejected" });
    fireEvent.click(within(message).getByRole("button", { name: "Got it" }));
    await waitFor(() =>
      expect(textOf(screen.getByRole("region", { name: "Rejected" }))).toContain("Wrong machine"),
    );
  });

  it("link a refused correction to the rejected update", async () => {
    let refusals = 1;
    await open({
      sent: [rejected],
      answer: () => {
        refusals -= 1;
        if (refusals >= 0) return refusal("Wrong figures");
      },
    });
    const message = await screen.findByRole("region", { name: "Rejected" });
    fireEvent.click(within(message).getByRole("button", { name: "Send a correction" }));
    await screen.findByLabelText("Meter reading (hours)");
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    await screen.findAllByText(/Wrong figures/);
    type("Meter reading (hours)", "4812");
    press("Submit");
    await waitFor(() => expect(screen.getByText("You sent a correction.")).toBeTruthy());
    expect(screen.queryByRole("region", { name: "Rejected" })).toBeNull();
  });
});

it("keeps a correction open when an earlier submit ends", async () => {
  let finish: () => void = () => undefined;
  const { received } = await open({
    sent: [update("r1", { newUsage: 48125, status: "rejected", reviewedAt: ago(0.1) })],
    answer: () => new Promise<void>((resolve) => (finish = resolve)),
  });
  await choose(/Backhoe/);
  type("Meter reading (hours)", "9125");
  press("Submit");
  await waitFor(() => expect(received).toHaveLength(1));
  const message = await screen.findByRole("region", { name: "Rejected" });
  fireEvent.click(within(message).getByRole("button", { name: "Send a correction" }));
  await screen.findByLabelText("Meter reading (hours)");
  type("Meter reading (hours)", "4812");
  finish();
  await screen.findByText("Everything is sent.");
  expect(valueOf("Meter reading (hours)")).toBe("4812");
});

it("allows editing and discarding of an update that always fails", async () => {
  await open({
    answer: () => {
      return { status: 500, body: { message: "broken" } };
    },
  });
  await choose(/Excavator/);
  type("Meter reading (hours)", "4812.5");
  press("Submit");
  await screen.findByText("1 update is not sent yet");
  expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
  press("Send now");
  fireEvent.click(await screen.findByRole("button", { name: "Send now" }));
  await screen.findByRole("button", { name: "Edit" });
  press("Discard");
  const asked = await screen.findByRole("alertdialog");
  expect(asked.textContent).toContain("may already have it");
  fireEvent.click(within(asked).getByRole("button", { name: "Discard" }));
  expect(await screen.findByText("Everything is sent.")).toBeTruthy();
});
