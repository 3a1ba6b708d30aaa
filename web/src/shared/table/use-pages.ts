import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { RestPage } from "#/api/rest";

type PagedQuery<Row> = UseInfiniteQueryResult<InfiniteData<RestPage<Row>>>;

/** A paged list, for `<PagedTable>`. */
export interface Pages<Row> {
  query: PagedQuery<Row>;
  /** The loaded rows; undefined before the first page. */
  rows: readonly Row[] | undefined;
  /** Requests the next page, if there is one. */
  more: () => void;
}

export function usePages<Row extends { id: string }>(query: PagedQuery<Row>): Pages<Row> {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const rows = useMemo(() => data && uniqueById(data.pages.flatMap((page) => page.rows)), [data]);
  const more = useCallback(() => {
    // After a failure, the user retries; scrolling does not.
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return { query, rows, more };
}

/** Removes duplicates: rows that move between requests may come with two pages. */
export function uniqueById<Row extends { id: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
