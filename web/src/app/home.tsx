import { lazy, Suspense, type ReactNode } from "react";
import { useSession } from "#/api/session";
import { audienceOf } from "#/domain/permissions";
import { LogoutButton } from "./logout-button";
import { NotFoundPage } from "./not-found-page";
import { PagePending } from "./page-pending";
import { StaffHome } from "./staff-home";

// One chunk each: a visitor loads no manager code, an operator on a phone only the operator page.
const Landing = lazy(() =>
  import("#/features/landing/landing-page").then((module) => ({ default: module.LandingPage })),
);
const OperatorHome = lazy(() =>
  import("#/features/operator/operator-page").then((module) => ({ default: module.OperatorPage })),
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
  switch (audience) {
    case "guest":
      return (
        <Suspense>
          <Landing />
        </Suspense>
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
