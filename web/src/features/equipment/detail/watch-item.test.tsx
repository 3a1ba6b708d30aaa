import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { WatchSchema } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { currentToast } from "#/shared/toast/store";
import { refusal } from "#/test/refusal";
import { id, openDetail, world } from "./detail.fixture";

const open = async () =>
  fireEvent.keyDown(await screen.findByRole("button", { name: "Actions for Excavator" }), {
    key: "Enter",
  });
const item = (name: string) => screen.findByRole("menuitem", { name });
const press = async (name: string) => fireEvent.click(await item(name));
const watches = (...equipmentIds: string[]) => [
  "watch",
  { watch: create(WatchSchema, { equipmentIds, groups: ["Crew South"] }) },
];

it("is only asked when the menu opens", async () => {
  const state = world();
  const { queryClient } = await openDetail(state);
  await screen.findByRole("button", { name: "Actions for Excavator" });
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(state.watchAsked).toBe(0);
  await open();
  await item("Notifications: all machines");
  expect(state.watchAsked).toBe(1);
});

it("leads to the notifications while all machines are watched", async () => {
  const { router } = await openDetail(world());
  await open();
  await press("Notifications: all machines");
  await waitFor(() => expect(router.state.location.pathname).toBe("/notifications"));
});

it("leads to the notifications if its group is watched", async () => {
  // Without its own id, the group still has it.
  await openDetail(world({ watch: { equipmentIds: [id], groups: ["Crew North"] } }));
  await open();
  const link = await item("Watched with its group Crew North");
  expect(link.getAttribute("href")).toBe("/notifications");
});

it("leads to the notifications if what is watched can't be loaded", async () => {
  await openDetail(world({ watch: undefined }));
  await open();
  expect((await item("Notifications")).getAttribute("href")).toBe("/notifications");
});

it("adds the machine to those that are watched, and Undo removes it", async () => {
  const state = world({ watch: { equipmentIds: ["roller"], groups: ["Crew South"] } });
  await openDetail(state);
  await open();
  await press("Watch");
  await waitFor(() => expect(currentToast()?.title).toBe("You are notified of Excavator"));
  await open();
  await item("Stop watching");
  currentToast()?.action?.run();
  await item("Watch");
  expect(state.calls).toEqual([watches("roller", id), watches("roller")]);
  expect(currentToast()?.title).toBe("Change undone");
});

it("removes the machine from those that are watched", async () => {
  const state = world({ watch: { equipmentIds: [id, "roller"], groups: ["Crew South"] } });
  await openDetail(state);
  await open();
  await press("Stop watching");
  await waitFor(() =>
    expect(currentToast()?.title).toBe("You are no longer notified of Excavator"),
  );
  expect(state.calls).toEqual([watches("roller")]);
});

it("says that the server has refused", async () => {
  const state = world({ watch: {} });
  state.refusal = refusal(Code.Internal, "", "The disk is full.");
  await openDetail(state);
  await open();
  await press("Watch");
  await waitFor(() =>
    expect(currentToast()).toMatchObject({
      tone: "failure",
      title: "The machines that you watch could not be changed",
      description: "The disk is full.",
    }),
  );
});
