import { createFileRoute } from "@tanstack/react-router";
import { useEnter } from "#/app/use-enter";
import { OwnerLoginPage } from "#/features/auth/owner-login-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_guest/login")({
  staticData: { title: key("shell.titles.ownerLogin") },
  component: OwnerLoginRoute,
});

function OwnerLoginRoute() {
  const enter = useEnter();
  return <OwnerLoginPage onSignedIn={(user) => enter(user, "/")} />;
}
