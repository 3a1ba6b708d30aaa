import { useRouter } from "@tanstack/react-router";
import { Suspense, useMemo, type ReactNode } from "react";
import { useSession } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { LandingNavigation, type LandingPath } from "#/features/landing/landing-link";
import { LandingPage } from "#/features/landing/landing-page";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import { LogoutButton } from "./logout-button";
import { NotFoundPage } from "./not-found-page";
import { PagePending } from "./page-pending";
import { StaffHome } from "./staff-home";

// A chunk of its own: an operator on a phone loads the operator page, a manager not.
const OperatorHome = lazyWithTexts(["person", "operator"], () =>
  import("#/features/operator/operator-page").then((module) => module.OperatorPage),
);

/** The page at `/`, by who asks. A manager's is composed of several features, hence by the route. */
export function Home({ manager }: { manager: ReactNode }) {
  return <ByAudience manager={manager} />;
}

/** Any path without a page: a visitor's landing page, an operator's dashboard, else the 404 page. */
export function UnknownPath() {
  return <ByAudience manager={<NotFoundPage />} staff={<NotFoundPage />} />;
}

function ByAudience({ manager, staff }: { manager: ReactNode; staff?: ReactNode }) {
  const audience = audienceOf(useSession());
  const router = useRouter();
  const navigation = useMemo(
    () => ({
      prepare: (to: LandingPath) => void router.preloadRoute({ to }),
      go: (to: LandingPath) => void router.navigate({ to }),
    }),
    [router],
  );
  switch (audience) {
    case "guest":
      return (
        <LandingNavigation value={navigation}>
          <LandingPage />
        </LandingNavigation>
      );
    case "operator":
      return (
        <Suspense fallback={<PagePending />}>
          <OperatorHome footer={<LogoutButton />} />
        </Suspense>
      );
    case "staff":
      return staff ?? <StaffHome />;
    case "manager":
      return <Suspense fallback={<PagePending />}>{manager}</Suspense>;
  }
}
