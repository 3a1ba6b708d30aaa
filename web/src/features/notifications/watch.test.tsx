import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, createRouterTransport } from "@connectrpc/connect";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { EquipmentService, type MeterSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { NotificationsService } from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { PushService } from "#/api/gen/hourmeter/notifications/v1/push_pb";
import {
  SettingsService,
  WatchSchema,
  type SetWatchRequest,
} from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { SmsService } from "#/api/gen/hourmeter/notifications/v1/sms_pb";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { openDialog } from "#/test/open-dialog";
import { refusal } from "#/test/refusal";
import { operator, owner, renderApp, stubRest } from "#/test/render-app";

type Stored = MessageInitShape<typeof WatchSchema>;

const machines = [
  { equipmentId: "crane", name: "Grúa", unitNumber: "GR-9" },
  { equipmentId: "digger", name: "Excavator", unitNumber: "EX-01" },
  { equipmentId: "roller", name: "Roller" },
];

interface Opened {
  user?: { id: string };
  stored?: Stored;
  listed?: Array<MessageInitShape<typeof MeterSchema>>;
  groups?: string[];
  /** What is stored can't be loaded. */
  refused?: boolean;
}

/** The page of a person who watches the stored machines; undefined: the usual ones. */
async function open({
  user = owner,
  stored,
  listed = machines,
  groups = [],
  refused = false,
}: Opened = {}) {
  stubRest({ "GET /api/auth/user": { status: 200, body: user } });
  const state = {
    watch: stored,
    saved: [] as Array<SetWatchRequest["watch"]>,
    fails: new Set<"get" | "set" | "list">(refused ? ["get"] : []),
    asked: { list: 0, unread: 0, summary: 0 },
  };
  const check = (call: "get" | "set" | "list") => {
    if (state.fails.has(call)) throw refusal(Code.Internal, "", "The disk is full.");
  };
  const transport = createRouterTransport(({ service }) => {
    service(NotificationsService, {
      countUnread: () => {
        state.asked.unread += 1;
        return {};
      },
      listNotifications: () => {
        state.asked.list += 1;
        return {};
      },
    });
    service(PushService, { getPushKey: () => ({}) });
    service(SmsService, { getSmsNumber: () => ({}) });
    service(EquipmentService, {
      listMeters: ({ page }) => {
        check("list");
        const from = Number(page?.cursor ?? "");
        const to = from + (page?.limit ?? 0);
        const nextCursor = to < listed.length ? String(to) : "";
        return { meters: listed.slice(from, to), page: { nextCursor } };
      },
      getSummary: () => {
        state.asked.summary += 1;
        return { groups };
      },
    });
    service(SettingsService, {
      getWatch: () => {
        check("get");
        return state.watch ? { watch: state.watch } : {};
      },
      setWatch: ({ watch }) => {
        state.saved.push(watch);
        check("set");
        state.watch = watch;
        return {};
      },
    });
  });
  await renderApp("/notifications", transport);
  await screen.findByRole("region", { name: "Machines that you watch" });
  return state;
}

const says = (text: string | RegExp) => screen.findByText(text);
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const choose = (name: string) => fireEvent.click(screen.getByRole("radio", { name }));
const radio = (name: string) => screen.getByRole<HTMLInputElement>("radio", { name });
const box = (name: string) => screen.findByRole<HTMLInputElement>("checkbox", { name });
const toggle = async (name: string) => fireEvent.click(await box(name));
const names = () =>
  screen
    .getAllByRole("checkbox")
    .map(({ parentElement }) => parentElement?.parentElement?.textContent);
const search = (value: string) =>
  fireEvent.change(screen.getByRole("searchbox"), { target: { value } });
const isSaved = () =>
  waitFor(() => expect(currentToast()?.title).toBe("Machines that you watch updated"));

/** Opens the dialog from the page. */
async function change() {
  fireEvent.click(await screen.findByRole("button", { name: "Change" }));
  return openDialog("Machines that you watch");
}

describe("the row of watched machines", () => {
  it.each<[string, Stored | undefined, string]>([
    ["all", undefined, "You are notified of all machines."],
    ["one", { equipmentIds: ["crane"] }, "You are notified of 1 machine."],
    [
      "some and a group",
      { equipmentIds: ["crane", "digger", "gone"], groups: ["North yard"] },
      "You are notified of 3 machines and the group North yard.",
    ],
    ["groups", { groups: ["North yard", "South yard"] }, "You are notified of 2 groups."],
    ["none", {}, "No machine is chosen. You are notified only of your account and the plan."],
  ])("says that it is %s", async (_, stored, text) => {
    await open(stored && { stored });
    expect(await says(text)).toBeTruthy();
  });

  it.each<[string, Stored | undefined, string]>([
    [
      "those of the last days",
      undefined,
      "You are notified of the machines that you reported on in the last 14 days.",
    ],
    [
      "none",
      {},
      "No machine is chosen. You are notified only of your own reports and your account.",
    ],
  ])("says to an operator that it is %s", async (_, stored, text) => {
    await open({ user: operator, ...(stored && { stored }) });
    expect(await says(text)).toBeTruthy();
  });

  it("follows the language", async () => {
    await open({ stored: { equipmentIds: ["crane", "digger"], groups: ["Patio norte"] } });
    await says(/2 machines/);
    await act(() => changeLanguage("es"));
    expect(await says("Te avisamos de 2 equipos y del grupo Patio norte.")).toBeTruthy();
  });

  it("can be loaded again after a failure", async () => {
    const state = await open({ refused: true });
    await says("The machines that you watch could not be loaded.");
    expect(screen.queryByRole("button", { name: "Change" })).toBeNull();
    state.fails.clear();
    press("Try again");
    expect(await says("You are notified of all machines.")).toBeTruthy();
  });
});

describe("machines to watch", () => {
  it("are all, until some are chosen", async () => {
    const state = await open({ groups: ["North yard"] });
    const dialog = await change();
    expect(radio("All machines").checked).toBe(true);
    expect(dialog.queryByRole("checkbox")).toBeNull();
    expect(dialog.getByText(/morning digest, emails and notifications/)).toBeTruthy();
    choose("Only those that I choose");
    await dialog.findByText(/^No machine is chosen/);
    await toggle("EX-01 Excavator");
    await toggle("Roller");
    await toggle("Roller");
    await toggle("North yard");
    expect(dialog.getByText(/1 machine and the group North yard/)).toBeTruthy();
    const before = { ...state.asked };
    press("Save");
    await isSaved();
    expect(state.saved).toEqual([
      create(WatchSchema, { equipmentIds: ["digger"], groups: ["North yard"] }),
    ]);
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(await says("You are notified of 1 machine and the group North yard.")).toBeTruthy();
    // What the list and the bell show has changed, too.
    await waitFor(() => {
      expect(state.asked.list).toBe(before.list + 1);
      expect(state.asked.unread).toBe(before.unread + 1);
    });
  });

  it("can be all again", async () => {
    const state = await open({ stored: { equipmentIds: ["crane"] } });
    await change();
    expect(radio("Only those that I choose").checked).toBe(true);
    choose("All machines");
    press("Save");
    await isSaved();
    expect(state.saved).toEqual([undefined]);
  });

  it("can be none", async () => {
    const state = await open({ stored: { equipmentIds: ["crane"] } });
    await change();
    await toggle("GR-9 Grúa");
    press("Save");
    await isSaved();
    expect(state.saved).toEqual([create(WatchSchema)]);
  });

  it("that are chosen come first, and stay there", async () => {
    await open({ stored: { equipmentIds: ["roller"] } });
    await change();
    await toggle("Roller");
    expect(names()).toEqual(["Roller", "GR-9 Grúa", "EX-01 Excavator"]);
  });

  it("are found by number and name", async () => {
    await open({ stored: {}, groups: ["North yard", "Grúas"] });
    const dialog = await change();
    await box("Roller");
    search("ex-01");
    expect(names()).toEqual(["EX-01 Excavator"]);
    search("grua");
    expect(names()).toEqual(["Grúas", "GR-9 Grúa"]);
    search("crane");
    expect(dialog.getByText("Nothing matches “crane”.")).toBeTruthy();
    expect(dialog.queryByRole("checkbox")).toBeNull();
  });

  it("that have left the list are kept until they are removed", async () => {
    const state = await open({ stored: { equipmentIds: ["gone", "crane"] } });
    const dialog = await change();
    await dialog.findByText("1 machine that you chose is no longer in the list.");
    await toggle("Roller");
    press("Save");
    await isSaved();
    await change();
    await screen.findByText(/no longer in the list/);
    press("Remove");
    press("Save");
    await waitFor(() =>
      expect(state.saved.map((watch) => watch?.equipmentIds)).toEqual([
        ["gone", "crane", "roller"],
        ["crane", "roller"],
      ]),
    );
  });

  it("in a group without machines stay chosen", async () => {
    await open({ stored: { groups: ["Old yard"] }, groups: ["North yard"] });
    await change();
    expect((await box("Old yard")).checked).toBe(true);
    expect((await box("North yard")).checked).toBe(false);
  });

  it("are limited", async () => {
    const many = Array.from({ length: 501 }, (_, index) => `m${index}`);
    const state = await open({ stored: { equipmentIds: many.slice(1) } });
    await change();
    await toggle("Roller");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("Choose at most 500 machines. Choose groups for more.");
    press("Save");
    await toggle("Roller");
    expect(screen.queryByRole("alert")).toBeNull();
    expect(state.saved).toEqual([]);
  });

  it("have a limit of groups, too", async () => {
    const groups = Array.from({ length: 51 }, (_, index) => `Yard ${index}`);
    await open({ stored: { groups: groups.slice(1) }, groups });
    await change();
    await toggle("Yard 0");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("Choose at most 50 groups.");
  });

  it("keep the choice after a failure", async () => {
    const state = await open({ stored: {} });
    state.fails.add("set");
    await change();
    await toggle("Roller");
    press("Save");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("The disk is full.");
    expect((await box("Roller")).checked).toBe(true);
    state.fails.clear();
    press("Save");
    await isSaved();
    expect(state.saved).toHaveLength(2);
  });

  it("can be listed again after a failure", async () => {
    const state = await open({ stored: {} });
    state.fails.add("list");
    await change();
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The machines could not be loaded.");
    state.fails.clear();
    press("Try again");
    expect(await box("Roller")).toBeTruthy();
  });

  it("appear as the list is scrolled", async () => {
    let reach = () => undefined as void;
    vi.stubGlobal(
      "IntersectionObserver",
      class {
        constructor(callback: (entries: Array<{ isIntersecting: boolean }>) => void) {
          reach = () => callback([{ isIntersecting: true }]);
        }
        observe() {}
        disconnect() {}
      },
    );
    const listed = Array.from({ length: 620 }, (_, index) => ({
      equipmentId: `m${index}`,
      name: `Machine ${index}`,
    }));
    await open({ stored: { equipmentIds: ["m619"] }, listed });
    const dialog = await change();
    // The second page has the chosen one, which is first.
    await box("Machine 619");
    expect(dialog.getAllByRole("checkbox")).toHaveLength(100);
    act(reach);
    expect(dialog.getAllByRole("checkbox")).toHaveLength(200);
    search("machine 612");
    expect(names()).toEqual(["Machine 612"]);
  });
});

it("an operator chooses among the machines, without groups", async () => {
  const state = await open({ user: operator, groups: ["North yard"] });
  const dialog = await change();
  expect(radio("Machines that you reported on in the last 14 days").checked).toBe(true);
  expect(dialog.queryByText(/morning digest/)).toBeNull();
  choose("Only those that I choose");
  await toggle("EX-01 Excavator");
  expect(names()).toEqual(["GR-9 Grúa", "EX-01 Excavator", "Roller"]);
  expect(screen.getByRole("searchbox", { name: "Search machines" })).toBeTruthy();
  press("Save");
  await isSaved();
  expect(state.saved).toEqual([create(WatchSchema, { equipmentIds: ["digger"] })]);
  expect(state.asked.summary).toBe(0);
});
