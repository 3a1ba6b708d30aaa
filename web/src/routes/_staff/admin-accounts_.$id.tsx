import { createFileRoute } from "@tanstack/react-router";
import { NotFoundPage } from "#/app/not-found-page";
import { AccountPage } from "#/features/admin-accounts/account-page";
import { loadTexts } from "#/i18n";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_staff/admin-accounts_/$id")({
  staticData: { title: key("shell.titles.adminAccounts") },
  loader: () => loadTexts("history"),
  component: AccountRoute,
});

function AccountRoute() {
  const { id } = Route.useParams();
  return <AccountPage key={id} id={id} unknown={<NotFoundPage />} />;
}
