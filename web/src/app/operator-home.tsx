import { Suspense } from "react";
import { lazyLoaded } from "#/shared/lazy-loaded";
import { PinHint } from "./lazy-phone";
import { loadOperatorPage } from "./load-home";
import { LogoutButton } from "./logout-button";
import { PagePending } from "./page-pending";

// A separate chunk, so that managers don't load the operator page.
const OperatorPage = lazyLoaded(loadOperatorPage);

export function OperatorHome() {
  return (
    <Suspense fallback={<PagePending />}>
      <OperatorPage hint={<PinHint />} footer={<LogoutButton />} />
    </Suspense>
  );
}
