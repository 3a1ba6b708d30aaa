import { createRouterTransport } from "@connectrpc/connect";
import { useInfiniteQuery } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { renderPart } from "#/test/render-app";
import type { Column } from "./column";
import { PagedTable } from "./paged-table";
import { usePages } from "./use-pages";

interface Row {
  id: string;
}

const columns: ReadonlyArray<Column<Row>> = [
  { id: "name", header: "Name", card: "title", cell: ({ id }) => id },
];

function Things({ rows }: { rows: Row[] }) {
  const query = useInfiniteQuery({
    queryKey: ["things"],
    queryFn: () => ({ rows, nextCursor: null }),
    initialPageParam: 0,
    getNextPageParam: () => null,
  });
  return (
    <PagedTable
      label="Things"
      columns={columns}
      pages={usePages(query)}
      failed="Failed"
      restFailed="Failed"
      empty={false}
      end={<p>End</p>}
    />
  );
}

const transport = createRouterTransport(() => undefined);

it("has no box without rows and without an empty state", async () => {
  await renderPart(<Things rows={[]} />, transport);
  await vi.waitFor(() => expect(screen.queryByText("Loading…")).toBeNull());
  expect(document.querySelector("[class*='@container']")).toBeNull();
});

it("is a table from 720 px", async () => {
  vi.stubGlobal("innerWidth", 720);
  await renderPart(<Things rows={[{ id: "One" }]} />, transport);
  expect(await screen.findByRole("table", { name: "Things" })).toBeTruthy();
  vi.unstubAllGlobals();
});
