import { createFileRoute } from "@tanstack/react-router";
import * as v from "valibot";
import { accountStates } from "#/domain/account-states";
import { AdminAccountsPage } from "#/features/admin-accounts/admin-accounts-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_staff/admin-accounts")({
  // The router parses a search for digits as a number.
  validateSearch: v.object({
    search: v.fallback(
      v.optional(v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.maxLength(100))),
      undefined,
    ),
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
