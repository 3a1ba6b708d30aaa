import { createFileRoute } from "@tanstack/react-router";
import * as v from "valibot";
import { accountStates } from "#/domain/account-states";
import { AdminAccountsPage } from "#/features/admin-accounts/admin-accounts-page";
import { key } from "#/i18n/key";
import { searchEntries } from "#/shared/table/search-entries";

export const Route = createFileRoute("/_staff/admin-accounts")({
  validateSearch: v.object({
    search: searchEntries.search,
    state: v.fallback(v.optional(v.picklist(accountStates)), undefined),
  }),
  staticData: { title: key("shell.titles.adminAccounts") },
  component: AdminAccountsRoute,
});

function AdminAccountsRoute() {
  const { search, state } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <AdminAccountsPage
      filter={{ search, state }}
      onFilter={(change) =>
        void navigate({
          search: (last) => ({ ...last, ...change }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}
