import { createFileRoute, notFound, Outlet } from "@tanstack/react-router";
import { useSession } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { loadTexts } from "#/i18n";
import { useEnter } from "#/app/use-enter";
import { OwnerLoginPage } from "#/features/auth/owner-login-page";

/**
 * The payment provider's pages where the built-in one stands in for it. A payment must not be lost
 * to a session that has ended, so these ask to sign in and go on where they were.
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
  // The page that wants the sign-in follows in this one's place.
  return audience === "manager" ? (
    <Outlet />
  ) : (
    <OwnerLoginPage onSignedIn={(user) => enter(user)} />
  );
}
