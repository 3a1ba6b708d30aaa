import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast } from "#/shared/toast/store";
import { openDialog } from "#/test/open-dialog";
import { owner, renderApp, stubRest } from "#/test/render-app";

async function open({ createdAt, fails = false }: { createdAt?: Date; fails?: boolean } = {}) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const state = { createdAt, created: 0 };
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, { listEquipment: () => ({}), getSummary: () => ({}) });
    service(AccountsService, {
      getCalendarFeed: () => ({ ...(state.createdAt && { createdAt: at(state.createdAt) }) }),
      createCalendarFeed: () => {
        if (fails) throw new ConnectError("Overloaded", Code.Unavailable);
        state.created += 1;
        state.createdAt = new Date("2026-11-27T12:00:00Z");
        return { secret: `secret-${state.created}` };
      },
      deleteCalendarFeed: () => {
        state.createdAt = undefined;
        return {};
      },
    });
  });
  await renderApp("/service", transport);
  fireEvent.click(await screen.findByRole("button", { name: "Add to my calendar" }));
  return { state, dialog: await openDialog("Service in your calendar") };
}

const at = timestampFromDate;

const address = (secret: string) => `${window.location.origin}/api/calendar/${secret}.ics`;

it("shows a new calendar address once", async () => {
  const { dialog } = await open();
  fireEvent.click(await dialog.findByRole("button", { name: "Create address" }));
  const field = await dialog.findByLabelText("Calendar address");
  expect(field).toHaveProperty("value", address("secret-1"));
  expect(dialog.getByText(/^Copy it now: it is not shown again/)).toBeTruthy();
  const [close] = dialog.getAllByRole("button", { name: "Close" });
  fireEvent.click(close ?? field);
  fireEvent.click(await screen.findByRole("button", { name: "Add to my calendar" }));
  const again = await openDialog("Service in your calendar");
  expect(await again.findByText(/^You created an address on Nov 27, 2026/)).toBeTruthy();
  expect(again.queryByLabelText("Calendar address")).toBeNull();
});

it("replaces and removes a calendar address after a question", async () => {
  const { dialog, state } = await open({ createdAt: new Date("2026-11-01T12:00:00Z") });
  fireEvent.click(await dialog.findByRole("button", { name: "Replace the address" }));
  const question = within(
    await screen.findByRole("alertdialog", { name: "Replace the calendar address?" }),
  );
  expect(state.created).toBe(0);
  fireEvent.click(question.getByRole("button", { name: "Replace the address" }));
  expect(await dialog.findByLabelText("Calendar address")).toHaveProperty(
    "value",
    address("secret-1"),
  );
  fireEvent.click(dialog.getByRole("button", { name: "Remove the address" }));
  const removal = within(
    await screen.findByRole("alertdialog", { name: "Remove the calendar address?" }),
  );
  fireEvent.click(removal.getByRole("button", { name: "Remove the address" }));
  expect(await dialog.findByRole("button", { name: "Create address" })).toBeTruthy();
  await waitFor(() => expect(currentToast()?.title).toBe("Calendar address removed"));
});

it("reports an address that could not be created", async () => {
  const { dialog } = await open({ fails: true });
  fireEvent.click(await dialog.findByRole("button", { name: "Create address" }));
  await waitFor(() => expect(currentToast()?.title).toBe("The calendar address was not changed"));
  expect(dialog.getByRole("button", { name: "Create address" })).toBeTruthy();
});
