import { Suspense, type ReactNode } from "react";
import { useSession } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import { LogoutButton } from "./logout-button";
import { NotFoundPage } from "./not-found-page";
import { PagePending } from "./page-pending";
import { StaffHome } from "./staff-home";

// A separate chunk, so that managers don't load the operator page.
const OperatorHome = lazyWithTexts(["person", "operator"], () =>
  import("#/features/operator/operator-page").then((module) => module.OperatorPage),
);

const VisitorHome = lazyWithTexts(["visitor", "landing"], () =>
  import("./visitor-home").then((module) => module.VisitorHome),
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
