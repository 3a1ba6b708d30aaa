import { Link } from "@tanstack/react-router";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, ReceiptText } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import type { SandboxInvoice } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { useSession } from "#/session/session";
import { DataTable } from "#/shared/table/data-table";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton, SkeletonRows } from "#/shared/ui/skeleton";
import { CardPanel } from "./card-panel";
import { useInvoiceColumns } from "./invoice-columns";
import { portalQuery } from "./queries";
import { SandboxHeader } from "./sandbox-header";
import { SandboxMessage } from "./sandbox-message";

/** The customer portal of the built-in payment provider. */
export function PortalPage() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const company = useSession()?.businessName;
  const query = useQuery(portalQuery(useTransport()));
  const failure = query.error && !query.data ? toFailure(query.error) : null;
  // The provider does not know companies without a checkout.
  if (failure?.status === 404) {
    return (
      <SandboxMessage
        icon={<ReceiptText aria-hidden />}
        title={t("sandbox.portal.none")}
        text={t("sandbox.portal.noneText")}
      />
    );
  }
  return (
    <div className="mx-auto min-h-dvh max-w-(--container-page) px-4 py-4 md:px-8 md:py-5">
      <SandboxHeader />
      <main id="main" tabIndex={-1} className="space-y-6 pt-8 pb-16 outline-none">
        <div>
          <Link
            to="/subscription"
            className="inline-flex items-center gap-2 rounded-control py-1 font-semibold text-accent hover:text-accent-hover"
          >
            <ArrowLeft aria-hidden className="size-4" />
            {t("sandbox.backToSubscription")}
          </Link>
          <h1 tabIndex={-1} className="mt-3 text-title font-[650]">
            {t("sandbox.portal.title")}
          </h1>
          {company && <p className="mt-1 text-muted">{company}</p>}
        </div>
        {query.isPending && <Loading />}
        {failure && (
          <ErrorPanel
            title={t("sandbox.portal.loadFailed")}
            reason={errorText(query.error)}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        )}
        {query.data && <CardPanel declines={query.data.cardDeclines} />}
        {query.data && <Invoices invoices={query.data.invoices} />}
      </main>
    </div>
  );
}

function Invoices({ invoices }: { invoices: readonly SandboxInvoice[] }) {
  const { t } = useTranslation();
  const columns = useInvoiceColumns();
  return (
    <section aria-labelledby="invoices">
      <h2 id="invoices" className="mb-3 text-lg font-semibold">
        {t("sandbox.portal.invoices")}
      </h2>
      <DataTable
        label={t("sandbox.portal.invoices")}
        columns={columns}
        rows={invoices}
        rowKey={(invoice) => invoice.number}
        empty={
          <Empty
            icon={<ReceiptText aria-hidden />}
            title={t("sandbox.portal.none")}
            description={t("sandbox.portal.noneText")}
          />
        }
      />
    </section>
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <>
      <Skeleton className="h-28 w-full" />
      <div className="rounded-card border border-line bg-raised">
        <SkeletonRows rows={4} label={t("common.loading")} />
      </div>
    </>
  );
}
