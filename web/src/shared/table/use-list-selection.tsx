import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "#/session/session";
import { Checkbox } from "#/shared/ui/toggle";
import type { Column } from "./column";

interface Named {
  id: string;
  name: string;
}

type Chosen<Row> = ReadonlyMap<string, Row>;

/** A hook with the rows of a list that are chosen for one action. */
export function listSelection<Row extends Named>() {
  /** The last selection and the page it belongs to, for the way back to that page. */
  const kept = new WeakMap<QueryClient, { place: string; chosen: Chosen<Row> | null }>();

  return function useListSelection(rows: readonly Row[]) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const place = `${useSession()?.id} ${useLocation().pathname}`;
    const [chosen, setShown] = useState(() => {
      const last = kept.get(client);
      return last?.place === place ? last.chosen : null;
    });
    const setChosen = useCallback(
      (next: Chosen<Row> | null) => {
        kept.set(client, { place, chosen: next });
        setShown(next);
      },
      [client, place],
    );
    const column = useMemo<Column<Row> | null>(
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
      set: (given: readonly Row[], on: boolean) =>
        setChosen(withRows(chosen ?? new Map<string, Row>(), given, on)),
      /** Chooses only these. */
      replace: (given: readonly Row[]) => setChosen(withRows(new Map<string, Row>(), given, true)),
      clear: () => setChosen(new Map()),
    };
  };
}

export type ListSelection<Row extends Named> = ReturnType<ReturnType<typeof listSelection<Row>>>;

function withRows<Row extends Named>(
  chosen: Chosen<Row>,
  rows: readonly Row[],
  on: boolean,
): Chosen<Row> {
  const next = new Map(chosen);
  for (const row of rows) {
    if (on) next.set(row.id, row);
    else next.delete(row.id);
  }
  return next;
}
