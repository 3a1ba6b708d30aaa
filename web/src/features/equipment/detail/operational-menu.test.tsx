import { Code } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { OperationalStatus } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast } from "#/shared/toast/store";
import { refusal } from "#/test/refusal";
import { openDetail, world } from "./detail.fixture";

const trigger = (status: string) =>
  screen.findByRole("button", { name: `Operational status: ${status}` });

async function choose(from: string, to: string) {
  fireEvent.keyDown(await trigger(from), { key: "Enter" });
  fireEvent.click(await screen.findByRole("menuitemradio", { name: to }));
}

it("is changed with one press before the server answers, and back with Undo", async () => {
  const answer = Promise.withResolvers<void>();
  const state = world({ gate: answer.promise });
  await openDetail(state);
  await choose("In use", "In the shop");
  await trigger("In the shop");
  expect(state.calls).toEqual([]);
  answer.resolve();
  await waitFor(() =>
    expect(currentToast()).toMatchObject({
      title: "Operational status changed",
      description: "Excavator: In use → In the shop",
    }),
  );
  currentToast()?.action?.run();
  await trigger("In use");
  await waitFor(() => expect(state.equipment?.operationalStatus).toBe(OperationalStatus.IN_USE));
  expect(state.calls).toMatchObject([
    ["update", { equipment: { operationalStatus: OperationalStatus.IN_SHOP } }],
    ["update", { equipment: { operationalStatus: OperationalStatus.IN_USE } }],
  ]);
});

it("returns to the stored one when the server refuses", async () => {
  const answer = Promise.withResolvers<void>();
  const state = world({ gate: answer.promise });
  state.refusal = refusal(Code.FailedPrecondition, "SUBSCRIPTION_INACTIVE");
  await openDetail(state);
  await choose("In use", "Standing");
  await trigger("Standing");
  answer.resolve();
  await trigger("In use");
  expect(currentToast()).toMatchObject({
    tone: "failure",
    title: "The operational status could not be changed",
  });
});
