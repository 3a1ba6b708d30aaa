import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import {
  EquipmentSchema,
  EquipmentService,
  MeterUnit,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  OperatorUpdateSchema,
  OperatorUpdatesService,
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { toast } from "#/shared/toast/store";
import { renderRouted } from "#/test/render-routed";
import { ReviewLine } from "./review-line";
import { ReviewSection } from "./review-section";

const equipment = [
  create(EquipmentSchema, { id: "e1", unit: MeterUnit.HOURS, currentUsage: 4804.1 }),
  create(EquipmentSchema, {
    id: "e2",
    unit: MeterUnit.MILES,
    currentUsage: 88904,
    critical: true,
    severelyCritical: true,
  }),
  create(EquipmentSchema, { id: "e3", unit: MeterUnit.HOURS, critical: true }),
];

const update = (id: string, more: MessageInitShape<typeof OperatorUpdateSchema>) =>
  create(OperatorUpdateSchema, {
    id,
    equipmentId: "e1",
    equipmentName: "Excavator",
    operatorName: "Maria Lopez",
    status: UpdateStatus.PENDING,
    newUsage: 4812.5,
    previousUsage: 4804.1,
    ...more,
  });

const pickup = { equipmentId: "e2", equipmentName: "Pickup" };
const below = { ...pickup, newUsage: 88094, previousUsage: 88904, belowCurrent: true };

async function open(updates: OperatorUpdate[], failApply?: ConnectError) {
  const calls: unknown[] = [];
  const decide = (id: string, status: UpdateStatus) => {
    const found = updates.find((each) => each.id === id);
    if (found) found.status = status;
  };
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, { listEquipment: () => ({ equipment }) });
    service(OperatorUpdatesService, {
      listUpdates: ({ statuses }) => ({
        updates: updates.filter((each) => statuses.includes(each.status)),
        pendingCount: updates.filter((each) => each.status === UpdateStatus.PENDING).length,
      }),
      applyUpdate: ({ id, newUsage }) => {
        calls.push(["apply", id, newUsage]);
        if (failApply) throw failApply;
        decide(id, UpdateStatus.APPLIED);
        return {};
      },
      applyUpdates: ({ ids }) => {
        calls.push(["applyMany", ...ids]);
        return {
          results: ids.map((id) => {
            if (id === "bad") return { id, ok: false, message: "The equipment was retired." };
            decide(id, UpdateStatus.APPLIED);
            return { id, ok: true };
          }),
        };
      },
      rejectUpdate: ({ id, reason }) => {
        calls.push(["reject", id, reason]);
        decide(id, UpdateStatus.REJECTED);
        return {};
      },
      acknowledgeUpdate: ({ id }) => {
        calls.push(["acknowledge", id]);
        decide(id, UpdateStatus.APPLIED);
        return {};
      },
    });
  });
  await renderRouted(
    <>
      <ReviewLine />
      <ReviewSection />
    </>,
    transport,
  );
  return calls;
}

const queue = () => screen.findByRole("list", { name: "Waiting for review" });
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));

beforeEach(() => toast.dismiss());

it("shows who reported what, against which meter, and why to look twice", async () => {
  await open([update("a", { flags: ["repeated", "unheard_of"] })]);
  const row = within(await queue()).getByRole("listitem");
  expect(row.textContent).toContain("Maria Lopez");
  await waitFor(() => expect(row.textContent).toContain("4,812.5 hours"));
  expect(row.textContent).toContain("4,804.1");
  expect(row.textContent).toContain("+8.4 h");
  expect(row.textContent).toContain("Looks like a repeat");
  expect(row.textContent).toContain("Check this one");
  expect(screen.getAllByText("1 update waits for review")).toHaveLength(2);
});

it("leads from the top of the page to the queue", async () => {
  Element.prototype.scrollIntoView = () => undefined;
  await open([update("a", {}), update("b", {})]);
  fireEvent.click(await screen.findByRole("button", { name: "Review" }));
  const region = screen.getByRole("region", { name: "Waiting for review" });
  expect(document.activeElement).toBe(region);
});

it("applies once, however often it is pressed, and then nothing waits", async () => {
  const calls = await open([update("a", {})]);
  const button = within(await queue()).getByRole("button", { name: "Apply" });
  fireEvent.click(button);
  fireEvent.click(button);
  expect(await screen.findByText("Nothing waits for review")).toBeTruthy();
  expect(calls).toEqual([["apply", "a", undefined]]);
  expect((await screen.findAllByText("Update Applied")).length).toBeGreaterThan(0);
});

it("leaves a row with the reason when it could not be applied", async () => {
  await open(
    [update("a", {})],
    new ConnectError("The equipment is gone.", Code.FailedPrecondition),
  );
  await queue();
  press("Apply");
  expect((await screen.findByRole("alert")).textContent).toContain("The equipment is gone.");
});

it("applies the selected ones and tells row by row what failed", async () => {
  const calls = await open([
    update("good", {}),
    update("bad", { equipmentName: "Loader" }),
    update("below", below),
  ]);
  await queue();
  fireEvent.click(screen.getByLabelText("Select all"));
  expect(screen.getByText("2 selected")).toBeTruthy();
  press("Apply selected");
  expect((await screen.findByRole("alert")).textContent).toContain("The equipment was retired.");
  expect(calls).toEqual([["applyMany", "good", "bad"]]);
  const rows = within(await queue()).getAllByRole("listitem");
  expect(rows.map((row) => row.textContent?.match(/Loader|Pickup|Excavator/)?.[0])).toEqual([
    "Loader",
    "Pickup",
  ]);
});

it("asks what a reading below the meter should become", async () => {
  const calls = await open([update("b", below)]);
  await queue();
  press("Apply");
  const dialog = await screen.findByRole("dialog", { name: "This reading is below the meter" });
  const field = within(dialog).getByLabelText<HTMLInputElement>(/New reading/);
  expect(field.value).toBe("88094");
  fireEvent.change(field, { target: { value: "88,950" } });
  fireEvent.click(
    within(dialog).getByRole("button", { name: "Replace the meter with this reading" }),
  );
  expect(await screen.findByText("Nothing waits for review")).toBeTruthy();
  expect(calls).toEqual([["apply", "b", 88950]]);
});

it("can reject it instead, with a reason", async () => {
  const calls = await open([update("b", below)]);
  await queue();
  press("Apply");
  fireEvent.click(await screen.findByRole("button", { name: "Reject the update instead" }));
  const dialog = await screen.findByRole("dialog", { name: "Reject this update?" });
  fireEvent.change(within(dialog).getByLabelText(/Reason/), { target: { value: " Typo " } });
  fireEvent.click(within(dialog).getByRole("button", { name: "Reject" }));
  expect(await screen.findByText("Nothing waits for review")).toBeTruthy();
  expect(calls).toEqual([["reject", "b", "Typo"]]);
});

it("section 4: pulses updates about critical equipment until that is turned off, and remembers it", async () => {
  await open([update("r", { ...pickup, status: UpdateStatus.APPLIED })]);
  const row = within(
    await screen.findByRole("list", { name: "Recent Operator Updates" }),
  ).getByRole("listitem");
  await waitFor(() => expect(row.className).toContain("severe-pulse"));
  expect(row.textContent).toContain("Service far overdue");
  const toggle = screen.getByRole("switch", { name: "Pulse alerts" });
  expect(toggle).toHaveProperty("checked", true);
  fireEvent.click(toggle);
  expect(row.className).not.toContain("pulse");
  expect(localStorage.getItem("pulseAlerts")).toBe("off");
  fireEvent.click(toggle);
});

it("section 4: marks one that took effect by itself as seen", async () => {
  const calls = await open([update("r", { status: UpdateStatus.RECENT })]);
  expect(await screen.findByText("Applied automatically")).toBeTruthy();
  press("Mark as seen");
  expect(await screen.findByText("Applied")).toBeTruthy();
  expect(calls).toEqual([["acknowledge", "r"]]);
});

it("section 4: tells critical from severely critical, in words too", async () => {
  await open([
    update("c", { equipmentId: "e3", equipmentName: "Roller", status: UpdateStatus.APPLIED }),
    update("s", { ...pickup, status: UpdateStatus.APPLIED }),
    update("g", { status: UpdateStatus.APPLIED }),
  ]);
  const rows = within(
    await screen.findByRole("list", { name: "Recent Operator Updates" }),
  ).getAllByRole("listitem");
  await waitFor(() => expect(rows[0]?.className).toMatch(/(^|\s)critical-pulse/));
  expect(rows[0]?.textContent).toContain("Service needed");
  expect(rows[1]?.className).toMatch(/(^|\s)severe-pulse/);
  expect(rows[2]?.className).not.toContain("pulse");
  fireEvent.click(screen.getByRole("switch", { name: "Pulse alerts" }));
  expect(rows[0]?.className).not.toContain("pulse");
  expect(rows[0]?.textContent).toContain("Service needed");
});

it("section 4: lists nothing but applied and recent ones", async () => {
  await open([
    update("p", { equipmentName: "Waiting" }),
    update("x", { equipmentName: "Refused", status: UpdateStatus.REJECTED }),
  ]);
  expect(await screen.findByText("No recent updates")).toBeTruthy();
  expect(screen.queryByText("Refused")).toBeNull();
});

it("leads from a name to the piece, as long as there is one", async () => {
  await open([
    update("a", { status: UpdateStatus.APPLIED }),
    update("b", { equipmentId: "gone", equipmentName: "Sold", status: UpdateStatus.APPLIED }),
  ]);
  const link = await screen.findByRole("link", { name: "Excavator" });
  expect(link.getAttribute("href")).toBe("/equipment/item/e1");
  expect(screen.getByText("Sold")).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Sold" })).toBeNull();
});
