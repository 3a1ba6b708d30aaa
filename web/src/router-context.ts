import type { Transport } from "@connectrpc/connect";
import type { QueryClient } from "@tanstack/react-query";

export interface RouterContext {
  queryClient: QueryClient;
  transport: Transport;
  /** The first page follows another one in the same document, such as the sign-in page. */
  isContinued?: boolean;
}

export interface PageContext extends RouterContext {
  /** Whether the page is the first one of the document. */
  isFirstPage: () => boolean;
}
