import type { PageResponse } from "./gen/hourmeter/common/v1/page_pb";

/** As many rows as the server answers at once. */
const pageSize = 500;

interface Answer {
  page?: PageResponse | undefined;
}

/** Reads a list to its end, page by page, and answers it as if it were one page. */
export async function wholeList<Page extends Answer>(
  load: (page: { limit: number; cursor: string }) => Promise<Page>,
  append: (whole: Page, next: Page) => void,
): Promise<Page> {
  const whole = await load({ limit: pageSize, cursor: "" });
  let cursor = whole.page?.nextCursor;
  while (cursor) {
    const next = await load({ limit: pageSize, cursor });
    append(whole, next);
    cursor = next.page?.nextCursor;
  }
  return whole;
}
