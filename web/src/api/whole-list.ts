import type { PageResponse } from "./gen/hourmeter/common/v1/page_pb";

/** The server's maximum page size. */
const pageSize = 500;

interface Answer {
  page?: PageResponse | undefined;
}

/** Reads all pages of a list and returns them as one page. */
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
