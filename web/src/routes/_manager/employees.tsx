import { createFileRoute } from "@tanstack/react-router";
import { useCallback } from "react";
import * as v from "valibot";
import { ResetDialog } from "#/features/admin-tools/reset-dialog";
import { OperatorsPage } from "#/features/operators/operators-page";
import { key } from "#/i18n/key";
import { searchEntries } from "#/shared/table/search-entries";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_manager/employees")({
  validateSearch: v.object({
    ...searchEntries,
    /** Opens a dialog; used by links from other pages. */
    open: v.fallback(v.optional(v.picklist(["password", "add", "print"])), undefined),
  }),
  staticData: { title: key("shell.titles.operators") },
  loader: ({ context }) => prefetch(context, (pages) => pages.people()),
  component: OperatorsRoute,
});

function OperatorsRoute() {
  const { search, open } = Route.useSearch();
  const navigate = Route.useNavigate();
  const closed = useCallback(
    () =>
      void navigate({
        search: (last) => ({ ...last, open: undefined }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  return (
    <OperatorsPage
      search={search}
      resetDialog={ResetDialog}
      onSearch={(next) =>
        void navigate({
          search: ({ open: _open, ...last }) => ({ ...last, search: next }),
          replace: true,
          resetScroll: false,
        })
      }
      linked={open}
      onClosed={closed}
    />
  );
}
