import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { Column } from "#/shared/table/column";
import { Checkbox } from "#/shared/ui/toggle";

/** The machines of a list that are chosen for one action. */
export function useListSelection(rows: readonly Equipment[]) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<ReadonlyMap<string, Equipment> | null>(null);
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
    [t, chosen],
  );
  return {
    /** Null while nothing can be selected. */
    column,
    machines: chosen ? [...chosen.values()] : [],
    isAll: chosen !== null && rows.length > 0 && rows.every(({ id }) => chosen.has(id)),
    start: () => setChosen(new Map()),
    stop: () => setChosen(null),
    set: (given: readonly Equipment[], on: boolean) =>
      setChosen((last) => withRows(last ?? new Map(), given, on)),
    clear: () => setChosen(new Map()),
  };
}

export type ListSelection = ReturnType<typeof useListSelection>;

function withRows(
  chosen: ReadonlyMap<string, Equipment>,
  rows: readonly Equipment[],
  on: boolean,
): ReadonlyMap<string, Equipment> {
  const next = new Map(chosen);
  for (const row of rows) {
    if (on) next.set(row.id, row);
    else next.delete(row.id);
  }
  return next;
}
