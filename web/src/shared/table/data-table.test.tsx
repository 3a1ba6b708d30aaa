import { createRouterTransport } from "@connectrpc/connect";
import { act, fireEvent, screen, within } from "@testing-library/react";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { renderPart } from "#/test/render-app";
import type { Column, Sort } from "./column";
import { DataTable } from "./data-table";

interface Row {
  id: string;
  hours: number;
}

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: `r${index}`, hours: count - index }));

const columns: ReadonlyArray<Column<Row>> = [
  {
    id: "name",
    header: "Name",
    sortable: true,
    cell: (row) => <button type="button">{row.id}</button>,
  },
  { id: "hours", header: "Hours", sortValue: (row) => row.hours, cell: (row) => row.hours },
];

const transport = createRouterTransport(() => undefined);
const open = (props: Partial<Parameters<typeof DataTable<Row>>[0]>) =>
  renderPart(
    <DataTable
      label="Things"
      columns={columns}
      rows={[]}
      rowKey={(row) => row.id}
      empty={<p>Nothing</p>}
      {...props}
    />,
    transport,
  );
const bodyRows = () =>
  screen.getAllByRole("row").filter((row) => within(row).queryAllByRole("cell").length > 0);

/** Stubs the IntersectionObserver; returns a function that reports the end of the list in view. */
function stubEnd() {
  const reports: Array<() => void> = [];
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(callback: (entries: Array<{ isIntersecting: boolean }>) => void) {
        reports.push(() => callback([{ isIntersecting: true }]));
      }
      observe = () => undefined;
      disconnect = () => undefined;
    },
  );
  return () => act(() => reports.at(-1)?.());
}

describe("a short list", () => {
  it("renders cards from the start in a narrow window", async () => {
    vi.stubGlobal("innerWidth", 390);
    const inTable = vi.fn<() => string>(() => "in the table");
    const both: Column<Row> = { id: "x", header: "X", cell: inTable, cardCell: () => "on a card" };
    await open({ rows: rowsOf(1), columns: [both] });
    expect(screen.getByText("on a card")).toBeTruthy();
    expect(inTable).not.toHaveBeenCalled();
    vi.unstubAllGlobals();
  });

  it("is a table without the columns for wide windows where it may be narrow", async () => {
    vi.stubGlobal("innerWidth", 800);
    const wide: Column<Row> = { id: "x", header: "Wide", wide: true, cell: () => "x" };
    await open({ rows: rowsOf(1), columns: [...columns, wide], tableFrom: 720 });
    expect(screen.getAllByRole("columnheader").map((head) => head.textContent)).toEqual([
      "Name",
      "Hours",
    ]);
    vi.unstubAllGlobals();
  });

  it("renders all rows and is sorted in the client", async () => {
    await open({ rows: rowsOf(60) });
    expect(bodyRows()).toHaveLength(60);
    expect(screen.getByRole("table").hasAttribute("aria-rowcount")).toBe(false);
    fireEvent.click(screen.getByRole("button", { name: "Hours" }));
    expect(bodyRows()[0]?.textContent).toBe("r591");
  });

  it("shows the empty state", async () => {
    await open({});
    expect(screen.getByText("Nothing")).toBeTruthy();
  });

  it("counts rows that are not loaded yet", async () => {
    await open({ rows: rowsOf(3), total: 250 });
    expect(screen.getByRole("table").getAttribute("aria-rowcount")).toBe("251");
    expect(bodyRows()[2]?.getAttribute("aria-rowindex")).toBe("4");
  });
});

describe("a long list", () => {
  // Their code is loaded with the first one.
  beforeAll(async () => {
    await vi.dynamicImportSettled();
  });

  it("renders rows near the window, with the height and count of all", async () => {
    await open({ rows: rowsOf(5000) });
    const table = screen.getByRole("table", { name: "Things" });
    expect(bodyRows().length).toBeLessThan(60);
    expect(table.getAttribute("aria-rowcount")).toBe("5001");
    expect(bodyRows()[0]?.getAttribute("aria-rowindex")).toBe("2");
    const gap = table.querySelector<HTMLElement>("tr[aria-hidden]");
    expect(Number.parseFloat(gap?.style.height ?? "")).toBeCloseTo(
      (5000 - bodyRows().length) * 58,
      0,
    );
  });

  it("keeps the focused row when the window moves on", async () => {
    await open({ rows: rowsOf(1000) });
    screen.getByRole("button", { name: "r2" }).focus();
    Object.defineProperty(window, "scrollY", { value: 40_000, configurable: true });
    fireEvent.scroll(window);
    expect(screen.queryByRole("button", { name: "r0" })).toBeNull();
    expect(document.activeElement?.textContent).toBe("r2");
    Object.defineProperty(window, "scrollY", { value: 0, configurable: true });
  });

  it("does not render rows again that stay near the window", async () => {
    const drawn: string[] = [];
    const cell = (row: Row) => {
      drawn.push(row.id);
      return row.id;
    };
    await open({ rows: rowsOf(1000), columns: [{ id: "name", header: "Name", cell }] });
    const before = new Set(drawn.splice(0));
    Object.defineProperty(window, "scrollY", { value: 152, configurable: true });
    fireEvent.scroll(window);
    expect(drawn.length).toBeGreaterThan(0);
    expect(drawn.filter((id) => before.has(id))).toEqual([]);
    Object.defineProperty(window, "scrollY", { value: 0, configurable: true });
  });

  it("renders all rows for print", async () => {
    await open({ rows: rowsOf(200) });
    fireEvent(window, new Event("beforeprint"));
    expect(bodyRows()).toHaveLength(200);
    fireEvent(window, new Event("afterprint"));
    expect(bodyRows().length).toBeLessThan(60);
  });

  it("requests more near its end", async () => {
    const reach = stubEnd();
    const onEndReached = vi.fn<() => void>();
    await open({ rows: rowsOf(100), onEndReached });
    expect(onEndReached).not.toHaveBeenCalled();
    reach();
    expect(onEndReached).toHaveBeenCalledOnce();
    vi.unstubAllGlobals();
  });
});

describe("rows that come sorted", () => {
  it("are requested ascending, descending, then in the default order, and are not sorted again", async () => {
    const sorts: Array<Sort | null> = [];
    const onSort = (sort: Sort | null) => void sorts.push(sort);
    await open({ rows: rowsOf(2), onSort, sort: { id: "name", descending: true } });
    expect(screen.getByRole("columnheader", { name: "Name" }).ariaSort).toBe("descending");
    fireEvent.click(screen.getByRole("button", { name: "Name" }));
    fireEvent.click(screen.getByRole("button", { name: "Hours" }));
    expect(sorts).toEqual([null, { id: "hours", descending: false }]);
    expect(bodyRows()[0]?.textContent).toBe("r02");
  });
});
