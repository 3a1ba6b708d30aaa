import { queryOptions } from "@tanstack/react-query";
import { catalogueSchema } from "./plan-catalogue";
import { rest } from "./rest";

export type { Plan } from "./plan-catalogue";

/** Prices, limits and the length of the trial; the only source of them for all pages. */
export const planCatalogueQuery = queryOptions({
  queryKey: ["plans"],
  queryFn: ({ signal }) => rest("GET", "/api/plans", catalogueSchema, { signal }),
  staleTime: 5 * 60_000,
  gcTime: 10 * 60_000,
});
