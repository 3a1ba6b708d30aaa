import { Suspense, type ReactNode } from "react";
import { useSession } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import { LogoutButton } from "./logout-button";
import { NotFoundPage } from "./not-found-page";
import { PagePending } from "./page-pending";
import { StaffHome } from "./staff-home";

// A chunk of its own: an operator on a phone loads the operator page, a manager not.
const OperatorHome = lazyWithTexts(["person", "operator"], () =>
  import("#/features/operator/operator-page").then((module) => module.OperatorPage),
);

const VisitorHome = lazyWithTexts(["visitor", "landing"], () =>
  import("./visitor-home").then((module) => module.VisitorHome),
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
