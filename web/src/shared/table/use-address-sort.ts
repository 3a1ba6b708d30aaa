import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Sort } from "./column";

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
