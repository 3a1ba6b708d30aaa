import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { callKey } from "#/api/call-key";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { bestFirst } from "#/domain/find-machines";
import { useEquipmentPages } from "../table/equipment-pages";
import { recentMachineIds } from "./recent-machines";

const { listEquipment } = EquipmentService.method;
const mostMatches = 20;

/**
 * The machines that match: those that start with the search first, then by urgency. Without a search
 * also those opened last.
 * `withMeter` leaves out machines without a meter; it filters the first hundred matches.
 */
export function useMachineSearch(search: string, withMeter = false) {
  const { query, rows, matching } = useEquipmentPages({ search });
  const recent = useRecentMachines();
  const isSearching = search.trim() !== "";
  const found = useMemo(() => {
    const isOffered = ({ unit }: Equipment) => !withMeter || unitWord(unit) !== "n/a";
    const shown = isSearching ? [] : recent.filter(isOffered);
    const others =
      rows?.filter((row) => isOffered(row) && !shown.some(({ id }) => id === row.id)) ?? [];
    return { recent: shown, others: bestFirst(others, search).slice(0, mostMatches) };
  }, [isSearching, withMeter, recent, rows, search]);
  /** Whether the machines are those of this search. */
  const settled = !query.isPending && !query.isPlaceholderData;
  return { ...found, query, matching, settled };
}

const none: readonly Equipment[] = [];

function useRecentMachines(): readonly Equipment[] {
  const transport = useTransport();
  const [ids] = useState(recentMachineIds);
  const input = { ids };
  const { data } = useQuery({
    queryKey: callKey(listEquipment, input),
    queryFn: ({ signal }) => callUnaryMethod(transport, listEquipment, input, { signal }),
    enabled: ids.length > 0,
  });
  return useMemo(() => {
    const rows = data?.equipment ?? none;
    return ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
  }, [data, ids]);
}
