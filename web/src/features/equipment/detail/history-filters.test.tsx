import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import {
  HistoryKind,
  HistoryOrder,
  NoteType,
  type ListHistoryRequest,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentPrintJob, setPrintJob } from "#/shared/print/store";
import { id, idle, openDetail, record, world, type World } from "./detail.fixture";

const files: string[] = [];
vi.mock("#/shared/csv/download", () => ({
  download: (_name: string, text: string) => files.push(text),
}));

beforeEach(() => {
  setPrintJob(null);
  files.length = 0;
});

const open = (state: World, more = "") => openDetail(state, `?tab=history${more}`);
const ledger = () => screen.findByRole("list", { name: "History" });

const mixed = () => [
  record({ id: "usage", usageBefore: 4750, usage: 4812.5 }),
  record({ id: "service", kind: HistoryKind.SERVICE, taskName: "Oil filter" }),
  record({ id: "note", kind: HistoryKind.NOTE, noteType: NoteType.NOTE, content: "Order teeth" }),
  record({
    id: "edit",
    kind: HistoryKind.EDIT,
    content: 'Service task "Oil" added: every 250 hours or 6 months',
  }),
];

it("filters by kind, also in the URL", async () => {
  const { router } = await open(world({ records: mixed() }));
  await ledger();
  fireEvent.click(screen.getByRole("radio", { name: "Edits" }));
  expect(
    await screen.findByText('Service task "Oil" added: every 250 hours or 6 months'),
  ).toBeTruthy();
  await waitFor(() =>
    expect(
      within(screen.getByRole("list", { name: "History" })).getAllByRole("listitem"),
    ).toHaveLength(1),
  );
  expect(router.state.location.search).toEqual({ tab: "history", kind: "edits" });
  fireEvent.click(screen.getByRole("radio", { name: "Archive" }));
  await screen.findByText("No entries match");
  fireEvent.click(await screen.findByRole("button", { name: "Show all entries" }));
  await waitFor(() => expect(router.state.location.search).toEqual({ tab: "history" }));
});

it("filters by person and period on the server, also in the URL, the file and on paper", async () => {
  const state = world({ records: mixed() });
  const requests: ListHistoryRequest[] = [];
  state.onHistory = (request) => requests.push(request);
  const { router } = await open(state, `&from=2026-11-01&person=${id}`);
  await ledger();
  fireEvent.change(screen.getByLabelText("To"), { target: { value: "2026-11-20" } });
  await waitFor(() =>
    expect(router.state.location.search).toMatchObject({
      person: id,
      from: "2026-11-01",
      to: "2026-11-20",
    }),
  );
  await ledger();
  const filter = {
    personId: id,
    from: "2026-11-01",
    to: "2026-11-20",
    order: HistoryOrder.CAPTURED,
  };
  await waitFor(() => expect(requests.at(-1)).toMatchObject(filter));
  requests.length = 0;
  fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
  await waitFor(() => expect(files).toHaveLength(1));
  expect(requests).toMatchObject([filter]);
  requests.length = 0;
  fireEvent.click(screen.getByRole("button", { name: "Print" }));
  await waitFor(() =>
    expect(currentPrintJob()?.note).toBe(
      "CAT0320 · 4 entries · Someone no longer here · From Nov 1, 2026 · To Nov 20, 2026",
    ),
  );
  expect(requests).toMatchObject([filter]);
});

it("exports an edit with the time on the screen, not its place among readings", async () => {
  const at = (time: string) => timestampFromDate(new Date(time));
  const edit = { kind: HistoryKind.EDIT, content: "Name: A → B" };
  const times = { createdAt: at("2026-11-20T12:00:00"), capturedAt: at("2026-11-20T18:00:00") };
  await open(world({ records: [record({ id: "edit", ...edit, ...times })] }));
  await ledger();
  fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
  await waitFor(() => expect(files).toHaveLength(1));
  expect(JSON.stringify(files)).toContain("2026-11-20 12:00");
});

it("offers to clear each filter if nothing matches", async () => {
  const { router } = await open(world({ records: mixed() }), `&kind=service&person=${idle}`);
  await screen.findByText("No entries match");
  expect(screen.getByRole("combobox", { name: "Person" })).toHaveProperty("value", idle);
  fireEvent.click(await screen.findByRole("button", { name: "Clear filter: Luis Ortega" }));
  await ledger();
  expect(router.state.location.search).toEqual({ tab: "history", kind: "service" });
});

it("says that a period is reversed, and does not request it", async () => {
  const state = world({ records: mixed() });
  const requests: ListHistoryRequest[] = [];
  state.onHistory = (request) => requests.push(request);
  await open(state, "&from=2026-11-02&to=2026-11-01");
  expect((await screen.findByRole("alert")).textContent).toBe(
    "The first day is after the last one.",
  );
  fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
  fireEvent.click(screen.getByRole("button", { name: "Print" }));
  fireEvent.change(screen.getByLabelText("To"), { target: { value: "2026-11-03" } });
  await ledger();
  const periods = requests.map(({ from, to }) => [from, to]).filter(([, to]) => to !== "");
  expect(periods).toEqual([["2026-11-02", "2026-11-03"]]);
});

it("says that the people could not be loaded, and names the filtered one as unknown", async () => {
  await open(world({ records: mixed(), peopleFail: true }), `&person=${id}`);
  expect(await screen.findByText("The list of people could not be loaded.")).toBeTruthy();
  expect(await screen.findByRole("option", { name: "Someone no longer here" })).toBeTruthy();
});

it("offers former people of the loaded entries", async () => {
  const entry = record({ id: "usage", personId: id, operatorName: "Pedro Gone" });
  await open(world({ records: [entry, record({ id: "old", personId: "" })] }));
  const option = await screen.findByRole("option", { name: "Pedro Gone" });
  expect(option).toHaveProperty("value", id);
  const options = within(screen.getByRole("combobox", { name: "Person" })).getAllByRole("option");
  expect(options.filter((each) => each.textContent === "")).toEqual([]);
});
