import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { expectToast, openOperators, press, refusal } from "../operators.fixture";

const on = (day: number) => timestampFromDate(new Date(2026, 10, day, 9, 30));
const shop = {
  id: "d1",
  label: "Shop phone",
  enrolledBy: "Maria Lopez",
  enrolledAt: on(2),
  lastContact: on(20),
  people: [
    { id: "p1", name: "Luis Ortíz" },
    { id: "p2", name: "Maria Lopez" },
  ],
};
const lost = { ...shop, id: "d2", label: "Lost phone", people: [], removedAt: on(21) };

beforeEach(() => {
  vi.restoreAllMocks();
});

describe("the phones on which operators sign in without signal", () => {
  it("are listed with people, setup and last contact", async () => {
    await openOperators({ phones: [shop, lost] });
    const table = within(await screen.findByRole("table", { name: "Phones" }));
    const [, active, removed] = table.getAllByRole("row");
    expect(active?.textContent).toContain("Luis Ortíz, Maria Lopez");
    expect(active?.textContent).toContain("Nov 2, 2026 by Maria Lopez");
    expect(active?.textContent).toContain("Nov 20");
    expect(removed?.textContent).toContain("Removed Nov 21, 2026");
    expect(removed?.textContent).toContain("None");
    expect(screen.queryByRole("button", { name: "Remove Lost phone" })).toBeNull();
  });

  it("name the time zone if it is not the company's", async () => {
    await openOperators({ phones: [shop], timeZone: "Asia/Tokyo" });
    expect(await screen.findByText(/Times are in .* The company's is Asia\/Tokyo\.$/)).toBeTruthy();
  });

  it("explain how the first one is set up", async () => {
    await openOperators();
    expect(await screen.findByText("No phones yet")).toBeTruthy();
  });

  it("are removed after a question that says what happens", async () => {
    const { calls } = await openOperators({ phones: [shop] });
    await screen.findByRole("table", { name: "Phones" });
    press("Remove Shop phone");
    const dialog = within(
      await screen.findByRole("alertdialog", { name: "Remove the phone Shop phone?" }),
    );
    expect(dialog.getByText(/2 people can no longer sign in/)).toBeTruthy();
    expect(calls).toEqual([]);
    dialog.getByRole("button", { name: "Remove phone" }).click();
    await expectToast(
      "Phone Removed",
      "Shop phone forgets PINs and machine list when it next has signal.",
    );
    expect(calls).toEqual([["removeDevice", "d1"]]);
  });

  it("stay listed if the removal fails", async () => {
    const { state } = await openOperators({ phones: [shop] });
    await screen.findByRole("table", { name: "Phones" });
    press("Remove Shop phone");
    state.refuse = refusal("Not possible now.");
    const dialog = await screen.findByRole("alertdialog");
    within(dialog).getByRole("button", { name: "Remove phone" }).click();
    await expectToast("Failed to Remove Phone");
    expect(screen.getByText("Shop phone", { selector: "td *" })).toBeTruthy();
  });

  it("can be loaded again after a failure", async () => {
    const { broken } = await openOperators({ phones: [shop], phonesFail: true });
    expect(await screen.findByText("The phones could not be loaded.")).toBeTruthy();
    broken.phones = false;
    press("Try again");
    expect(await screen.findByText("Shop phone")).toBeTruthy();
  });
});
