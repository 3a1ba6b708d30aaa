import { Suspense } from "react";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import { LogoutButton } from "./logout-button";
import { PagePending } from "./page-pending";

// A separate chunk, so that managers don't load the operator page.
const OperatorPage = lazyWithTexts(["person", "operator"], () =>
  import("#/features/operator/operator-page").then((module) => module.OperatorPage),
);

export function OperatorHome() {
  return (
    <Suspense fallback={<PagePending />}>
      <OperatorPage footer={<LogoutButton />} />
    </Suspense>
  );
}
