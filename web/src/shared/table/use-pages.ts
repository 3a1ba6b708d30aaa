import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { RestPage } from "#/api/rest";

type PagedQuery<Row> = UseInfiniteQueryResult<InfiniteData<RestPage<Row>>>;

/** A list that comes page by page, for `<PagedTable>`. */
export interface Pages<Row> {
  query: PagedQuery<Row>;
  /** What has come so far; undefined before the first page. */
  rows: readonly Row[] | undefined;
  /** Asks for the next page, where there is one. */
  more: () => void;
}

/** The pages of a query as one list. */
export function usePages<Row extends { id: string }>(query: PagedQuery<Row>): Pages<Row> {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const rows = useMemo(() => data && uniqueById(data.pages.flatMap((page) => page.rows)), [data]);
  const more = useCallback(() => {
    // A page that failed is asked for again by a press, not by scrolling.
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return { query, rows, more };
}

/** Rows that are added or move while one reads may come with two pages; none stands twice. */
export function uniqueById<Row extends { id: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
