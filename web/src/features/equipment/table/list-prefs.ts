import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import * as v from "valibot";
import { readCached, updateCached } from "#/device/database";
import { equipmentFilterSchema } from "#/domain/equipment-filter";
import { useSession } from "#/session/session";

/** Columns that are shown on request; the others always are. */
export const optionalColumns = [
  "type",
  "fuel",
  "threshold",
  "interval",
  "status",
  "parts",
  "updated",
] as const;
export type OptionalColumn = (typeof optionalColumns)[number];

const savedViewSchema = v.object({ name: v.string(), search: equipmentFilterSchema });
export type SavedView = v.InferOutput<typeof savedViewSchema>;

// Damaged or unknown values are dropped one by one.
const prefsSchema = v.object({
  columns: v.fallback(v.string(), ""),
  density: v.fallback(v.picklist(["comfortable", "compact"]), "comfortable"),
  views: v.fallback(v.array(savedViewSchema), []),
});
export type ListPrefs = v.InferOutput<typeof prefsSchema>;

const read = (stored: unknown): ListPrefs =>
  v.parse(prefsSchema, typeof stored === "object" && stored ? stored : {});

const prefsQuery = (userId: string) =>
  queryOptions({
    queryKey: ["list-prefs", userId],
    queryFn: async () => read(await readCached(`list-prefs/${userId}`)),
    staleTime: Infinity,
    gcTime: Infinity,
  });

/**
 * How a person wants to see lists of equipment. It is kept on the device, where it survives a
 * sign-out.
 */
export function useListPrefs() {
  const client = useQueryClient();
  const userId = useSession()?.id ?? "";
  const query = prefsQuery(userId);
  const { data = read(undefined) } = useQuery(query);
  return {
    ...data,
    change: (next: Partial<ListPrefs> | ((last: ListPrefs) => Partial<ListPrefs>)) => {
      const changed = (stored: unknown) => {
        const last = read(stored);
        return { ...last, ...(typeof next === "function" ? next(last) : next) };
      };
      client.setQueryData(query.queryKey, changed);
      // Reads first, because another tab may have changed the rest.
      void updateCached(`list-prefs/${userId}`, changed);
    },
  };
}

/** The optional columns in the address, or the person's own. */
export function columnsOf(words: string): OptionalColumn[] {
  const chosen = words.split(".");
  return optionalColumns.filter((column) => chosen.includes(column));
}
