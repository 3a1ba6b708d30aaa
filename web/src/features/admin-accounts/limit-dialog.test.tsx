import { Code } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { currentToast } from "#/shared/toast/store";
import { fieldRefusal, refusal } from "#/test/refusal";
import type { Account } from "./queries";
import {
  account,
  type Calls,
  open,
  press,
  reasonText,
  refuse,
  rows,
  type,
} from "./admin-accounts.fixture";

describe("the equipment limit", () => {
  const begin = async (row: Account, answer?: Calls["setEquipmentLimit"]) => {
    const sent: Array<{ equipmentLimit?: number | undefined; reason: string }> = [];
    const page = await open([row, account(2)], {
      setEquipmentLimit:
        answer ??
        (({ equipmentLimit, reason }) => {
          sent.push({ equipmentLimit, reason });
          const changed = account(1, { limit: equipmentLimit ?? 15, override: equipmentLimit });
          return { subscription: changed.billed };
        }),
    });
    await rows(2);
    press("Change the equipment limit of Business 1");
    return { ...page, sent };
  };

  it.each([
    ["A number", "1,200", 1200, "1,200", "Business 1 can now track 1,200 pieces of equipment."],
    ["A number", "0", 0, "0", "Business 1 can now track 0 pieces of equipment."],
    ["A number", "1000000", 1_000_000, "1,000,000", /1,000,000 pieces/],
    [
      "No limit",
      "",
      -1,
      "3, no limit",
      "Business 1 can now track any number of pieces of equipment.",
    ],
  ])("%s %s", async (kind, count, limit, shown, done) => {
    const { sent, requests } = await begin(account(1));
    fireEvent.click(screen.getByLabelText(kind));
    if (count) type("Pieces of equipment", count);
    type("Reason", reasonText);
    press("Save limit");
    await waitFor(() => expect(currentToast()?.title).toBe("Equipment limit updated"));
    expect(currentToast()?.description).toMatch(done);
    expect(sent).toEqual([{ equipmentLimit: limit, reason: reasonText }]);
    const [first] = await rows(2);
    expect(first?.textContent).toContain(shown);
    expect(first?.textContent).toContain("Set by support");
    // The row was updated without a refetch of the list.
    expect(requests.length).toBe(1);
  });

  it("is reset to the plan's own", async () => {
    const { sent } = await begin(account(1, { limit: 120, override: 120 }));
    expect(screen.getByLabelText("Pieces of equipment")).toHaveProperty("value", "120");
    fireEvent.click(screen.getByLabelText("Plan's limit"));
    type("Reason", reasonText);
    press("Save limit");
    await waitFor(() => expect(currentToast()?.title).toBe("Equipment limit updated"));
    expect(sent).toEqual([{ equipmentLimit: undefined, reason: reasonText }]);
    const [first] = await rows(2);
    expect(first?.textContent).not.toContain("Set by support");
  });

  it.each(["", "-1", "1.5", "1000001", "12a", "1,2", "٣"])(
    "refuses the number %j",
    async (count) => {
      const { sent } = await begin(account(1));
      fireEvent.click(screen.getByLabelText("A number"));
      type("Pieces of equipment", count);
      type("Reason", reasonText);
      press("Save limit");
      expect(
        await screen.findByText("Please enter a whole number from 0 to 1,000,000."),
      ).toBeTruthy();
      expect(sent).toEqual([]);
    },
  );

  it("asks for a reason, and shows refusals by the field and in the dialog", async () => {
    const text = "Contains characters that are not allowed.";
    await begin(account(1), refuse(fieldRefusal("reason", text)));
    press("Save limit");
    expect(await screen.findByText("Please give a reason of at least 10 characters.")).toBeTruthy();
    type("Reason", reasonText);
    press("Save limit");
    expect((await screen.findAllByText(text)).length).toBeGreaterThan(0);
    expect(currentToast()).toBeNull();
  });

  it("explains an account without a subscription", async () => {
    await begin(account(1), refuse(refusal(Code.NotFound)));
    type("Reason", reasonText);
    press("Save limit");
    expect((await screen.findByRole("alert")).textContent).toContain("no subscription yet");
  });
});
