import { timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import { clsx } from "clsx";
import { CircleAlert, CircleCheck, CircleSlash } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import {
  BillingInterval,
  SandboxInvoiceStatus,
  type SandboxInvoice,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { usePlanText } from "#/shared/words/plan-text";
import { tierWord } from "#/domain/subscription-words";
import { useFormat } from "#/shared/format/use-format";
import type { Column } from "#/shared/table/column";

export function useInvoiceColumns(): ReadonlyArray<Column<SandboxInvoice>> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: "number",
        header: t("sandbox.portal.columns.number"),
        card: "title",
        cell: (invoice) => <span className="font-mono text-sm">{invoice.number}</span>,
      },
      {
        id: "date",
        header: t("sandbox.portal.columns.date"),
        cell: (invoice) => <DateCell invoice={invoice} />,
        sortValue: ({ createdAt }) => (createdAt ? timestampMs(createdAt) : null),
      },
      {
        id: "plan",
        header: t("sandbox.portal.columns.plan"),
        cell: (invoice) => <PlanCell invoice={invoice} />,
      },
      {
        id: "interval",
        header: t("sandbox.portal.columns.interval"),
        cell: ({ interval }) =>
          interval === BillingInterval.YEAR ? t("plans.yearly") : t("plans.monthly"),
      },
      {
        id: "status",
        header: t("sandbox.portal.columns.status"),
        card: "badge",
        cell: ({ status }) => <StatusCell status={status} />,
      },
      {
        id: "amount",
        header: t("sandbox.portal.columns.amount"),
        align: "end",
        cell: (invoice) => <AmountCell invoice={invoice} />,
        sortValue: ({ cents }) => cents,
      },
    ],
    [t],
  );
}

function DateCell({ invoice: { createdAt } }: { invoice: SandboxInvoice }) {
  const format = useFormat();
  if (!createdAt) return null;
  return <span className="whitespace-nowrap">{format.instantDay(timestampDate(createdAt))}</span>;
}

function PlanCell({ invoice }: { invoice: SandboxInvoice }) {
  return usePlanText().name(tierWord(invoice.tier));
}

function AmountCell({ invoice: { cents, status } }: { invoice: SandboxInvoice }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <span
      className={clsx(
        "whitespace-nowrap",
        status === SandboxInvoiceStatus.VOID && "text-muted line-through",
      )}
    >
      {format.cost(cents)}
      {cents < 0 && <span className="block text-xs text-muted">{t("sandbox.portal.credit")}</span>}
    </span>
  );
}

function StatusCell({ status }: { status: SandboxInvoiceStatus }) {
  const { t } = useTranslation();
  switch (status) {
    case SandboxInvoiceStatus.PAID:
      return (
        <span className="inline-flex items-center gap-1.5 font-semibold">
          <CircleCheck aria-hidden className="size-4 text-accent" />
          {t("sandbox.portal.paid")}
        </span>
      );
    case SandboxInvoiceStatus.OPEN:
      return (
        <span className="inline-flex items-center gap-1.5 font-semibold text-danger">
          <CircleAlert aria-hidden className="size-4" />
          {t("sandbox.portal.open")}
        </span>
      );
    case SandboxInvoiceStatus.VOID:
    case SandboxInvoiceStatus.UNSPECIFIED:
      return (
        <span className="inline-flex items-center gap-1.5 text-muted">
          <CircleSlash aria-hidden className="size-4" />
          {t("sandbox.portal.void")}
        </span>
      );
  }
}
