import { createFileRoute, notFound, Outlet, useLocation } from "@tanstack/react-router";
import { useSession } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { loadTexts } from "#/i18n";
import { useEnter } from "#/app/use-enter";
import { OwnerLoginPage } from "#/features/auth/owner-login-page";
import { PaperLine } from "#/shared/print/paper-line";

/**
 * Pages of owners and managers; for others these paths do not exist. After a checkout whose session
 * has ended, the user is asked to sign in and then sees the outcome.
 */
export const Route = createFileRoute("/_manager")({
  beforeLoad: ({ context, location }) => {
    const audience = audienceOf(context.user);
    if (audience === "manager") return;
    if (audience === "guest" && isReturn(location)) return;
    throw notFound();
  },
  loader: () => loadTexts("visitor", "home", "office", "person", "security"),
  component: ManagerRoute,
});

function ManagerRoute() {
  const returned = isReturn(useLocation());
  const guest = useSession() === null;
  const enter = useEnter();
  // The guard runs again after the sign-in.
  if (guest && returned) return <OwnerLoginPage onSignedIn={(user) => enter(user)} />;
  return (
    <>
      {!guest && <PaperLine />}
      <Outlet />
    </>
  );
}

function isReturn({ pathname, search }: { pathname: string; search: object }): boolean {
  return pathname === "/subscription" && ("success" in search || "canceled" in search);
}
