import { lazy, Suspense } from "react";
import { loadOperatorPage } from "./load-home";
import { LogoutButton } from "./logout-button";
import { PagePending } from "./page-pending";

// A separate chunk, so that managers don't load the operator page.
const OperatorPage = lazy(async () => ({ default: await loadOperatorPage() }));

export function OperatorHome() {
  return (
    <Suspense fallback={<PagePending />}>
      <OperatorPage footer={<LogoutButton />} />
    </Suspense>
  );
}
