import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import {
  EquipmentFuel,
  EquipmentService,
  EquipmentType,
  MeterUnit,
  OperationalStatus,
  type EquipmentInput,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { catchDownloads } from "#/test/catch-downloads";
import { owner, renderApp, stubRest } from "#/test/render-app";

const crane = {
  id: "e1",
  name: "=Crane",
  type: EquipmentType.MACHINERY,
  unit: MeterUnit.HOURS,
  fuel: EquipmentFuel.DIESEL,
  currentUsage: 900.5,
  meterReading: 900.5,
  unitNumber: "C-1",
  serialNumber: "SN1",
  group: "Crew, North",
  threshold: 9000,
  serviceInterval: 250,
  lastServiceUsage: 800,
  operationalStatus: OperationalStatus.IN_SHOP,
};

async function open({ path = "/add-equipment?import=true", limit = 100, total = 1 } = {}) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const created: EquipmentInput[] = [];
  const keys: Array<string | null> = [];
  const state = {
    refuse: (name: string): boolean => name === "",
    hold: null as Promise<void> | null,
  };
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, { getCompanySettings: () => ({ settings: { timeZone: "UTC" } }) });
    service(BillingService, { getSubscription: () => ({ subscription: {} }) });
    service(EquipmentService, {
      getSummary: () => ({ total, equipmentLimit: limit }),
      listEquipment: () => ({ equipment: [crane] }),
      createEquipment: async ({ equipment }, { requestHeader }) => {
        if (!equipment) throw new Error("no equipment");
        keys.push(requestHeader.get("Idempotency-Key"));
        await state.hold;
        if (state.refuse(equipment.name ?? "")) {
          throw new ConnectError("The name is not allowed.", Code.InvalidArgument);
        }
        created.push(equipment);
        return { equipment: { id: equipment.name ?? "" } };
      },
    });
  });
  const app = await renderApp(path, transport);
  return { ...app, created, keys, state };
}

const cells = () => screen.findByRole("textbox", { name: "Cells" });
async function paste(text: string) {
  const clipboardData = { getData: () => text };
  fireEvent.paste(await cells(), { clipboardData });
}
const row = (name: string) => {
  const item = screen.getByText(name).closest("tr");
  if (!item) throw new Error(`${name} is in no row`);
  return within(item);
};
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));
const added = (count: number) => `Add ${count} machine${count === 1 ? "" : "s"}`;

const sheet = [
  "Name\tType\tHours\tInterval",
  "Dozer\tMachinery\t4,812.5\t250",
  "Loader\tMaquinaria\t100\tmany",
  "=crane\tMachinery\t5\t",
  "Truck\tTruck\t7\t",
].join("\n");

describe("many machines at once", () => {
  it("are previewed, added, and those that fail are added by a repeat", async () => {
    const { created, keys, state, router } = await open();
    await screen.findByRole("heading", { level: 1, name: "Import machines from a spreadsheet" });
    expect(document.title).toContain("Add Equipment");
    await paste(sheet);
    await screen.findByText("2 ready · 1 with an error · 1 possible duplicate");
    expect(row("Dozer").getByText("counts from 4,812.5")).toBeTruthy();
    // The sheet has no fuel; the type proposes it.
    expect(row("Dozer").getByText("Diesel")).toBeTruthy();
    expect(row("Truck").queryByText(/counts from/)).toBeNull();
    expect(row("Loader").getByText(/Enter a whole number of 0 or more/)).toBeTruthy();
    expect(row("=crane").getByText("There is already equipment named =Crane.")).toBeTruthy();
    expect(created).toEqual([]);

    state.refuse = (name) => name === "Truck";
    press(added(2));
    await screen.findByText("1 not added · 1 with an error · 1 possible duplicate · 1 added");
    expect(row("Truck").getByText("The name is not allowed.")).toBeTruthy();
    expect(currentToast()?.tone).toBe("failure");

    state.refuse = () => false;
    press(added(1));
    await screen.findByText("1 with an error · 1 possible duplicate · 2 added");
    expect(created.map(({ name, unit, currentUsage }) => [name, unit, currentUsage])).toEqual([
      ["Dozer", MeterUnit.HOURS, 4812.5],
      ["Truck", MeterUnit.HOURS, 7],
    ]);
    expect(created[0]).toMatchObject({ serviceInterval: 250, lastServiceUsage: 4812.5 });
    expect(keys).toHaveLength(3);
    expect(currentToast()?.tone).toBe("success");
    const link = screen.getByRole("link", { name: "Open the equipment list" });
    expect(link.getAttribute("href")).toBe("/equipment-list");
    void router.navigate({ to: "/equipment-list" });
    const leave = await screen.findByRole("alertdialog", { name: "Leave without saving?" });
    expect(within(leave).getByText("1 row was not added. The table shows why.")).toBeTruthy();
    fireEvent.click(within(leave).getByRole("button", { name: "Stay here" }));

    // A corrected sheet has only the corrected row left.
    await paste(sheet.replace("many", "500"));
    await screen.findByText("1 ready · 1 possible duplicate · 2 added");
    press(added(1));
    await screen.findByText("1 possible duplicate · 3 added");
    expect(created.map(({ name }) => name)).toEqual(["Dozer", "Truck", "Loader"]);
  });

  it("show each figure as it is read, and a refused one as typed", async () => {
    await open();
    await paste("Name\tType\tHours\nDozer\tMachinery\t812,4\nLoader\tMachinery\t4.812,4");
    await screen.findByText("1 ready · 1 with an error");
    expect(row("Dozer").getByText("812.4")).toBeTruthy();
    expect(row("Loader").getByText("4.812,4")).toBeTruthy();
  });

  it("take the reading that fits each row, and name the one that is left out", async () => {
    const { created } = await open();
    await paste(
      [
        "Unit, Machine, Type, Hours, Miles, Interval",
        "P-1, Pickup A, Vehicle, 1800, 52000, 5000",
        "E-1, Excavator A, Machinery, 2300, , 250",
      ].join("\n"),
    );
    await screen.findByText("2 ready");
    expect(screen.queryByText("Left out: Miles.")).toBeNull();
    expect(row("Pickup A").getByText("52,000")).toBeTruthy();
    expect(row("Pickup A").getByText("Left out: Hours 1800.")).toBeTruthy();
    expect(row("Excavator A").queryByText(/Left out/)).toBeNull();
    fireEvent.click(screen.getByRole("checkbox", { name: "Only rows with problems" }));
    expect(screen.getByText("Pickup A")).toBeTruthy();
    expect(screen.queryByText("Excavator A")).toBeNull();
    await changeLanguage("es");
    await screen.findByText("Sin importar: Hours 1800.");
    await changeLanguage("en");
    press(added(2));
    await screen.findByText("2 added");
    expect(created.map(({ unit, currentUsage }) => [unit, currentUsage])).toEqual([
      [MeterUnit.MILES, 52_000],
      [MeterUnit.HOURS, 2300],
    ]);
  });

  it("take one of two columns of readings if the other is left out", async () => {
    await open();
    await paste("Name\tType\tHours\tMiles\nTruck\tVehicle\t7\t52000");
    await screen.findByText("Left out: Hours 7.");
    const choose = (column: string, value: string) =>
      fireEvent.change(screen.getByRole("combobox", { name: column }), { target: { value } });
    choose("Miles", "threshold");
    expect(screen.queryByText("Left out: Hours 7.")).toBeNull();
    expect(row("Truck").getByText("hours")).toBeTruthy();
    choose("Miles", "currentUsage");
    expect(await screen.findByText("Left out: Hours 7.")).toBeTruthy();
  });

  it("can be chosen one by one, also duplicates and equal rows", async () => {
    const { created, keys } = await open();
    await paste("Name\tType\tUnit of measure\nSaw\ttool\tn/a\nSaw\ttool\tn/a");
    await screen.findByText("1 ready · 1 possible duplicate");
    fireEvent.click(screen.getByRole("checkbox", { name: "Add Saw, row 3" }));
    press(added(2));
    await screen.findByText("2 added");
    expect(created).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
  });

  it("show only rows with problems", async () => {
    await open();
    await paste(sheet);
    await screen.findByText("Dozer");
    fireEvent.click(screen.getByRole("checkbox", { name: "Only rows with problems" }));
    expect(screen.queryByText("Dozer")).toBeNull();
    expect(screen.getByText("Loader")).toBeTruthy();
  });

  it("take the columns and the type that are chosen", async () => {
    await open();
    await paste("Dozer\t4\nLoader\t5");
    await screen.findByText("No headings were recognized. Choose what each column contains.");
    fireEvent.change(screen.getByRole("combobox", { name: "Column 1" }), {
      target: { value: "name" },
    });
    await screen.findByText("2 with errors");
    fireEvent.change(screen.getByRole("combobox", { name: "Type of rows without one" }), {
      target: { value: "machinery" },
    });
    await screen.findByText("2 ready");
    fireEvent.change(screen.getByRole("combobox", { name: "Column 2" }), {
      target: { value: "currentUsage" },
    });
    expect(row("Loader").getByText("5")).toBeTruthy();
  });

  it("stay within the plan", async () => {
    const { created } = await open({ limit: 3, total: 1 });
    await paste("Name\tType\nA1\tvehicle\nA2\tvehicle\nA3\tvehicle");
    await screen.findByText(/Your plan has room for 2 more machines; 3 are selected/, {
      selector: "div",
    });
    const button = screen.getByRole("button", { name: added(3) });
    expect(button.getAttribute("aria-disabled")).toBe("true");
    expect(screen.getByRole("link", { name: "See plans" }).getAttribute("href")).toBe(
      "/subscription",
    );
    press("Select only the first 2");
    press(added(2));
    await screen.findByText(/2 added/);
    expect(created.map(({ name }) => name)).toEqual(["A1", "A2"]);
  });

  it("are read from a file, also one of Excel", async () => {
    await open();
    await cells();
    const input = document.querySelector("input[type=file]");
    if (!input) throw new Error("no file input");
    const choose = (bytes: number[]) => {
      const file = new File([Uint8Array.from(bytes)], "a.csv");
      file.arrayBuffer = () => Promise.resolve(Uint8Array.from(bytes).buffer);
      fireEvent.change(input, { target: { files: [file] } });
    };
    // Each character of windows-1252 is one byte here.
    choose(Array.from("Nombre;Tipo\r\nGrúa 2;maquinaria", (letter) => letter.charCodeAt(0)));
    expect(await screen.findByText("Grúa 2")).toBeTruthy();
    choose([0x50, 0x4b, 3, 4, 0]);
    await screen.findByText(/This is not a CSV file/);
  });

  it.each([
    [1000, /^1000 ready$/],
    [1001, /The sheet has 1,001 rows; at most 1,000/],
  ])("of %i rows are limited", async (count, text) => {
    await open({ limit: -1 });
    const rows = Array.from({ length: count }, (_, at) => `M${at}\tvehicle`);
    await paste(`Name\tType\n${rows.join("\n")}`);
    expect(await screen.findByText(text)).toBeTruthy();
  });

  it.each([
    ["Name\tType", /These are only headings/],
    ["x".repeat(1_000_001), /more than 1 MB/],
  ])("need rows, and not too many bytes", async (text, error) => {
    await open();
    await paste(text);
    await screen.findByText(error);
    expect(screen.queryByRole("button", { name: /^Add \d/ })).toBeNull();
  });

  it("can be stopped, and leaving asks before they are lost", async () => {
    const { created, state, router } = await open();
    const rows = Array.from({ length: 8 }, (_, at) => `M${at}\tvehicle`);
    await paste(`Name\tType\n${rows.join("\n")}`);
    await screen.findByText("8 ready");
    void router.navigate({ to: "/equipment-list" });
    fireEvent.click(await screen.findByRole("button", { name: "Stay here" }));
    await screen.findByRole("button", { name: added(8) });
    let release = () => {};
    state.hold = new Promise((resolve) => {
      release = resolve;
    });
    press(added(8));
    await screen.findByRole("button", { name: "0 of 8…" });
    press("Stop");
    release();
    await screen.findByText("4 ready · 4 added");
    expect(created).toHaveLength(4);
  });
});

it("leads back to the equipment list where it was opened", async () => {
  const { router } = await open({ path: "/equipment-list?search=crane" });
  fireEvent.click(await screen.findByRole("link", { name: "Import" }));
  await cells();
  press("Equipment List");
  await waitFor(() => expect(router.state.location.pathname).toBe("/equipment-list"));
  expect(router.state.location.search).toMatchObject({ search: "crane" });
});

describe("a file of ours", () => {
  it.each(["en", "es"] as const)("is read back in %s", async (language) => {
    const files = catchDownloads();
    const { router, created } = await open({ path: "/equipment-list" });
    await changeLanguage(language);
    fireEvent.click(await screen.findByRole("button", { name: /^(Export|Exportar) CSV$/ }));
    await waitFor(() => expect(files[0]?.text).toContain("SN1"));
    await changeLanguage("en");
    await router.navigate({ to: "/add-equipment", search: { import: true } });
    await paste((files[0]?.text ?? "").replace("C-1", "C-2"));
    await screen.findByText("1 possible duplicate");
    fireEvent.click(screen.getByRole("checkbox", { name: "Add =Crane, row 2" }));
    press(added(1));
    await screen.findByText("1 added");
    const { id: _id, meterReading: _reading, ...fields } = crane;
    expect(created[0]).toMatchObject({ ...fields, unitNumber: "C-2" });
  });

  it.each(["en", "es"] as const)(
    "with the template's headings has all fields in %s",
    async (language) => {
      const files = catchDownloads();
      await open();
      await cells();
      await changeLanguage(language);
      fireEvent.click(
        screen.getByRole("button", { name: /Download template|Descargar plantilla/ }),
      );
      await waitFor(() => expect(files[0]?.text).toContain("EX-12"));
      await changeLanguage("en");
      await paste(files[0]?.text ?? "");
      await screen.findByText("13 columns are imported.");
      await screen.findByText("1 ready");
    },
  );
});
