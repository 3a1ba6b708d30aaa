import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { Column } from "#/shared/table/column";
import { useSession } from "#/session/session";
import { Checkbox } from "#/shared/ui/toggle";

type Chosen = ReadonlyMap<string, Equipment>;

/** The last selection and the page it belongs to, for the way back to that page. */
const kept = new WeakMap<QueryClient, { place: string; chosen: Chosen | null }>();

/** The machines of a list that are chosen for one action. */
export function useListSelection(rows: readonly Equipment[]) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const place = `${useSession()?.id} ${useLocation().pathname}`;
  const [chosen, setShown] = useState(() => {
    const last = kept.get(client);
    return last?.place === place ? last.chosen : null;
  });
  const setChosen = useCallback(
    (next: Chosen | null) => {
      kept.set(client, { place, chosen: next });
      setShown(next);
    },
    [client, place],
  );
  const column = useMemo<Column<Equipment> | null>(
    () =>
      chosen && {
        id: "select",
        header: t("equipment-bulk.column"),
        card: "title",
        cell: (row) => (
          <Checkbox
            aria-label={t("equipment-bulk.choose", { name: row.name })}
            checked={chosen.has(row.id)}
            onChange={(event) => setChosen(withRows(chosen, [row], event.target.checked))}
          />
        ),
      },
    [t, chosen, setChosen],
  );
  return {
    /** Null while nothing can be selected. */
    column,
    machines: chosen ? [...chosen.values()] : [],
    isAll: chosen !== null && rows.length > 0 && rows.every(({ id }) => chosen.has(id)),
    start: () => setChosen(new Map()),
    stop: () => setChosen(null),
    set: (given: readonly Equipment[], on: boolean) =>
      setChosen(withRows(chosen ?? new Map(), given, on)),
    clear: () => setChosen(new Map()),
  };
}

export type ListSelection = ReturnType<typeof useListSelection>;

function withRows(chosen: Chosen, rows: readonly Equipment[], on: boolean): Chosen {
  const next = new Map(chosen);
  for (const row of rows) {
    if (on) next.set(row.id, row);
    else next.delete(row.id);
  }
  return next;
}
