import { createRouterTransport } from "@connectrpc/connect";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { owner, renderPart, stubRest } from "#/test/render-app";
import { PrintHost } from "./print-host";
import { usePrintReport } from "./use-print-report";

function PrintButton({ columns = 2 }: { columns?: number }) {
  const print = usePrintReport();
  const headers = ["Name", "Hours", "c3", "c4", "c5", "c6", "c7"].slice(0, columns);
  return (
    <button
      type="button"
      onClick={() =>
        print({
          title: "Equipment List",
          note: "2 pieces of equipment",
          columns: headers.map((header) => ({ header })),
          rows: [
            [<b key="n">Loader &lt;img&gt;</b>, 12],
            ["Saw", 3],
          ],
        })
      }
    >
      Print
    </button>
  );
}

function Printing({ columns }: { columns?: number }) {
  return (
    <>
      <PrintButton {...(columns === undefined ? {} : { columns })} />
      <PrintHost />
    </>
  );
}

const print = vi.fn<() => void>();
const transport = createRouterTransport(() => undefined);

beforeEach(() => {
  print.mockClear();
  vi.stubGlobal("print", print);
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
});

const report = () => document.querySelector<HTMLElement>("body > [data-print-report]");

it("prints a report and removes it afterwards", async () => {
  document.title = "Dashboard";
  const { queryClient } = await renderPart(<Printing />, transport);
  await waitFor(() => expect(queryClient.getQueryData(["session"])).toBeTruthy());
  await act(() => Promise.resolve());
  fireEvent.click(screen.getByRole("button", { name: "Print" }));
  await waitFor(() => expect(print).toHaveBeenCalledOnce());
  const paper = within(report() ?? document.body);
  expect(paper.getByRole("heading", { name: "Equipment List" })).toBeTruthy();
  expect(paper.getByText("2 pieces of equipment")).toBeTruthy();
  expect(paper.getByText("Acme Earthworks")).toBeTruthy();
  expect(paper.getAllByRole("columnheader").map((cell) => cell.textContent)).toEqual([
    "Name",
    "Hours",
  ]);
  expect(paper.getAllByRole("row")[1]?.textContent).toBe("Loader <img>12");
  expect(document.title).toBe("Equipment List - Acme Earthworks");
  fireEvent(window, new Event("afterprint"));
  expect(report()).toBeNull();
  expect(document.title).toBe("Dashboard");
});

it("prints a wide report in landscape", async () => {
  await renderPart(<Printing columns={7} />, transport);
  fireEvent.click(screen.getByRole("button", { name: "Print" }));
  await waitFor(() => expect(report()?.dataset.printReport).toBe("landscape"));
  fireEvent(window, new Event("afterprint"));
});
