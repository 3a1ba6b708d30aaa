import { Brand } from "#/shared/ui/brand";
import { PagePending } from "./page-pending";

/** Shown while the session is requested; the document shows the same head before. */
export function Starting() {
  return (
    <>
      <div className="border-b border-line bg-raised">
        <div className="mx-auto flex h-14 max-w-(--container-page) items-center px-4 lg:px-6">
          <Brand />
        </div>
      </div>
      <div className="mx-auto max-w-(--container-page) px-4 py-6 lg:px-6 lg:py-8">
        <PagePending />
      </div>
    </>
  );
}
