import { createQueryOptions, useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Smartphone } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService, type Device } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { DataTable } from "#/shared/table/data-table";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { useZoneNote } from "#/shared/use-zone-note";
import { usePhoneColumns } from "./phones-columns";

/** Phones on which operators sign in without signal. */
export function PhonesSection() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const phones = useQuery(
    createQueryOptions(AccountsService.method.listDevices, {}, { transport }),
  );
  const zoneNote = useZoneNote();
  const [removing, setRemoving] = useState<Device | null>(null);
  const columns = usePhoneColumns(setRemoving);
  return (
    <section aria-labelledby="phones-heading" className="space-y-3">
      <div>
        <h2 id="phones-heading" className="text-lg font-semibold">
          {t("operators.phones.heading")}
        </h2>
        <p className="mt-0.5 max-w-prose text-sm text-muted">
          {[t("operators.phones.text"), zoneNote].filter(Boolean).join(" ")}
        </p>
      </div>
      {phones.error && (
        <ErrorPanel
          title={t("operators.phones.loadFailed")}
          reason={errorText(phones.error)}
          onRetry={() => void phones.refetch()}
          retrying={phones.isFetching}
        />
      )}
      {phones.isPending && (
        <div className="rounded-card border border-line bg-raised">
          <SkeletonRows rows={2} label={t("common.loading")} />
        </div>
      )}
      {phones.data && (
        <DataTable
          label={t("operators.phones.heading")}
          columns={columns}
          rows={phones.data.devices}
          rowKey={(row) => row.id}
          tableFrom={720}
          empty={
            <Empty
              icon={<Smartphone aria-hidden />}
              title={t("operators.phones.empty")}
              description={t("operators.phones.emptyText")}
            />
          }
        />
      )}
      {removing && <RemovePhone phone={removing} onClose={() => setRemoving(null)} />}
    </section>
  );
}

const RemovePhone = dialogOnDemand(() =>
  import("./remove-phone").then((module) => module.RemovePhone),
);
