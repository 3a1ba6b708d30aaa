import { createFileRoute, notFound, Outlet } from "@tanstack/react-router";
import { useSession } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { loadTexts } from "#/i18n";
import { useEnter } from "#/app/use-enter";
import { OwnerLoginPage } from "#/features/auth/owner-login-page";

/**
 * Pages of the built-in payment provider. They ask to sign in in place, so that a payment continues
 * after the session has ended.
 */
export const Route = createFileRoute("/_sandbox")({
  beforeLoad: ({ context }) => {
    switch (audienceOf(context.user)) {
      case "guest":
      case "manager":
        return;
      case "operator":
      case "staff":
        throw notFound();
    }
  },
  staticData: { bare: true },
  loader: () => loadTexts("visitor", "home", "office", "sandbox"),
  component: SandboxRoute,
});

function SandboxRoute() {
  const audience = audienceOf(useSession());
  const enter = useEnter();
  // The guard runs again after the sign-in.
  return audience === "manager" ? (
    <Outlet />
  ) : (
    <OwnerLoginPage onSignedIn={(user) => enter(user)} />
  );
}
