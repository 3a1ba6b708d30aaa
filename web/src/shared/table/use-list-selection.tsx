import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "#/session/session";
import { useKeysOn } from "#/shared/keys/keys-choice";
import { useKeys } from "#/shared/keys/use-keys";
import { Checkbox } from "#/shared/ui/toggle";
import type { Column } from "./column";

interface Identified {
  id: string;
}

type Chosen<Row> = ReadonlyMap<string, Row>;

const noRepeats: ReadonlySet<string> = new Set();

/** A hook with the rows of a list that are chosen for one action. */
export function listSelection<Row extends Identified>() {
  /** The last selection and the page it belongs to, for the way back to that page. */
  const kept = new WeakMap<QueryClient, { place: string; chosen: Chosen<Row> | null }>();

  return function useListSelection(
    rows: readonly Row[],
    /** Stable. */
    nameOf: (row: Row) => string,
  ) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const place = `${useSession()?.id} ${useLocation().pathname}`;
    const [chosen, setShown] = useState(() => {
      const last = kept.get(client);
      return last?.place === place ? last.chosen : null;
    });
    /** The rows as sorted by the table. */
    const sorted = useRef<readonly Row[] | null>(null);
    /** The row that was chosen last, where a range begins. */
    const anchor = useRef<string | null>(null);
    const setChosen = useCallback(
      (next: Chosen<Row> | null) => {
        kept.set(client, { place, chosen: next });
        setShown(next);
      },
      [client, place],
    );
    const set = (given: readonly Row[], on: boolean) =>
      setChosen(withRows(chosen ?? new Map<string, Row>(), given, on));
    const choose = useCallback(
      (row: Row, range: boolean) => {
        const order = sorted.current ?? rows;
        const at = (id: string | null) => order.findIndex((each) => each.id === id);
        const [from, to] = [at(anchor.current), at(row.id)];
        const given =
          range && from >= 0 && to >= 0
            ? order.slice(Math.min(from, to), Math.max(from, to) + 1)
            : [row];
        anchor.current = row.id;
        const last = chosen ?? new Map<string, Row>();
        setChosen(withRows(last, given, range || !last.has(row.id)));
      },
      [chosen, rows, setChosen],
    );
    /** The checkbox of a row; null while nothing can be selected. */
    const box = useMemo(
      () =>
        chosen &&
        ((row: Row) => (
          <Checkbox
            aria-label={t("equipment-bulk.choose", { name: nameOf(row) })}
            checked={chosen.has(row.id)}
            onChange={({ nativeEvent }) =>
              choose(row, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        )),
      [t, chosen, choose, nameOf],
    );
    const column = useMemo<Column<Row> | null>(
      () => box && { id: "select", header: t("equipment-bulk.column"), card: "title", cell: box },
      [t, box],
    );
    const keysOn = useKeysOn();
    const chooseFocused = (range: boolean) => () => {
      const focused = document.activeElement?.closest<HTMLElement>("[data-row-key]");
      const row = rows.find(({ id }) => id === focused?.dataset.rowKey);
      if (row) choose(row, range);
    };
    useKeys(
      () => ({
        ...(keysOn && { x: chooseFocused(false), "Shift+X": chooseFocused(true) }),
        Escape: chosen !== null && (() => setChosen(null)),
      }),
      noRepeats,
    );
    /** As listed now; a row that is not listed stays as it was chosen. */
    const current = useMemo(() => {
      if (!chosen) return [];
      const byId = new Map(rows.map((row) => [row.id, row]));
      return [...chosen.values()].map((kept) => byId.get(kept.id) ?? kept);
    }, [chosen, rows]);
    return {
      column,
      box,
      chosen: current,
      isAll: chosen !== null && rows.length > 0 && rows.every(({ id }) => chosen.has(id)),
      start: () => setChosen(new Map()),
      stop: () => setChosen(null),
      set,
      setAll: () => set(rows, true),
      /** Chooses only these. */
      replace: (given: readonly Row[]) => setChosen(withRows(new Map<string, Row>(), given, true)),
      clear: () => setChosen(new Map()),
      /** For a table that sorts its rows: ranges follow its order. Stable. */
      onSorted: useCallback((order: readonly Row[]) => {
        sorted.current = order;
      }, []),
    };
  };
}

export function nameOf({ name }: { name: string }): string {
  return name;
}

export type ListSelection<Row extends Identified> = ReturnType<
  ReturnType<typeof listSelection<Row>>
>;

function withRows<Row extends Identified>(
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
