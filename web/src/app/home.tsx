import { Suspense, type ReactNode } from "react";
import { useSession } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import { lazyLoaded } from "#/shared/lazy-loaded";
import { OperatorHome } from "./operator-home";
import { PagePending } from "./page-pending";
import { StaffHome } from "./staff-home";

const VisitorHome = lazyWithTexts(["visitor", "landing"], () =>
  import("./visitor-home").then((module) => module.VisitorHome),
);

const NotFoundPage = lazyLoaded(() =>
  import("./not-found-page").then((module) => module.NotFoundPage),
);

/**
 * The page at `/` for each audience. The manager's is composed in the route, because it combines
 * features.
 */
export function Home({ manager }: { manager: ReactNode }) {
  return <ByAudience manager={manager} />;
}

/**
 * An unknown path: the landing page for visitors, the dashboard for operators, otherwise the 404
 * page.
 */
export function UnknownPath() {
  return <ByAudience manager={<NotFoundPage />} staff={<NotFoundPage />} />;
}

function ByAudience({ manager, staff }: { manager: ReactNode; staff?: ReactNode }) {
  const audience = audienceOf(useSession());
  switch (audience) {
    case "guest":
      return (
        <Suspense fallback={<PagePending />}>
          <VisitorHome />
        </Suspense>
      );
    case "operator":
      return <OperatorHome />;
    case "staff":
      return <Suspense fallback={<PagePending />}>{staff ?? <StaffHome />}</Suspense>;
    case "manager":
      return <Suspense fallback={<PagePending />}>{manager}</Suspense>;
  }
}
