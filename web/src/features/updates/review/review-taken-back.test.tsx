import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { UpdateStatus } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { update } from "../updates.fixture";
import { open } from "./review-page.fixture";

describe("one by one", () => {
  it("lists what was taken back, to apply it again with another value", async () => {
    const calls = await open([
      update("w"),
      update("t", {
        status: UpdateStatus.TAKEN_BACK,
        takenBackBy: "Ana Ruiz",
        takenBackReason: "One digit too many",
      }),
    ]);
    const list = within(await screen.findByRole("list", { name: "Taken back" }));
    expect(list.getByText("Taken back by Ana Ruiz: One digit too many")).toBeTruthy();
    fireEvent.click(list.getByRole("button", { name: /^More actions for/ }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Correct the value" }));
    const field = await list.findByLabelText(/^Correct reading of Excavator/);
    fireEvent.change(field, { target: { value: "481" } });
    fireEvent.submit(field);
    fireEvent.click(await screen.findByRole("button", { name: "Set the meter back" }));
    await list.findByText("Applied as 481 hours");
    const announced = screen.getByText("Excavator: Applied as 481 hours");
    expect(announced.closest("[role=status]")).toBeTruthy();
    await waitFor(() =>
      expect(document.activeElement).toBe(list.getByRole("group", { name: "Excavator" })),
    );
    expect(calls).toEqual([["apply", "t", 481]]);
  });

  it("flags a taken-back typing error again", async () => {
    const calls = await open([
      update("w"),
      update("t", { status: UpdateStatus.TAKEN_BACK, newUsage: 48_125 }),
    ]);
    const list = within(await screen.findByRole("list", { name: "Taken back" }));
    await list.findByRole("button", { name: "Accept as is" });
    expect(list.queryByRole("button", { name: "Apply" })).toBeNull();
    expect(list.getByRole("button", { name: "Correct the value" })).toBeTruthy();
    expect(calls).toEqual([]);
  });

  it("does not flag a taken-back update because of the meter after its own application", async () => {
    const taken = update("t", { status: UpdateStatus.TAKEN_BACK });
    await open([update("w"), taken], { meterAfter: 4814.5 });
    const list = within(await screen.findByRole("list", { name: "Taken back" }));
    fireEvent.click(await list.findByRole("button", { name: "Apply" }));
    await list.findByText("Applied");
    await screen.findByText(/^Shows 4,814.5 hours/);
    expect(list.getByText("Applied")).toBeTruthy();
    expect(list.queryByText(/below the meter/i)).toBeNull();
  });

  it("lists more of what was taken back, and retries after a failure", async () => {
    const taken = Array.from({ length: 21 }, (_, index) =>
      update(`t${index}`, { status: UpdateStatus.TAKEN_BACK }),
    );
    const failLists = new Set([UpdateStatus.TAKEN_BACK]);
    await open([update("w"), ...taken], { failLists });
    await screen.findByText("The updates that were taken back could not be loaded.");
    failLists.clear();
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    const list = await screen.findByRole("list", { name: "Taken back" });
    await waitFor(() => expect(list.children).toHaveLength(20));
    fireEvent.click(screen.getByRole("button", { name: "Show more" }));
    await waitFor(() => expect(list.children).toHaveLength(21));
  });
});
