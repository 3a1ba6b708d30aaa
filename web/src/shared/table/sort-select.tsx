import { useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Select } from "#/shared/ui/select";
import type { Column, Sort } from "./column";

/**
 * The order of cards, which have no column headings. Its parent is a container of the same width as
 * the table, which has cards below 720 px.
 */
export function SortSelect<Row>({
  columns,
  sort,
  onSort,
}: {
  columns: ReadonlyArray<Column<Row>>;
  sort: Sort | null;
  onSort: (sort: Sort | null) => void;
}) {
  const { t } = useTranslation();
  const Icon = sort?.descending ? ArrowDown : ArrowUp;
  return (
    <div className="no-print flex items-center gap-2 @min-[720px]:hidden">
      <span aria-hidden className="text-sm text-muted">
        {t("equipment-list.order.label")}
      </span>
      <div className="min-w-0 flex-1">
        <Select
          label={t("equipment-list.order.label")}
          all={t("equipment-list.order.own")}
          value={sort?.id}
          options={columns
            .filter(({ sortable, sortValue }) => sortable || sortValue)
            .map(({ id, header }) => ({ value: id, label: header }))}
          onChange={(id) => onSort(id === undefined ? null : { id, descending: false })}
        />
      </div>
      {sort && (
        <Button
          icon
          aria-label={t("equipment-list.order.descending")}
          aria-pressed={sort.descending}
          onClick={() => onSort({ ...sort, descending: !sort.descending })}
        >
          <Icon aria-hidden className="size-4" />
        </Button>
      )}
    </div>
  );
}

/** The order of the page's table from the address, as properties of `DataTable`. */
export function useAddressSort() {
  const word = useSearch({ strict: false, select: ({ order }) => order });
  const navigate = useNavigate();
  const sort = useMemo((): Sort | null => {
    const [id = "", direction] = (word ?? "").split(".");
    return id ? { id, descending: direction === "desc" } : null;
  }, [word]);
  const onSort = (next: Sort | null) =>
    void navigate({
      to: ".",
      search: (last) => ({
        ...last,
        order: next ? next.id + (next.descending ? ".desc" : "") : undefined,
      }),
      replace: true,
      resetScroll: false,
    });
  return { sort, onSort };
}
