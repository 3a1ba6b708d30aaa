import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { equipmentSummaryQuery } from "#/api/equipment-summary";

const none: readonly string[] = [];

/** The groups of the company's equipment in natural order; none until they are loaded. */
export function useGroups(): readonly string[] {
  return useQuery(equipmentSummaryQuery(useTransport())).data?.groups ?? none;
}
